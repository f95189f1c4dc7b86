import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@printwarden/sdk'
import { dwellGCode, startOctoPrint } from '../test/hosts/octoprint-program.js'
import { klipperGCode, startMoonraker } from '../test/hosts/moonraker-program.js'
import type { Program, ServerProgram } from '../test/support/processes.js'
import { ADMIN, freePort, runServerCommand, sleep, startAgent, startServer } from '../test/support/processes.js'
import { temporaryFolder, until } from '../test/support/processes.js'
import { startBenchCamera } from './agent-camera.js'
import { cpuMicros, rssMegabytes, show, spread, table } from './measure.js'
import { treeCost } from './process-tree.js'

// Real OctoPrint and real Moonraker with Klippy, with the built agent and server: memory and CPU of the agent beside those of its host, how
// long a command takes from the REST call until the host shows it, and how long it takes after a fault until an app sees the printer
// as it is. Needs what the extended tests need (`.ci/install-extended`). `BENCH_RUNS`, `BENCH_SECONDS` and `BENCH_CASES` make it shorter.

const RUNS = Number(process.env['BENCH_RUNS'] ?? 3)
const WINDOW_MS = Number(process.env['BENCH_SECONDS'] ?? 20) * 1000
const WANTED = (process.env['BENCH_CASES'] ?? '').split(',').filter(Boolean)
/** Of each order, in each run. */
const ORDERS = 5
const PRINT_SECONDS = 3600

process.env['PRINTWARDEN_TEST_BUILT'] = '1'

interface Host {
  readonly program: Program
  readonly lines: readonly string[]
  start(): Promise<void>
  isPaused(): Promise<boolean>
  /** Ways in which it fails by itself and is there again without anybody's help. */
  readonly crashes: Readonly<Record<string, () => Promise<void>>>
}

const HOSTS: Readonly<Record<string, (folder: string) => Promise<Host>>> = {
  octoprint: async (folder) => {
    const octoprint = await startOctoPrint(folder)
    return {
      program: octoprint,
      lines: ['host: octoprint', `url: ${octoprint.url}`, `api_key: ${octoprint.apiKey}`],
      start: () => octoprint.print('bench.gcode', dwellGCode(PRINT_SECONDS)),
      isPaused: async () => (await octoprint.state()).startsWith('Paus'),
      crashes: {},
    }
  },
  moonraker: async (folder) => {
    const moonraker = await startMoonraker(folder)
    return {
      program: moonraker,
      lines: ['host: moonraker', `url: ${moonraker.url}`],
      start: () => moonraker.print('bench.gcode', klipperGCode(PRINT_SECONDS)),
      isPaused: async () => (await moonraker.state()) === 'paused',
      crashes: {
        'Moonraker killed, started again a second later': () => moonraker.crash('moonraker'),
        'Klippy killed, started again a second later': () => moonraker.crash('klippy'),
      },
    }
  },
}

const camera = await startBenchCamera()

interface Costs {
  readonly agentRss: number
  readonly agentCore: number
  readonly hostRss: number
  readonly hostCore: number
}

async function costs(agent: Program, host: Host): Promise<Costs> {
  const simulated = /fake-klipper-mcu/
  const before = { agent: cpuMicros(agent.pid), host: treeCost(host.program.pid, simulated).cpuMicros }
  const begun = performance.now()
  let agentRss = 0
  let hostRss = 0
  while (performance.now() - begun < WINDOW_MS) {
    await sleep(1000)
    agentRss = Math.max(agentRss, rssMegabytes(agent.pid))
    hostRss = Math.max(hostRss, treeCost(host.program.pid, simulated).rss)
  }
  const perCent = (micros: number): number => micros / ((performance.now() - begun) * 10)
  return {
    agentRss,
    agentCore: perCent(cpuMicros(agent.pid) - before.agent),
    hostRss,
    hostCore: perCent(treeCost(host.program.pid, simulated).cpuMicros - before.host),
  }
}

