import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { startBenchCamera } from './agent-camera.js'
import { HOST_NAMES, startBenchHost, type HostName } from './agent-hosts.js'
import { cpuMicros, rssMegabytes, show, spread, table } from './measure.js'
import { startBench, startBuilt } from './programs.js'
import { startUplinkMeter } from './uplink-meter.js'

// What the agent costs its host: memory, share of a core and bytes to the server, at rest and while printing with one camera at
// 0.1 Hz, with each kind of host and camera. The server is real; the hosts are those of the agent's tests, which speak as the real
// ones do. Then two hours in few minutes, by a clock that runs faster: memory must not grow. `BENCH_RUNS`, `BENCH_SECONDS` (of one
// window), `BENCH_CASES` (parts of names, by commas) and `BENCH_GROWTH=0` make it shorter.

const RUNS = Number(process.env['BENCH_RUNS'] ?? 3)
const WINDOW_MS = Number(process.env['BENCH_SECONDS'] ?? 30) * 1000
const WANTED = (process.env['BENCH_CASES'] ?? '').split(',').filter(Boolean)
const SETTLE_MS = 8_000

const Ready = z.object({ ready: z.object({ url: z.string(), token: z.string(), authTokens: z.array(z.string()) }) })

interface Case {
  readonly name: string
  readonly host: HostName
  readonly isPrinting: boolean
  readonly camera: readonly string[]
}

const camera = await startBenchCamera()
const snapshot = [`snapshot_url: ${camera.url}/snapshot`]
const CASES: Case[] = [
  ...HOST_NAMES.flatMap((host) =>
    [false, true].map((isPrinting) => ({
      name: `${host}, ${isPrinting ? 'printing' : 'at rest'}`,
      host,
      isPrinting,
      camera: snapshot,
    })),
  ),
  {
    name: 'octoprint, printing, pictures turned by 90°',
    host: 'octoprint',
    isPrinting: true,
    camera: [...snapshot, 'rotation: 90'],
  },
  {
    name: 'octoprint, printing, pictures scaled to 640',
    host: 'octoprint',
    isPrinting: true,
    camera: [...snapshot, 'max_size: 640'],
  },
  {
    name: 'octoprint, printing, from a stream of 10 a second',
    host: 'octoprint',
    isPrinting: true,
    camera: [`stream_url: ${camera.url}/stream`],
  },
]

const server = startBench('unlimited-server.ts', ['1'])
const { url, token, authTokens } = await server.line((line) =>
  line.startsWith('{"ready"') ? Ready.safeParse(JSON.parse(line)).data?.ready : undefined,
)
const folder = await mkdtemp(join(tmpdir(), 'printwarden-bench-'))

async function writeConfig(serverUrl: string, host: readonly string[], source: readonly string[]): Promise<string> {
  const config = join(folder, 'printwarden-agent.cfg')
  const sections = [
    ['[server]', `url: ${serverUrl}`],
    ['[printer bench]', `auth_token: ${authTokens[0]}`, ...host],
    ['[camera bench bed]', ...source, 'interval: 10'],
  ]
  await writeFile(config, sections.map((lines) => lines.join('\n')).join('\n\n'))
  return config
}

interface Cost {
  readonly rss: number
  readonly core: number
  readonly statusPerHour: number
  readonly picturesPerHour: number
}

