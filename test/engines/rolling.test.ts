import type { PrinterEvent } from '@printwarden/sdk'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Fleet } from '../support/fleet.js'
import { recordLive } from '../support/live-recorder.js'
import { until } from '../support/processes.js'
import type { SteadyPrinter } from '../support/steady-printer.js'

// Every node of a fleet is stopped and started again, one after another, while printers begin and end prints, send pictures, and obey
// commands. Printers keep books of what happened to them; afterwards the server's books must say the same.

const PRINTERS = 10
const NODES = ['web-1', 'web-2', 'detector-1', 'detector-2', 'jobs-1']
/** A printer obeys at once, so a command that is not done by then has missed the agent's deadline to answer. */
const DEADLINE_MS = 30_000
const PATIENCE_MS = 240_000
/** Less than for a node to start, so that a printer that stands still says itself what it waits for. */
const WORKER_PATIENCE_MS = 120_000

let fleet: Fleet
let picture: Uint8Array<ArrayBuffer>

beforeAll(async () => {
  picture = new Uint8Array(await readFile(new URL('../../packages/server/models/self-test.jpg', import.meta.url)))
  fleet = await Fleet.open()
  await Promise.all([
    fleet.start('web-1', 'web'),
    fleet.start('web-2', 'web'),
    fleet.start('detector-1', 'detector'),
    fleet.start('detector-2', 'detector'),
    fleet.start('jobs-1', 'jobs'),
  ])
  await fleet.signIn()
  for (const name of NODES) {
    await until(`${name} to be ready`, async () => (await fleet.ready(name)).status === 200, PATIENCE_MS, 500)
  }
}, 600_000)

afterAll(() => fleet?.close(), 120_000)

/** One command, from the request to its end. */
interface Sent {
  readonly cmd: string
  readonly id: string
  readonly succeeded: boolean
  readonly status: string
  readonly tookMs: number
}

/** A printer at work, steered by somebody, until told to stop. */
class Worker {
  readonly sent: Sent[] = []
  /** The prints that were begun, by file name, and how each ended. */
  readonly prints = new Map<string, string>()
  isOver = false

  constructor(
    readonly id: number,
    readonly name: string,
    readonly printer: SteadyPrinter,
  ) {}

  async work(): Promise<void> {
    for (let number = 1; !this.isOver; number++) await this.print(`${this.name}-${number}.gcode`)
  }

  async print(filename: string): Promise<void> {
    const { printer } = this
    printer.begin(filename)
    const isShown = async (): Promise<boolean> =>
      (await fleet.client.getPrinter({ id: this.id })).current_print?.filename === filename
    await until(`${filename} to be shown`, isShown, WORKER_PATIENCE_MS, 250)
    await printer.show(picture)
    await this.command('pause')
    await this.command('resume')
    await printer.show(picture)
    if (this.prints.size % 3 === 2) {
      await this.command('cancel')
      this.prints.set(filename, 'cancelled')
    } else {
      printer.end('PrintDone')
      this.prints.set(filename, 'finished')
    }
    const isIdle = async (): Promise<boolean> => (await fleet.client.getPrinter({ id: this.id })).current_print === null
    await until(`${filename} to have ended`, isIdle, WORKER_PATIENCE_MS, 250)
  }

  async command(cmd: 'pause' | 'resume' | 'cancel'): Promise<void> {
    const send = {
      pause: () => fleet.client.pausePrint({ id: this.id }),
      resume: () => fleet.client.resumePrint({ id: this.id }),
      cancel: () => fleet.client.cancelPrint({ id: this.id }),
    }[cmd]
    const begun = performance.now()
    const { succeeded, command_id: id } = await send()
    const command = await until(
      `the end of ${cmd} of ${this.name}`,
      async () => {
        const one = await fleet.client.getCommand({ id: this.id, command_id: id ?? '' })
        return one.status === 'sent' || one.status === 'acked' ? undefined : one
      },
      WORKER_PATIENCE_MS,
      100,
    )
    this.sent.push({ cmd, id: id ?? '', succeeded, status: command.status, tookMs: performance.now() - begun })
  }
}

/** Events of a print as users see them, from the first to the last. */
async function storyOf(printId: number): Promise<string[]> {
  const events: PrinterEvent[] = await fleet.client.listPrinterEvents({ print_id: printId })
  return events.map(({ event_type }) => event_type).toReversed()
}

