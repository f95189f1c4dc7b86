import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { cpuMicros, show, spread, table } from './measure.js'
import { startBench } from './programs.js'

// How many codes and refresh tokens the server exchanges per second, how many requests with a token it answers beside those that
// need none, and what it costs to find out whose a token is.

const RUNS = 5
const EXCHANGES = 300
const REQUESTS = 6000
const CONNECTIONS = 16

const Ready = z.object({
  ready: z.object({
    url: z.string(),
    codes: z.array(z.string()),
    tokens: z.array(z.string()),
    authentication: z.array(z.number()),
    client_id: z.string(),
    client_secret: z.string(),
    redirect_uri: z.string(),
  }),
})

const dataDir = await mkdtemp(join(tmpdir(), 'printwarden-bench-'))
process.env['PRINTWARDEN_DATA_DIR'] = dataDir
process.env['PRINTWARDEN_ROLES'] = 'web'
const program = startBench('oauth-server.ts', [String((RUNS + 1) * EXCHANGES)])
const { url, codes, tokens, authentication, ...app } = await program.line((line) => {
  return line.startsWith('{"ready"') ? Ready.parse(JSON.parse(line)).ready : undefined
})
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

interface Sent {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Record<string, string>
  readonly body?: string
}

function send({ method, path, headers, body }: Sent): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`${path} answered ${response.statusCode}: ${text}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Sends all, some at a time: how many a second, and the server's CPU for each in microseconds. */
async function load(
  count: number,
  make: (index: number) => Sent,
): Promise<{ rate: number; cpu: number; texts: string[] }> {
  const texts: string[] = []
  let next = 0
  const before = cpuMicros(program.pid)
  const started = performance.now()
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) texts[index] = await send(make(index))
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  const seconds = (performance.now() - started) / 1000
  return { rate: count / seconds, cpu: (cpuMicros(program.pid) - before) / count, texts }
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const { redirect_uri, client_id, client_secret } = app

function token(fields: Record<string, string>): Sent {
  const body = new URLSearchParams({ ...fields, client_id, client_secret }).toString()
  return { method: 'POST', path: '/o/token/', headers: { ...FORM, 'content-length': String(body.length) }, body }
}

const read = (headers: Record<string, string>, path = '/api/v1/version/'): Sent => ({ method: 'GET', path, headers })
const bearer = (index: number): Record<string, string> => ({
  authorization: `Bearer ${tokens[index % tokens.length]}`,
})

const results = { exchange: [], refresh: [], authenticated: [], open: [] } as Record<
  'exchange' | 'refresh' | 'authenticated' | 'open',
  { rate: number; cpu: number }[]
>
for (let run = 0; run <= RUNS; run += 1) {
  const exchange = await load(EXCHANGES, (index) =>
    token({ grant_type: 'authorization_code', code: codes[run * EXCHANGES + index] ?? '', redirect_uri }),
  )
  const answers = exchange.texts.map((text) => z.object({ refresh_token: z.string() }).parse(JSON.parse(text)))
  const refresh = await load(EXCHANGES, (index) =>
    token({ grant_type: 'refresh_token', refresh_token: answers[index]?.refresh_token ?? '' }),
  )
  const open = await load(REQUESTS, () => read({}, '/healthz'))
  const authenticated = await load(REQUESTS, (index) => read(bearer(index)))
  // The first run warms up.
  if (run > 0)
    for (const [name, one] of Object.entries({ exchange, refresh, open, authenticated })) {
      results[name as keyof typeof results].push(one)
    }
}

const row = (name: string, runs: readonly { rate: number; cpu: number }[]): string[] => [
  name,
  show(spread(runs.map(({ rate }) => rate)), 0),
  show(spread(runs.map(({ cpu }) => cpu)), 0),
]
console.log(`${CONNECTIONS} connections; each cell is min / median / max of ${RUNS} runs\n`)
console.log(
  table(
    ['request', 'per second', 'server CPU µs each'],
    [
      row('code for tokens', results.exchange),
      row('refresh', results.refresh),
      row('GET /api/v1/version/ with a token', results.authenticated),
      row('GET /healthz', results.open),
    ],
  ),
)
console.log(`\nfinding out whose a token is: ${show(spread(authentication))} µs of CPU`)
await program.stop()
agent.destroy()
await rm(dataDir, { recursive: true, force: true })
