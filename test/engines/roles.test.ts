import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { failingShots, film, fineShots, type Picture, stopFilming } from '../support/filming.js'
import { Fleet } from '../support/fleet.js'
import { ourProgram, startProgram, until } from '../support/processes.js'
import type { SteadyPrinter } from '../support/steady-printer.js'

// Roles in processes of their own on a real PostgreSQL and Redis: two that take requests, two that look at pictures with the shipped
// model, one that does jobs. Each kind is killed while printers print.

const PATIENCE_MS = 240_000
const TEST_MS = 600_000

let fleet: Fleet
let failing: readonly Picture[]
let fine: readonly Picture[]

beforeAll(async () => {
  failing = await failingShots()
  fine = await fineShots()
  fleet = await Fleet.open()
  await fleet.start('web-1', 'web')
  await fleet.signIn()
}, 300_000)

afterEach(() => stopFilming())

afterAll(() => fleet?.close(), 120_000)

/** A printer at which the server looks closely. */
async function addPrinter(name: string, url?: string) {
  const added = await fleet.addPrinter(name, url)
  await fleet.client.updatePrinter({ id: added.id, detective_sensitivity: 3 })
  return added
}

const analysedAt = async (id: number): Promise<number> =>
  Date.parse((await fleet.client.getPrinter({ id })).watching.last_analysed_at ?? '') || 0

/** Until pictures of this printer that were taken after now have been looked at. */
async function awaitLooks(what: string, id: number): Promise<void> {
  const now = Date.now()
  await until(what, async () => (await analysedAt(id)) > now, PATIENCE_MS, 500)
}

/** Until the print that runs was alerted about and paused by the server, and the printer obeyed. */
async function awaitAlert(what: string, id: number, printer: SteadyPrinter): Promise<void> {
  await until(
    what,
    async () => {
      const { current_print: print } = await fleet.client.getPrinter({ id })
      return print?.alerted_at != null && print.paused_at != null && printer.state === 'Paused'
    },
    PATIENCE_MS,
    500,
  )
}

test(
  'without a detector nobody watches, and everybody is told',
  async () => {
    const { status, text } = await fleet.ready('web-1')
    expect(status).toBe(503)
    expect(text).toMatch(/"missing":\["detector"\].*No detector is there: .*PRINTWARDEN_ROLES/)
    const { id } = await addPrinter('Unwatched')
    const printer = await fleet.client.getPrinter({ id })
    expect(printer.not_watching_code).toBe('detector_unavailable')
    expect(printer.not_watching_reason).toMatch(/No detector is there/)
  },
  TEST_MS,
)

test(
  'the other roles join, and open no doors but the probes',
  async () => {
    await Promise.all([
      fleet.start('web-2', 'web'),
      fleet.start('detector-1', 'detector'),
      fleet.start('detector-2', 'detector'),
      fleet.start('jobs-1', 'jobs'),
    ])
    for (const name of ['web-1', 'web-2', 'detector-1', 'detector-2', 'jobs-1']) {
      await until(`${name} to be ready`, async () => (await fleet.ready(name)).status === 200, PATIENCE_MS, 500)
    }
    expect((await fleet.ready('jobs-1')).text).not.toContain('detector')
    for (const name of ['detector-1', 'jobs-1']) {
      const { url } = fleet.node(name).program
      expect((await fetch(`${url}/healthz`)).status).toBe(200)
      expect(await (await fetch(`${url}/metrics`)).text()).toContain('process_cpu_seconds_total')
      for (const path of ['/', '/login/', '/api/v1/printers/', '/openapi.json', '/o/token/', '/hc/', '/p/?img=x']) {
        expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 404])
      }
      for (const path of ['/ws/agent/', '/ws/live/', '/ws/dev/']) {
        const refused = new Promise((resolve) => {
          const socket = new WebSocket(url.replace('http', 'ws') + path)
          socket.once('open', () => resolve('let in'))
          socket.once('error', (error) => resolve(error.message))
        })
        expect(await refused).toMatch(/404/)
      }
    }
    expect(fleet.node('jobs-1').program.output()).not.toMatch(/detector ready/)
  },
  TEST_MS,
)

