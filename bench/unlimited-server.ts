import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAdapters } from '../packages/server/src/adapters/open.js'
import { buildApp } from '../packages/server/src/app.js'
import type { Config } from '../packages/server/src/config.js'
import { insertToken } from '../packages/server/src/oauth/store.js'
import { openLog } from '../packages/server/src/log-output.js'
import { addPrinter } from '../packages/server/src/printers/add-flow.js'
import { KEEP_ALL } from '../packages/server/src/timelapse/retention.js'
import { newUserRow } from '../packages/server/src/users/new-user-flow.js'
import { insertUser } from '../packages/server/src/users/store.js'

// The real server with the agents' message limit lifted, so that a benchmark finds the cost of a message and not the limit.
// Prints one JSON line with its address, a token and the auth tokens of as many printers as its argument says.

const dataDir = await mkdtemp(join(tmpdir(), 'printwarden-bench-'))
const log = openLog('error')
const config: Config = {
  host: '127.0.0.1',
  port: 0,
  dataDir,
  publicUrl: undefined,
  secretKey: undefined,
  tls: undefined,
  trustedProxies: [],
  admin: undefined,
  roles: process.argv.includes('--detect') ? ['web', 'detector', 'jobs'] : ['web', 'jobs'],
  detector: undefined,
  detectorToken: undefined,
  detectorOrigin: undefined,
  detectorThreads: 1,
  outboundAllow: [],
  accessTokenSeconds: 3_153_600_000,
  maxGCodeBytes: 1024 ** 3,
  maxSnapshotBytes: 8 * 1024 ** 2,
  smoothing: 'default',
  videoEncoder: 'off',
  retention: KEEP_ALL,
  historyBytes: 0,
  smtpUrl: undefined,
  discovery: false,
  logLevel: 'error',
  warnings: [],
}
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
