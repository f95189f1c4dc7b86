import { z } from 'zod'
import { cpuMicros, rssMegabytes, show, spread, table } from './measure.js'
import { type Measured, startBench } from './programs.js'
import { connectAgents, sendStatus, statusText } from './status-load.js'

// How many status messages the server applies per second, and what one costs, beside a bare websocket server that does nothing
// but JSON.parse, in the same run and in turn.

const RUNS = 5
// Enough for each connection that what opening it costs (its printer is read, its first and last message are stored) does not show.
const LOADS = [
  { connections: 1, messages: 30_000 },
  { connections: 200, messages: 120_000 },
]
const SETTLE_MS = 1500

const MOST = Math.max(...LOADS.map(({ connections }) => connections))

const Ready = z.object({ ready: z.object({ url: z.string(), token: z.string(), authTokens: z.array(z.string()) }) })

interface Target {
  readonly program: Measured
  readonly url: string
  readonly tokens: readonly string[]
}

async function startServer(): Promise<Target> {
  const program = startBench('unlimited-server.ts', [String(MOST)])
  const { url, authTokens } = await program.line((line) => {
    const parsed = line.startsWith('{"ready"') ? Ready.safeParse(JSON.parse(line)) : undefined
    return parsed?.data?.ready
  })
  return { program, url, tokens: authTokens }
}

async function startBare(): Promise<Target> {
  const program = startBench('bare-server.ts')
  const url = await program.line((line) => /url=(\S+)/.exec(line)?.[1])
  return { program, url, tokens: Array.from({ length: MOST }, () => 'none') }
}

/** One load on one target: messages per second, and CPU of its process per message in microseconds. */
async function measure(
  { program, url, tokens }: Target,
  load: (typeof LOADS)[number],
): Promise<{ rate: number; cpu: number }> {
  const sockets = await connectAgents(url, tokens.slice(0, load.connections))
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
  const before = cpuMicros(program.pid)
  const { messages, seconds } = await sendStatus(sockets, Math.round(load.messages / load.connections))
  const cpu = (cpuMicros(program.pid) - before) / messages
  for (const socket of sockets) socket.terminate()
  return { rate: messages / seconds, cpu }
}

const server = await startServer()
const bare = await startBare()
const idle = rssMegabytes(server.program.pid)
const rows: string[][] = []
for (const load of LOADS) {
  await measure(server, load)
  await measure(bare, load)
  const results = { server: [] as { rate: number; cpu: number }[], bare: [] as { rate: number; cpu: number }[] }
  for (let run = 0; run < RUNS; run += 1) {
    results.bare.push(await measure(bare, load))
    results.server.push(await measure(server, load))
  }
  const ratio = results.server.map((one, run) => one.rate / (results.bare[run]?.rate ?? Number.NaN))
  const cpuRatio = results.server.map((one, run) => (results.bare[run]?.cpu ?? Number.NaN) / one.cpu)
  rows.push([
    String(load.connections),
    show(spread(results.server.map(({ rate }) => rate)), 0),
    show(spread(results.bare.map(({ rate }) => rate)), 0),
    show(spread(ratio), 2),
    show(spread(results.server.map(({ cpu }) => cpu))),
    show(spread(results.bare.map(({ cpu }) => cpu))),
    show(spread(cpuRatio), 2),
  ])
}
console.log(`status messages of ${statusText(1).length} bytes; each cell is min / median / max of ${RUNS} runs\n`)
const head = [
  'connections',
  'server msg/s',
  'bare msg/s',
  'rate ratio',
  'server CPU µs/msg',
  'bare CPU µs/msg',
  'CPU bare/server',
]
console.log(table(head, rows))

const agents = await connectAgents(server.url, server.tokens)
await new Promise((resolve) => setTimeout(resolve, 1000))
console.log(
  `\nserver RSS: ${idle.toFixed(0)} MB after start, ${rssMegabytes(server.program.pid).toFixed(0)} MB with ${agents.length} agents after the load`,
)
for (const socket of agents) socket.terminate()
await Promise.all([server.program.stop(), bare.program.stop()])
