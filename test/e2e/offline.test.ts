import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient } from '@printwarden/sdk'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type FaultProxy, openFaultProxy } from '../support/fault-proxy.js'
import type { Program, ServerProgram } from '../support/processes.js'
import {
  ourProgram,
  ROOT,
  runServerCommand,
  sleep,
  startProgram,
  startServer,
  temporaryFolder,
  until,
} from '../support/processes.js'

// An hour without a network, on the whole system: the agent and the server are processes, between them is a proxy that breaks things,
// and the agent is killed in the middle. Its time runs sixty times as fast while it is alone; the clock of the server, which nobody
// talks to meanwhile, is put forward by the same hour. What happened is taken from the agent's own log.

const FASTER_BY = 60
const OUTAGE_MS = 3_600_000

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let proxy: FaultProxy
let agent: Program
let client: Client
let printerId: number
let config: string
/** What agents printed that are no more. */
let logged = ''

const importing = (name: string): string => join(ROOT, 'test/support', name)

beforeAll(async () => {
  folder = await temporaryFolder()
  const clock = { NODE_OPTIONS: `--import=${importing('later.mjs')}`, LATER_BY_MS: String(OUTAGE_MS) }
  server = await startServer({ dataDir: join(folder.path, 'data'), env: clock })
  proxy = await openFaultProxy(Number(new URL(server.url).port))
  const issue = ['token', 'issue', '--user', 'admin@example.test', '--scope', 'read write', '--json']
  const issued = JSON.parse(await runServerCommand(server.url, issue)) as { access_token: string }
  client = createClient({ baseUrl: server.url, token: issued.access_token })
  const printer = await client.createPrinter({ name: 'Virtual' })
  printerId = printer.id
  config = join(folder.path, 'printwarden-agent.cfg')
  await writeFile(
    config,
    `[server]
url: ${proxy.url}

[printer virtual]
auth_token: ${printer.auth_token}
host: virtual
duration: 900
heating: 30
rest: 120
repeat: true

[camera virtual bed]
pictures: generated
interval: 30
`,
  )
  agent = await startTimedAgent(0)
}, 180_000)

afterAll(async () => {
  await agent?.stop()
  await proxy?.close()
  await server?.stop()
  await folder?.remove()
})

afterEach((context) => {
  if (context.task.result?.state !== 'fail') return
  console.log('server:\n', server?.output().slice(-3000), '\nagent:\n', agent?.output().slice(-6000))
})

/** The agent itself, with a clock that runs faster at each second SIGUSR2. */
async function startTimedAgent(aheadMs: number): Promise<Program> {
  const { command, args } = ourProgram('agent')
  const program = startProgram(command, [`--import=${importing('faster.mjs')}`, ...args, 'run', '--config', config], {
    FASTER_BY: String(FASTER_BY),
    AHEAD_BY_MS: String(Math.round(aheadMs)),
  })
  await program.waitFor(/printwarden-agent runs/, 60_000)
  return program
}

interface Happening {
  readonly event: string
  readonly print: number
  readonly atMs: number
}

/** What has happened to prints, by the agent's log. */
function happenings(): Happening[] {
  const lines = `${logged}\n${agent.output()}`.split('\n').filter((line) => line.includes('"print event"'))
  return lines.map((line) => {
    const { event, current_print_ts, time } = JSON.parse(line) as Record<string, string>
    return { event: event ?? '', print: Number(current_print_ts), atMs: Date.parse(time ?? '') }
  })
}

const keptPictures = async (): Promise<string[]> => {
  const names = await readdir(join(folder.path, 'printwarden-agent.state', 'virtual.frames')).catch(() => [])
  return names.filter((name) => name.endsWith('.frame')).map((name) => name.replace('.frame', ''))
}

/** Every frame that ever lay at the server, under the agent's name for it. Frames go when their time-lapse is made. */
function watchFrames(): { seen: Map<string, Set<string>>; stop: () => Promise<void> } {
  const seen = new Map<string, Set<string>>()
  const stopped = new AbortController()
  const watching = (async () => {
    while (!stopped.signal.aborted) {
      const paths = await readdir(join(folder.path, 'data', 'blobs'), { recursive: true }).catch(() => [])
      for (const path of paths) {
        const found = /(prints\/\d+\/frames\/\d+)-([0-9a-f-]{36})\.jpg$/.exec(path)
        if (found?.[1] && found[2]) seen.set(found[2], (seen.get(found[2]) ?? new Set()).add(found[1]))
      }
      await sleep(40)
    }
  })()
  return {
    seen,
    stop: () => {
      stopped.abort()
      return watching
    },
  }
}

const TYPES: Record<string, string> = {
  PrintStarted: 'STARTED',
  PrintDone: 'ENDED',
  PrintFailed: 'ENDED',
  PrintCancelled: 'ENDED',
}