const STORY_OF: Readonly<Record<string, string>> = {
  PrintStarted: 'STARTED',
  PrintPaused: 'PAUSED',
  PrintResumed: 'RESUMED',
  PrintDone: 'ENDED',
  PrintCancelled: 'ENDED',
}

test('every node is restarted under load: no command fails, no event is lost, no print is doubled, dashboards come back', async () => {
  const workers: Worker[] = []
  for (let number = 1; number <= PRINTERS; number++) {
    const name = `rolling-${number}`
    const { id, printer } = await fleet.addPrinter(name)
    workers.push(new Worker(id, name, printer))
  }
  const [watched] = workers
  if (watched === undefined) throw new Error('no printer')
  // Nobody pauses but who is asked to: what the pictures show must not get in the way of the commands that are counted.
  for (const { id } of workers) await fleet.client.updatePrinter({ id, action_on_failure: 'NONE' })
  const live = recordLive(fleet.client, watched.id)
  await until('the dashboard', () => live.states().length > 0, PATIENCE_MS)
  const working = Promise.all(workers.map((worker) => worker.work()))
  // Whatever is waited for, a worker that fails is why it does not come.
  const failed = working.then(() => new Promise<never>(() => {}))
  failed.catch(() => {})

  for (const name of NODES) {
    const before = workers.map(({ sent }) => sent.length)
    const isDrained = () => workers.every(({ sent }, index) => sent.length > (before[index] ?? 0))
    const code = await Promise.race([fleet.restart(name, isDrained), failed])
    expect([name, code]).toEqual([name, 0])
    const restarted = workers.map(({ sent }) => sent.length)
    await until(`${name} to be ready again`, async () => (await fleet.ready(name)).status === 200, PATIENCE_MS, 500)
    // The next one only when every printer has been commanded since.
    const isBusy = () => workers.every(({ sent }, index) => sent.length > (restarted[index] ?? 0))
    await Promise.race([until('commands to go on', isBusy, PATIENCE_MS), working])
  }
  for (const worker of workers) worker.isOver = true
  await working

  const sent = workers.flatMap((worker) => worker.sent)
  const slowest = Math.max(...sent.map(({ tookMs }) => tookMs))
  console.log(`${sent.length} commands during ${NODES.length} restarts; the slowest took ${Math.round(slowest)} ms`)
  expect(
    sent.filter(({ succeeded, status, tookMs }) => !succeeded || status !== 'done' || tookMs > DEADLINE_MS),
  ).toEqual([])

  for (const { id, printer, prints, sent: commands } of workers) {
    // Each command was carried out, and once.
    expect(printer.commands).toEqual(commands.map((command) => command.id))
    expect(printer.events.filter(({ isAcknowledged }) => !isAcknowledged)).toEqual([])
    const listed = await fleet.client.listPrints({ 'filter_by_printer_ids[]': [id] })
    const outcomes = listed.map(
      ({ filename, finished_at: finished, cancelled_at: cancelled }) =>
        `${filename} ${finished !== null ? 'finished' : cancelled !== null ? 'cancelled' : 'running'}`,
    )
    const known = [...prints].map(([filename, outcome]) => `${filename} ${outcome}`)
    expect(outcomes.length).toBe(known.length)
    expect(new Set(outcomes)).toEqual(new Set(known))
    const begun = [...new Set(printer.events.map(({ print }) => print))]
    const ordered = listed.toSorted((a, b) => a.id - b.id)
    for (const [index, print] of ordered.entries()) {
      const happened = printer.events.filter((event) => event.print === begun[index])
      const story = (await storyOf(print.id)).filter((type) => Object.values(STORY_OF).includes(type))
      expect([print.filename, story]).toEqual([print.filename, happened.map(({ type }) => STORY_OF[type])])
    }
  }

  // The dashboard that was open all the while shows what happens now.
  watched.printer.begin('last.gcode')
  const seen = live.states().length
  await until(
    'the dashboard to go on',
    () =>
      live
        .states()
        .slice(seen - 1)
        .includes('Printing'),
    PATIENCE_MS,
  )
  live.close()
  expect(workers.every(({ printer }) => printer.connections > 1)).toBe(true)
}, 1_200_000)