test(
  'a process that works for others and cannot meet them does not start',
  async () => {
    const { command, args } = ourProgram('server')
    const program = startProgram(command, args, { PRINTWARDEN_ROLES: 'detector', PRINTWARDEN_DATA_DIR: fleet.folder })
    expect(await program.ended).toBe(2)
    expect(program.output()).toMatch(
      /PRINTWARDEN_ROLES: a process without "web" works for others: .*PRINTWARDEN_REDIS_URL/,
    )
  },
  TEST_MS,
)

test(
  'a failing print at one web node is seen by the detectors, alerted about and paused',
  async () => {
    const { id, printer } = await addPrinter('Failing', fleet.node('web-1').program.url)
    printer.begin('fails.gcode')
    const stop = film(printer, failing)
    await awaitAlert('the alert through the detectors', id, printer)
    await stop()
    // Told once, and by one node, although pictures and requests go to both.
    const events = await fleet.client.listPrinterEvents({ printer_id: id })
    expect(events.filter(({ event_type }) => event_type === 'FAILURE_ALERTED')).toHaveLength(1)
  },
  TEST_MS,
)

test(
  'pictures that reach another web node than the agent are judged where the agent is',
  async () => {
    const { id, printer } = await addPrinter('Spread', fleet.node('web-1').program.url)
    printer.begin('spread.gcode')
    const isShown = async () => (await fleet.client.getPrinter({ id })).current_print !== null
    await until('the print', isShown, PATIENCE_MS, 250)
    const judged = (name: string) => fleet.metric(name, 'printwarden_detection_frames_total{outcome="analysed"}')
    const before = [await judged('web-1'), await judged('web-2')]
    printer.picturesTo = fleet.node('web-2').program.url
    const stop = film(printer, fine)
    await awaitLooks('a look at a picture of the second node', id)
    await stop()
    expect(await judged('web-1')).toBeGreaterThan(before[0] ?? 0)
    expect(await judged('web-2')).toBe(before[1])
  },
  TEST_MS,
)

test(
  'a detector that is killed costs a picture at most: the other one goes on, and alerts still come',
  async () => {
    const { id, printer } = await addPrinter('Survivor')
    printer.begin('survives.gcode')
    const stopFine = film(printer, fine)
    await awaitLooks('the first looks', id)
    await fleet.kill('detector-1')
    await awaitLooks('looks after a detector was killed', id)
    await until(
      'the loss to be noticed',
      () => /a detector was not heard of any more/.test(fleet.node('web-1').program.output()),
      PATIENCE_MS,
    )
    await stopFine()
    const stopFailing = film(printer, failing)
    await awaitAlert('the alert with one detector', id, printer)
    await stopFailing()
    await fleet.start('detector-1')
  },
  TEST_MS,
)

test(
  'a web node that is killed: its agents go to the other one, and their prints are watched there',
  async () => {
    const { id, printer } = await addPrinter('Moving')
    printer.begin('moves.gcode')
    const stopFine = film(printer, fine)
    await awaitLooks('the first looks', id)
    await fleet.kill('web-1')
    await awaitLooks('looks at the other node', id)
    expect((await fleet.client.getPrinter({ id })).current_print?.filename).toBe('moves.gcode')
    await stopFine()
    const stopFailing = film(printer, failing)
    await awaitAlert('the alert at the other node', id, printer)
    await stopFailing()
    expect(printer.events.every(({ isAcknowledged }) => isAcknowledged)).toBe(true)
    await fleet.start('web-1')
  },
  TEST_MS,
)

test(
  'a jobs node that is killed: another one makes the time-lapse',
  async () => {
    const { id, printer } = await addPrinter('Filmed')
    printer.begin('filmed.gcode')
    const stop = film(printer, fine, 300)
    await until('pictures', () => printer.pictures > 15, PATIENCE_MS)
    await stop()
    const printId = await until(
      'the print',
      async () => (await fleet.client.getPrinter({ id })).current_print?.id,
      PATIENCE_MS,
    )
    printer.end('PrintDone')
    const timelapse = async () => (await fleet.client.getPrint({ id: printId })).timelapse
    await until('the job to be taken', async () => (await timelapse())?.state !== 'waiting', PATIENCE_MS, 20)
    await fleet.kill('jobs-1')
    await fleet.start('jobs-2', 'jobs')
    await until('the time-lapse', async () => (await timelapse())?.state === 'done', PATIENCE_MS, 500)
    const { video_url } = await fleet.client.getPrint({ id: printId })
    expect((await fetch(video_url ?? '')).status).toBe(200)
    await fleet.start('jobs-1')
  },
  TEST_MS,
)