test('an hour without a network, with the agent killed in it: nothing lost, nothing doubled, everything in order', async () => {
  const before = await until(
    'the first print',
    async () => (await client.getPrinter({ id: printerId })).current_print ?? undefined,
  )
  await until('its first picture', async () => (await client.getPrinter({ id: printerId })).pic ?? undefined)

  proxy.set('out')
  let aheadMs = 0
  const runFast = async (forMs: number): Promise<void> => {
    const sinceMs = Date.now()
    process.kill(agent.pid, 'SIGUSR2')
    await sleep(forMs)
    aheadMs += (Date.now() - sinceMs) * (FASTER_BY - 1)
  }
  await runFast(25_000)
  await agent.kill()
  logged = agent.output()
  agent = await startTimedAgent(aheadMs + 1000)
  await runFast(OUTAGE_MS / (FASTER_BY - 1) - 25_000)

  const pictures = await keptPictures()
  expect(pictures.length).toBeGreaterThan(30)
  const offline = happenings()
  // The print that ran, one that the kill ended, and those after it.
  expect(offline.filter(({ event }) => event === 'PrintStarted').length).toBeGreaterThanOrEqual(4)
  expect(offline.filter(({ event }) => event === 'PrintFailed')).toHaveLength(1)

  // It comes back badly: uploads break in the middle, answers get lost, connections are cut.
  process.kill(server.pid, 'SIGUSR2')
  const frames = watchFrames()
  proxy.cutAfter(50_000)
  proxy.set('fair')
  await until('the agent to be back', async () => (await client.getPrinter({ id: printerId })).status !== null, 60_000)
  process.kill(agent.pid, 'SIGUSR2')
  const cuts = proxy.cuts()
  await until('uploads to break', () => proxy.cuts() > cuts + 3, 60_000)
  proxy.cutAfter(undefined)
  const stored = frames.seen.size
  await until('a few pictures', () => frames.seen.size > stored + 3, 60_000)
  proxy.set('no answers')
  await sleep(3000)
  proxy.cut()
  proxy.set('fair')
  await until('all pictures to be delivered', async () => (await keptPictures()).length === 0, 120_000, 100)
  await frames.stop()

  const lost = pictures.filter((id) => !frames.seen.has(id))
  const doubled = pictures.filter((id) => (frames.seen.get(id)?.size ?? 0) > 1)
  expect({ lost, doubled }).toEqual({ lost: [], doubled: [] })

  const told = happenings().filter(({ atMs }) => atMs <= (offline.at(-1)?.atMs ?? 0))
  const events = (await client.listPrinterEvents({ printer_id: printerId, limit: 100 }))
    .toReversed()
    .filter(({ event_type }) => event_type === 'STARTED' || event_type === 'ENDED')
  expect(events.slice(0, told.length).map(({ event_type }) => event_type)).toEqual(
    told.map(({ event }) => TYPES[event] ?? event),
  )
  // Each at the time at which it happened, though it was told up to an hour later. A busy machine makes seconds of the agent's fast time.
  const shifts = told.map(({ atMs }, index) => Date.parse(events[index]?.created_at ?? '') - atMs).slice(1)
  expect(Math.max(...shifts) - Math.min(...shifts)).toBeLessThan(60_000)

  const prints = (await client.listPrints({ sorting: 'date_asc', start: 0, limit: 100 })).slice(
    0,
    new Set(told.map(({ print }) => print)).size,
  )
  expect(prints[0]?.id).toBe(before.id)
  const outcomes = told.filter(({ event }) => event !== 'PrintStarted').map(({ event }) => event)
  const shown = prints.flatMap((print) =>
    print.ended_at === null ? [] : [print.failed_at ? 'PrintFailed' : 'PrintDone'],
  )
  expect(shown.slice(0, outcomes.length)).toEqual(outcomes)
  console.log(
    `${told.length} events of ${prints.length} prints, ${pictures.length} pictures, ${proxy.cuts()} broken connections; times within ${Math.max(...shifts) - Math.min(...shifts)} ms`,
  )
}, 420_000)

test('the time-lapse of the print that the outage came upon has the pictures of the time without a network', async () => {
  const [first] = await client.listPrints({ sorting: 'date_asc', start: 0, limit: 1 })
  if (first === undefined) throw new Error('no print')
  const made = await until(
    'its time-lapse',
    () => /"print_id":\d+.*"frames":(\d+).*time-lapse made/.exec(server.output()) ?? undefined,
    240_000,
  )
  expect(Number(made[1])).toBeGreaterThan(10)
  await until('its address', async () => (await client.getPrint({ id: first.id })).video_url !== null, 60_000)
}, 320_000)
