import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import { cpuMicros, percentile, show, spread, table } from './measure.js'
import { startBench, startBuilt } from './programs.js'
import { connectAgents, sendStatus } from './status-load.js'

// Requests per second and p99 over 16 connections, each beside a bare Fastify route that answers the same bytes. The two take turns, so
// that whatever else the machine does falls on both; CPU time is of the server's process alone.

const ROUNDS = 7
const CONNECTIONS = 16
const PRINTERS = 10
const PRINTS = 1000
/** How often in a round. */
const REQUESTS = { printers: 800, prints: 800, patch: 1600 } as const

const folder = await mkdtemp(join(tmpdir(), 'printwarden-bench-'))
const ADMIN = { email: 'bench@example.test', password: 'bench-password' }
const real = startBuilt('server', [], {
  PRINTWARDEN_HOST: '127.0.0.1',
  PRINTWARDEN_PORT: '0',
  PRINTWARDEN_DATA_DIR: join(folder, 'data'),
  PRINTWARDEN_ROLES: 'web',
  PRINTWARDEN_LOG_LEVEL: 'error',
  PRINTWARDEN_ADMIN_EMAIL: ADMIN.email,
  PRINTWARDEN_ADMIN_PASSWORD: ADMIN.password,
})
const url = await real.line((line) => /listening url=(\S+)/.exec(line)?.[1])
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
let token = ''

interface Call {
  readonly method: 'GET' | 'PATCH' | 'POST'
  readonly path: string
  readonly body?: string
}

function send(base: string, { method, path, body }: Call): Promise<string> {
  return new Promise((resolve, reject) => {
    const length: Record<string, string> =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) }
    const headers = { authorization: `Bearer ${token}`, ...length }
    const sent = request(base + path, { method, headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => {
        if (response.statusCode === 200 || response.statusCode === 201) resolve(text)
        else reject(new Error(`${method} ${path} answered ${response.statusCode}: ${text}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

interface Result {
  readonly rate: number
  readonly p99: number
  readonly cpu: number
}

/** Printers with their agents, and prints that have ended. */
async function fill(): Promise<{ printerId: number; sockets: WebSocket[] }> {
  const post = async (path: string, body: object): Promise<unknown> =>
    JSON.parse(await send(url, { method: 'POST', path, body: JSON.stringify(body) }))
  const Token = z.object({ access_token: z.string() })
  token = Token.parse(await post('/api/v1/admin/sign_in/', ADMIN)).access_token
  token = Token.parse(await post('/api/v1/admin/tokens/', { email: ADMIN.email, scope: 'read write' })).access_token
  const printers: { id: number; auth_token: string }[] = []
  for (let index = 0; index < PRINTERS; index += 1) {
    const made = await post('/api/v1/printers/', { name: `Printer ${index}` })
    printers.push(z.object({ id: z.number(), auth_token: z.string() }).parse(made))
  }
  for (const [index, { id }] of printers.entries()) {
    for (let print = index; print < PRINTS; print += PRINTERS) {
      await post(`/api/v1/printers/${id}/start_print/`, { filename: `part-${print}.gcode` })
      await post(`/api/v1/printers/${id}/finish_print/`, { status: 'success' })
    }
  }
  const tokens = printers.map(({ auth_token }) => auth_token)
  return { printerId: printers[0]?.id ?? 0, sockets: await connectAgents(url, tokens) }
}

async function load(base: string, pid: number, call: Call, count: number): Promise<Result> {
  const times: number[] = []
  let left = count
  const before = cpuMicros(pid)
  const started = performance.now()
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const asked = performance.now()
      await send(base, call)
      times.push(performance.now() - asked)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  const rate = count / ((performance.now() - started) / 1000)
  return { rate, p99: percentile(times, 0.99), cpu: (cpuMicros(pid) - before) / count }
}

const { printerId, sockets } = await fill()
const CALLS: Readonly<Record<keyof typeof REQUESTS, Call>> = {
  printers: { method: 'GET', path: '/api/v1/printers/' },
  prints: { method: 'GET', path: '/api/v1/prints/?sorting=date_desc&limit=50' },
  patch: { method: 'PATCH', path: `/api/v1/printers/${printerId}/`, body: '{"name":"Renamed","retract_on_pause":6.5}' },
}
const NAMES = Object.keys(CALLS) as (keyof typeof REQUESTS)[]

await sendStatus(sockets, 2)
const answers = await Promise.all(Object.values(CALLS).map(async (call) => ({ ...call, text: await send(url, call) })))
const answersFile = join(folder, 'answers.json')
await writeFile(answersFile, JSON.stringify(answers))
const bare = startBench('bare-rest-server.mjs', [answersFile])
const bareUrl = await bare.line((line) => /"url":"([^"]+)"/.exec(line)?.[1])

const results = NAMES.map((name) => ({ name, ours: [] as Result[], floor: [] as Result[] }))
for (let round = 0; round <= ROUNDS; round += 1) {
  // Printers that fall silent are offline, and then there is less to answer.
  await sendStatus(sockets, 2)
  for (const result of results) {
    const floor = await load(bareUrl, bare.pid, CALLS[result.name], REQUESTS[result.name])
    const ours = await load(url, real.pid, CALLS[result.name], REQUESTS[result.name])
    // The first round warms up.
    if (round === 0) continue
    result.floor.push(floor)
    result.ours.push(ours)
  }
}

const values = (runs: readonly Result[], key: keyof Result): number[] => runs.map((run) => run[key])
const rows = results.map(({ name, ours, floor }) => {
  const { method, path } = CALLS[name]
  const bytes = answers.find((answer) => answer.path === path)?.text.length ?? 0
  const ratios = ours.map(({ rate }, round) => rate / (floor[round]?.rate ?? Number.NaN))
  return [
    `${method} ${path.split('?')[0]?.replace(/\d+/, '{id}').replace('v{id}', 'v1')} (${(bytes / 1024).toFixed(1)} KiB)`,
    show(spread(values(ours, 'rate')), 0),
    show(spread(values(floor, 'rate')), 0),
    show(spread(ratios), 2),
    `${show(spread(values(ours, 'p99')))} | ${show(spread(values(floor, 'p99')))}`,
    `${show(spread(values(ours, 'cpu')), 0)} | ${show(spread(values(floor, 'cpu')), 0)}`,
  ]
})
console.log(`${PRINTERS} printers with full status, ${PRINTS} prints, ${CONNECTIONS} connections;`)
console.log(`min / median / max of ${ROUNDS} rounds, ours and bare Fastify in turn\n`)
console.log(table(['request', 'ours/s', 'bare/s', 'ratio', 'p99 ms, ours | bare', 'server CPU µs, ours | bare'], rows))
for (const socket of sockets) socket.close()
agent.destroy()
await Promise.all([real.stop(), bare.stop()])
await rm(folder, { recursive: true, force: true })