/** One kind of host, from its start to its stop: rows of the three tables. */
async function measure(name: string, open: (folder: string) => Promise<Host>) {
  const folder = await temporaryFolder()
  await mkdir(join(folder.path, 'host'))
  const host = await open(join(folder.path, 'host'))
  const port = await freePort()
  const serve = (): Promise<ServerProgram> => startServer({ dataDir: join(folder.path, 'data'), port })
  let server = await serve()
  const issued: unknown = JSON.parse(
    await runServerCommand(server.url, ['token', 'issue', '--user', ADMIN.email, '--scope', 'read write', '--json']),
  )
  const token = typeof issued === 'object' && issued !== null && 'access_token' in issued ? issued.access_token : ''
  const client = createClient({ baseUrl: server.url, token: String(token) })
  const { id, auth_token } = await client.createPrinter({ name: 'Bench' })
  const config = join(folder.path, 'printwarden-agent.cfg')
  const sections = [
    ['[server]', `url: ${server.url}`],
    ['[printer bench]', `auth_token: ${auth_token}`, ...host.lines],
    ['[camera bench bed]', `snapshot_url: ${camera.url}/snapshot`, 'interval: 10'],
  ]
  await writeFile(config, sections.map((lines) => lines.join('\n')).join('\n\n'))
  let agent = startAgent(config)
  const text = async (): Promise<string | undefined> =>
    (await client.getPrinter({ id }).catch(() => undefined))?.status?.state.text
  const shows = (state: string): Promise<true> =>
    until(`the state ${state}`, async () => (await text()) === state, 120_000, 20)

  await shows('Operational')
  const rest: Costs[] = []
  const printing: Costs[] = []
  await sleep(3000)
  for (let run = 0; run < RUNS; run += 1) rest.push(await costs(agent, host))
  await host.start()
  await shows('Printing')
  await sleep(12_000)
  for (let run = 0; run < RUNS; run += 1) printing.push(await costs(agent, host))

  const pauses: number[] = []
  const resumes: number[] = []
  for (let order = 0; order < ORDERS * RUNS; order += 1) {
    pauses.push(
      await timed(
        () => client.pausePrint({ id }),
        () => host.isPaused(),
      ),
    )
    await shows('Paused')
    resumes.push(
      await timed(
        () => client.resumePrint({ id }),
        async () => !(await host.isPaused()),
      ),
    )
    await shows('Printing')
    await sleep(1000)
  }

  const faults = new Map<string, number[]>()
  async function recover(fault: string, work: () => Promise<void>, state: string): Promise<void> {
    const begun = performance.now()
    await work()
    await shows(state)
    faults.set(fault, [...(faults.get(fault) ?? []), performance.now() - begun])
    await sleep(1000)
  }
  for (let run = 0; run < RUNS; run += 1) {
    await agent.kill()
    await until('the printer to be away', async () => (await text()) === undefined, 30_000, 20)
    await recover('agent killed; from its start', async () => void (agent = startAgent(config)), 'Printing')
    await server.kill()
    await recover('server killed; from its start', async () => void (server = await serve()), 'Printing')
  }
  for (const [fault, crash] of Object.entries(host.crashes)) {
    await recover(
      fault,
      async () => {
        await crash()
        await until('the loss to be told', async () => (await text()) === 'Offline', 60_000, 20)
      },
      fault.startsWith('Klippy') ? 'Operational' : 'Printing',
    )
  }
  await agent.stop()
  await server.stop()
  await host.program.stop()
  await folder.remove()

  const column = (runs: readonly Costs[], of: (cost: Costs) => number, digits: number): string =>
    show(spread(runs.map(of)), digits)
  const costRow = (what: string, runs: readonly Costs[]): string[] => [
    `${name}, ${what}`,
    column(runs, ({ agentRss }) => agentRss, 0),
    column(runs, ({ hostRss }) => hostRss, 0),
    column(runs, ({ agentCore }) => agentCore, 2),
    column(runs, ({ hostCore }) => hostCore, 2),
  ]
  return {
    costs: [costRow('at rest', rest), costRow('printing', printing)],
    orders: [
      [`${name}, pause`, show(spread(pauses), 0)],
      [`${name}, resume`, show(spread(resumes), 0)],
    ],
    faults: [...faults].map(([fault, times]) => [`${name}: ${fault}`, show(spread(times), 0)]),
  }
}

/** Milliseconds from the call until the host shows what was asked for; it is asked every 10 ms. */
async function timed(call: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<number> {
  const begun = performance.now()
  await call()
  await until('the order to show', isDone, 60_000, 10)
  return performance.now() - begun
}

console.log(`load at the start: ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores\n`)
const all: Awaited<ReturnType<typeof measure>>[] = []
for (const [name, open] of Object.entries(HOSTS)) {
  if (WANTED.length === 0 || WANTED.includes(name)) all.push(await measure(name, open))
}
console.log(`highest RSS and mean CPU over ${WINDOW_MS / 1000} s; min / median / max of ${RUNS} runs\n`)
const head = ['host', 'agent, RSS in MB', 'host, RSS in MB', 'agent, % of a core', 'host, % of a core']
console.log(
  table(
    head,
    all.flatMap((one) => one.costs),
  ),
)
console.log('\nfrom the REST call until the host shows it, in ms\n')
console.log(
  table(
    ['order', 'min / median / max'],
    all.flatMap((one) => one.orders),
  ),
)
console.log('\nafter a fault, until the server shows the printer as it is, in ms\n')
console.log(
  table(
    ['fault', 'min / median / max'],
    all.flatMap((one) => one.faults),
  ),
)
console.log(`\nload at the end: ${loadavg()[0]?.toFixed(1)}`)
await camera.stop()
