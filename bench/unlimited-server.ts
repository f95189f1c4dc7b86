import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAdapters } from '../packages/server/src/adapters/open.js'
import { buildApp } from '../packages/server/src/app.js'
import { loadConfig } from '../packages/server/src/config.js'
import { insertToken } from '../packages/server/src/oauth/store.js'
import { openLog } from '../packages/server/src/log-output.js'
import { addPrinter } from '../packages/server/src/printers/add-flow.js'
import { newUserRow } from '../packages/server/src/users/new-user-flow.js'
import { insertUser } from '../packages/server/src/users/store.js'

// The real server with the agents' message limit lifted, so that a benchmark finds the cost of a message and not the limit.
// Prints one JSON line with its address, a token and the auth tokens of as many printers as its argument says.

const dataDir = await mkdtemp(join(tmpdir(), 'printwarden-bench-'))
const log = openLog('error')
Object.assign(process.env, {
  PRINTWARDEN_HOST: '127.0.0.1',
  PRINTWARDEN_PORT: '0',
  PRINTWARDEN_DATA_DIR: dataDir,
  PRINTWARDEN_ROLES: process.argv.includes('--detect') ? 'web,detector,jobs' : 'web,jobs',
  PRINTWARDEN_VIDEO_ENCODER: 'off',
  PRINTWARDEN_DISCOVERY: 'off',
  PRINTWARDEN_LOG_LEVEL: 'error',
})
const config = loadConfig()
const adapters = await openAdapters(config, log)
const frames: object[] = []
const { http } = await buildApp({
  ...adapters,
  config,
  log,
  agentLimits: { messages: { perSecond: 1e9, burst: 1e9 } },
  frames: {
    observe: (times) => {
      frames.push(times)
      console.log(JSON.stringify({ frame: times }))
    },
  },
})
const url = await http.listen({ host: config.host, port: config.port })

const user = await insertUser(
  adapters.database.db,
  await newUserRow({ email: 'bench@example.test', password: 'bench password', isAdmin: true }, Date.now()),
)
if (user === undefined) throw new Error('the database is not empty')
const token = adapters.secrets.newToken(20)
await insertToken(adapters.database.db, {
  user_id: user.id,
  client_id: null,
  name: 'bench',
  token_hash: adapters.secrets.hash(token),
  scope: 'read write',
  created_at: Date.now(),
  expires_at: null,
  revoked_at: null,
})
const authTokens: string[] = []
for (let index = 0; index < Number(process.argv[2] ?? 1); index += 1) {
  const added = await addPrinter(adapters, user.id, { name: `Printer ${index}` })
  authTokens.push(added.auth_token)
}
console.log(JSON.stringify({ ready: { url, token, authTokens } }))
