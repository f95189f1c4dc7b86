import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { show, spread, table, cpuMicros } from './measure.js'
import { startBench } from './programs.js'
import { statusText } from './status-load.js'

// What the dialect of upstream agents costs: messages per second through /ws/dev/ beside our own door, the same messages in the same run
// and in turn. And how long a recorded agent takes from its first request to a printer that shows as online.

const RUNS = Number(process.env['BENCH_RUNS'] ?? 5)
const LOADS = [
  { connections: 1, messages: 20_000 },
  { connections: 100, messages: 60_000 },
]
const STARTS = 15
const SETTLE_MS = 1000
const MAX_BUFFERED = 256 * 1024
const MOST = Math.max(...LOADS.map(({ connections }) => connections)) + STARTS * 2

const Ready = z.object({ ready: z.object({ url: z.string(), token: z.string(), authTokens: z.array(z.string()) }) })

interface Door {
  readonly path: string
  readonly protocols: readonly string[]
  readonly scheme: string
  readonly text: (sequence: number) => string
}

const OWN: Door = {
  path: '/ws/agent/',
  protocols: ['agent.v1'],
  scheme: 'Bearer',
  text: (sequence) => statusText(sequence),
}

/** The same message as the OctoPrint agent writes it: other names, and a null of its own. */
const UPSTREAM: Door = {
  path: '/ws/dev/',
  protocols: [],
  scheme: 'bearer',
  text: (sequence) =>
    statusText(sequence)
      .replace('"service":{"totalLayerCount"', '"obico":{"totalLayerCount"')
      .replace(/"seq":\d+,/, '')
      .replace('"offsets":', '"display_status":{"message":null},"offsets":'),
}

async function connect(url: string, door: Door, token: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${door.path}`, [...door.protocols], {
    headers: { authorization: `${door.scheme} ${token}` },
    perMessageDeflate: false,
  })
  const told = once(socket, 'message')
  await once(socket, 'open')
  await told
  return socket
}

let prints = 1_795_251_637

/** A message of another print, in the words of the door. */
const about = (text: string, ts: number, event?: string): string =>
  text.replace(
    '"current_print_ts":1795251637',
    `"current_print_ts":${ts}${event === undefined ? '' : `,"event":{"event_type":"${event}"}`}`,
  )

/** Begins a print, sends messages of it as fast as they are taken, and ends it: the server tells of both, so all between are applied. */
async function sendOver(socket: WebSocket, door: Door, count: number): Promise<void> {
  prints += 1
  const ts = prints
  const begun = once(socket, 'message')
  socket.send(about(door.text(0), ts, 'PrintStarted'))
  await begun
  const ended = once(socket, 'message')
  for (let sequence = 1; sequence < count; sequence += 1) {
    socket.send(about(door.text(sequence), ts))
    while (socket.bufferedAmount > MAX_BUFFERED) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  socket.send(about(door.text(count), ts, 'PrintDone'))
  await ended
}

const server = startBench('unlimited-server.ts', [String(MOST)])
const { url, token, authTokens } = await server.line((line) => {
  const parsed = line.startsWith('{"ready"') ? Ready.safeParse(JSON.parse(line)) : undefined
  return parsed?.data?.ready
})

async function measure(door: Door, load: (typeof LOADS)[number]): Promise<{ rate: number; cpu: number }> {
  const tokens = authTokens.slice(0, load.connections)
  const sockets = await Promise.all(tokens.map((each) => connect(url, door, each)))
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  const each = Math.round(load.messages / load.connections)
  const cpuBefore = cpuMicros(server.pid)
  const started = performance.now()
  await Promise.all(sockets.map((socket) => sendOver(socket, door, each)))
  const seconds = (performance.now() - started) / 1000
  const cpu = (cpuMicros(server.pid) - cpuBefore) / (each * sockets.length)
  for (const socket of sockets) socket.terminate()
  return { rate: (each * sockets.length) / seconds, cpu }
}

const rows: string[][] = []
for (const load of LOADS) {
  for (const door of [OWN, UPSTREAM]) await measure(door, load)
  const own: { rate: number; cpu: number }[] = []
  const upstream: { rate: number; cpu: number }[] = []
  for (let run = 0; run < RUNS; run += 1) {
    // Neither is always the second of a pair.
    for (const door of run % 2 === 0 ? [OWN, UPSTREAM] : [UPSTREAM, OWN]) {
      ;(door === OWN ? own : upstream).push(await measure(door, load))
    }
  }
  rows.push([
    String(load.connections),
    show(spread(upstream.map(({ rate }) => rate)), 0),
    show(spread(own.map(({ rate }) => rate)), 0),
    show(spread(upstream.map(({ rate }, run) => rate / (own[run]?.rate ?? Number.NaN))), 2),
    show(spread(upstream.map(({ cpu }) => cpu))),
    show(spread(own.map(({ cpu }) => cpu))),
  ])
}
console.log(`messages of ${UPSTREAM.text(1).length} bytes; each cell is min / median / max of ${RUNS} runs\n`)
const head = [
  'connections',
  '/ws/dev/ msg/s',
  '/ws/agent/ msg/s',
  'rate ratio',
  '/ws/dev/ CPU µs/msg',
  '/ws/agent/ CPU µs/msg',
]
console.log(table(head, rows))

interface Line {
  readonly t: number
  readonly dir?: string
  readonly ws_text?: { readonly status?: { readonly _ts?: number } }
}

/** What a recorded agent says up to and with its first status. */
function openingOf(recording: string): object[] {
  const file = new URL(`../test/fixtures/upstream-traffic/${recording}.jsonl`, import.meta.url)
  const lines = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  const said = lines.flatMap(({ dir, ws_text }) => (dir === 'agent->server' && ws_text !== undefined ? [ws_text] : []))
  return said.slice(0, said.findIndex((frame) => frame.status !== undefined) + 1)
}

/** From the agent's first request until an app sees the printer's status; the agent's own pauses are left out. */
async function timeToOnline(said: readonly object[], authToken: string): Promise<number> {
  const started = performance.now()
  const headers = { authorization: `Token ${authToken}` }
  const answer = (await (await fetch(`${url}/api/v1/octo/printer/`, { headers })).json()) as { printer: { id: number } }
  const socket = await connect(url, UPSTREAM, authToken)
  for (const frame of said) socket.send(JSON.stringify(frame))
  for (;;) {
    const path = `${url}/api/v1/printers/${answer.printer.id}/`
    const printer = (await (await fetch(path, { headers: { authorization: `Bearer ${token}` } })).json()) as {
      status: unknown
    }
    if (printer.status !== null) break
  }
  socket.terminate()
  return performance.now() - started
}

const starts: string[][] = []
const fresh = authTokens.slice(-STARTS * 2)
for (const recording of ['moonraker-obico-2.1.4', 'octoprint-obico-2.6.1']) {
  const said = openingOf(recording)
  const times: number[] = []
  for (let start = 0; start < STARTS; start += 1) times.push(await timeToOnline(said, fresh.pop() ?? ''))
  starts.push([recording, String(said.length), show(spread(times))])
}
console.log(
  `\nfrom a recorded agent's first request to "online"; min / median / max of ${STARTS} starts, each of a new printer\n`,
)
console.log(table(['recording', 'messages', 'ms'], starts))
await server.stop()