async function measure({ host: name, isPrinting, camera: source }: Case): Promise<Cost> {
  const host = await startBenchHost(name, isPrinting)
  const meter = await startUplinkMeter(url)
  const config = await writeConfig(meter.url, host.lines, source)
  const agent = startBuilt('agent', ['run', '--config', config], { PRINTWARDEN_LOG_LEVEL: 'error' })
  if (host.file !== undefined) await order(host.file)
  await sleep(SETTLE_MS + (name === 'camera' && isPrinting ? 30_000 : 0))
  const cpuBefore = cpuMicros(agent.pid)
  const bytesBefore = meter.bytes()
  const startedMs = performance.now()
  let rss = 0
  while (performance.now() - startedMs < WINDOW_MS) {
    await sleep(500)
    rss = Math.max(rss, rssMegabytes(agent.pid))
  }
  const seconds = (performance.now() - startedMs) / 1000
  const bytes = meter.bytes()
  const core = (cpuMicros(agent.pid) - cpuBefore) / (seconds * 10_000)
  await agent.stop()
  await host.stop()
  await meter.stop()
  await rm(join(folder, 'printwarden-agent.state'), { recursive: true, force: true })
  const perHour = (before: number, after: number): number => ((after - before) / seconds) * 3.6
  return {
    rss,
    core,
    statusPerHour: perHour(bytesBefore.status, bytes.status),
    picturesPerHour: perHour(bytesBefore.pictures, bytes.pictures),
  }
}

/** Has the printer print this G-code, as soon as its agent is there. */
async function order(gCode: string): Promise<void> {
  const authorization = `Bearer ${token}`
  const form = new FormData()
  form.append('filename', 'bench.gcode')
  form.append('file', new Blob([gCode]), 'bench.gcode')
  const stored = await fetch(`${url}/api/v1/g_code_files/`, { method: 'POST', headers: { authorization }, body: form })
  const { id } = z.object({ id: z.number() }).parse(await stored.json())
  const givesUp = performance.now() + 60_000
  while (performance.now() < givesUp) {
    const answer = await fetch(`${url}/api/v1/g_code_files/${id}/print/`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ printer_id: 1 }),
    })
    if (z.object({ succeeded: z.boolean() }).parse(await answer.json()).succeeded) return
    await sleep(500)
  }
  throw new Error('the printer does not print')
}

async function growth(): Promise<void> {
  const host = await startBenchHost('virtual', true)
  const config = await writeConfig(url, host.lines, [...snapshot, 'rotation: 90'])
  const agent = startBench('scaled-agent.ts', [config, String(SCALE)])
  const samples: number[] = []
  const startedMs = performance.now()
  while (performance.now() - startedMs < (SIMULATED_MINUTES * 60_000) / SCALE) {
    await sleep(1_000)
    samples.push(rssMegabytes(agent.pid))
  }
  await agent.stop()
  const quarter = (index: number) =>
    spread(samples.slice((samples.length * index) / 4, (samples.length * (index + 1)) / 4))
  const rows = [0, 1, 2, 3].map((index) => [`${index * 30} to ${(index + 1) * 30}`, show(quarter(index), 0)])
  console.log(`\n${SIMULATED_MINUTES} simulated minutes of a print at ${SCALE} times the speed, run from its sources\n`)
  console.log(table(['minutes', 'RSS in MB'], rows))
}
const SIMULATED_MINUTES = 120
const SCALE = 20

console.log(`load at the start: ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores\n`)
const rows: string[][] = []
for (const one of CASES.filter(({ name }) => WANTED.length === 0 || WANTED.some((part) => name.includes(part)))) {
  const runs: Cost[] = []
  for (let run = 0; run < RUNS; run += 1) runs.push(await measure(one))
  const column = (of: (cost: Cost) => number, digits: number) => show(spread(runs.map(of)), digits)
  rows.push([
    one.name,
    column(({ rss }) => rss, 0),
    column(({ core }) => core, 2),
    column(({ statusPerHour }) => statusPerHour, 0),
    column(({ picturesPerHour }) => picturesPerHour, 0),
  ])
  console.error(rows.at(-1)?.join(' | '))
}
console.log(`highest RSS and mean CPU over ${WINDOW_MS / 1000} s; min / median / max of ${RUNS} runs\n`)
console.log(table(['agent', 'RSS in MB', '% of a core', 'kB/h beside pictures', 'kB/h of pictures'], rows))
if (process.env['BENCH_GROWTH'] !== '0') await growth()
console.log(`\nload at the end: ${loadavg()[0]?.toFixed(1)}`)
await camera.stop()
await server.stop()
await rm(folder, { recursive: true, force: true })

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
