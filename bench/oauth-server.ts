import { openAdapters } from '../packages/server/src/adapters/open.js'
import { buildApp } from '../packages/server/src/app.js'
import { loadConfig } from '../packages/server/src/config.js'
import { authenticator } from '../packages/server/src/http/authenticate.js'
import { clientFlow } from '../packages/server/src/oauth/client-flow.js'
import { insertGrant } from '../packages/server/src/oauth/grant-store.js'
import { insertToken } from '../packages/server/src/oauth/store.js'
import { openLog } from '../packages/server/src/log-output.js'
import { newUserRow } from '../packages/server/src/users/new-user-flow.js'
import { insertUser } from '../packages/server/src/users/store.js'

// The real server, in a process of its own, with an app, as many unused codes as its argument says, and some tokens. Prints one JSON
// line with all of them. The configuration comes from the environment.

const CODES = Number(process.argv[2] ?? 1000)
const TOKENS = 200
const REDIRECT_URI = 'http://127.0.0.1:9099/callback'

const config = loadConfig()
const log = openLog('error')
const adapters = await openAdapters(config, log)
const { database, secrets, clock } = adapters
const { http } = await buildApp({ ...adapters, config, log })
const url = await http.listen({ host: '127.0.0.1', port: 0 })

const user = await insertUser(
  database.db,
  await newUserRow({ email: 'bench@example.test', password: 'bench password', isAdmin: true }, clock.now()),
)
if (user === undefined) throw new Error('the database is not empty')
const app = { name: 'Bench', type: 'confidential' as const, redirect_uris: [REDIRECT_URI] }
const { row, client_secret } = await clientFlow({ database, clock, secrets }).register(app, null)

const codes: string[] = []
const tokens: string[] = []
await database.transaction(async (trx) => {
  for (let index = 0; index < CODES; index += 1) {
    const code = secrets.newToken(32)
    codes.push(code)
    await insertGrant(trx, {
      ...{ user_id: user.id, client_id: row.id, scope: 'read write', created_at: clock.now() },
      redirect_uri: REDIRECT_URI,
      code_hash: secrets.hash(code),
      // Longer than in earnest, so that none runs out before its turn.
      code_expires_at: clock.now() + 3_600_000,
    })
  }
  for (let index = 0; index < TOKENS; index += 1) {
    const token = secrets.newToken(32)
    tokens.push(token)
    await insertToken(trx, {
      ...{ user_id: user.id, client_id: null, name: 'bench', scope: 'read', revoked_at: null },
      token_hash: secrets.hash(token),
      created_at: clock.now(),
      expires_at: null,
    })
  }
})
// What it costs by itself to find out whose a token is, once the token is known to the process: CPU in microseconds.
const CALLS = 50_000
const admission = authenticator({ ...adapters, publicUrl: () => undefined })
type Request = Parameters<typeof admission.authenticate>[0]
const requests = tokens.map(
  (token) =>
    ({
      headers: { authorization: `Bearer ${token}` },
      cookies: {},
      query: {},
      protocol: 'http',
      method: 'GET',
    }) as Request,
)
async function authenticationCpu(): Promise<number> {
  const before = process.cpuUsage()
  for (let call = 0; call < CALLS; call += 1) {
    const request = requests[call % requests.length]
    if (request !== undefined) await admission.authenticate(request)
  }
  const { user: userMicros, system } = process.cpuUsage(before)
  return (userMicros + system) / CALLS
}
await authenticationCpu()
const authentication: number[] = []
for (let run = 0; run < 5; run += 1) authentication.push(await authenticationCpu())

console.log(
  JSON.stringify({
    ready: {
      authentication,
      url,
      codes,
      tokens,
      client_id: row.client_id,
      client_secret,
      redirect_uri: REDIRECT_URI,
    },
  }),
)
