import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flagsOf, type PrinterEvent, type StateText } from '@printwarden/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDiskBlobs } from '../adapters/blobs-disk.js'
import { memoryBus } from '../adapters/bus-memory.js'
import { memoryLiveStore } from '../adapters/live-memory.js'
import { openTestDatabase } from '../adapters/testing.js'
import { ApiError } from '../errors.js'
import type { BlobStore, Bus, Database, LiveStore, Log } from '../ports.js'
import { advanceCommand, findLastSystemPause } from '../printers/commands-store.js'
import { printerFlow } from '../printers/flow.js'
import { type LivePic, picKey, statusKey } from '../printers/live-keys.js'
import { agentSubject, type PrinterNotice, printerSubject, type ToAgent } from '../printers/notices.js'
import { findPrinter, insertPrinter, setCurrentPrint, updatePrinter } from '../printers/store.js'
import { listPrinterEvents } from '../prints/events-store.js'
import { findPrint, insertPrint, listPredictions, type PrintRow, updatePrint } from '../prints/store.js'
import { type CameraRow, findOrAddCamera, listCameras } from './cameras/cameras-store.js'
import { type Detector, DetectorError, type Findings } from './detector.js'
import { type DetectionFlow, detectionFlow } from './flow.js'
import { latestLooks } from './latest-looks-flow.js'
import type { Looks, WantedLook } from './looks.js'
import { newPrinter } from './smoothing/smoothing.js'
import type { SmoothingKind } from './smoothing/smoothing-state.js'

const START = 1_795_000_000_000
const JPEG = Buffer.from('ffd8ffe000104a464946', 'hex')
const TAGGED = Buffer.from('ffd8ffe0ffff', 'hex')

/** A detector that finds what the picture says: its third byte from the end is the score in percent. */
class FakeDetector implements Detector {
  isReady = true
  looked = 0
  /** Resolves once a picture may be answered; replaced to hold a picture back. */
  gate: (picture: Uint8Array) => Promise<void> = async () => {}

  async detect(picture: Uint8Array): Promise<Findings> {
    this.looked++
    await this.gate(picture)
    const percent = picture.at(-1) ?? 0
    if (percent === 255) throw new DetectorError('invalid_image', 'broken')
    const score = percent / 100
    return {
      score,
      detections: score > 0.08 ? [['failure', score, [320, 240, 100.123, 50]]] : [],
      model: 'fake/1',
      tagged: score > 0.2 ? TAGGED : null,
      times: { decodeMs: 1, inferenceMs: 2, drawMs: 0 },
    }
  }

  ready(): boolean {
    return this.isReady
  }

  async close(): Promise<void> {}
}

function pictureOf(score: number): Buffer {
  return Buffer.concat([JPEG, Buffer.of(Math.round(score * 100))])
}

let folder: string
let now: number
let database: Database
let blobs: BlobStore
let bus: Bus
let live: LiveStore
let detector: FakeDetector
let detection: DetectionFlow
let analysed: number
let logged: { level: string; text: string }[]

const clock = { now: () => now }
const log: Log = {
  error: (_, text) => logged.push({ level: 'error', text }),
  warn: (_, text) => logged.push({ level: 'warn', text }),
  info: () => {},
  debug: () => {},
}

function openFlow(smoothing: SmoothingKind = 'default', looks?: Looks): DetectionFlow {
  const deps = { database, blobs, bus, live, clock, log, detector, looks }
  const printers = printerFlow(deps)
  // Commands are ended by `answerPause`: the timer that does it otherwise knows nothing of this file's clock.
  const send: typeof printers.send = async (...command) => {
    const sent = await printers.send(...command)
    printers.close()
    return sent
  }
  return detectionFlow({ ...deps, printers: { ...printers, send }, smoothing, observe: () => analysed++ })
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'printwarden-detection-'))
  now = START
  analysed = 0
  logged = []
  database = await openTestDatabase(folder)
  blobs = await openDiskBlobs(join(folder, 'blobs'))
  bus = memoryBus(log)
  live = memoryLiveStore(clock)
  detector = new FakeDetector()
  detection = openFlow()
  const user = { email: 'owner@example.com', password_hash: '-', date_joined: START, unsub_token: '-' }
  await database.db
    .insertInto('users')
    .values({ ...user, id: 1 })
    .execute()
})

afterEach(async () => {
  await detection.close()
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

async function addCamera(printer_id: number, name: string, is_primary: boolean): Promise<CameraRow> {
  const camera = await findOrAddCamera(database.db, { printer_id, name, is_primary }, START)
  if (camera === undefined) throw new Error('there are too many cameras')
  return camera
}

/** A printer with a running print, as the rest of the server sees it. */
class Watched {
  readonly notices: PrinterNotice[] = []
  readonly commands: ToAgent[] = []
  /** What its agent tells in each status beside the state. */
  told: Record<string, unknown> = {}
  /** Takes what is sent to its agent; undefined when no agent is connected. */
  disconnect: (() => void) | undefined

  constructor(
    readonly id: number,
    public printId: number,
    readonly camera: CameraRow,
  ) {
    bus.subscribe(printerSubject(id), (notice) => void this.notices.push(notice as PrinterNotice))
    this.connect()
  }

  static async add(): Promise<Watched> {
    const token = { auth_token_encrypted: '-', auth_token_hash: `hash-${Math.random()}` }
    const printer = await insertPrinter(database.db, { user_id: 1, name: 'Printer', created_at: START, ...token })
    const watched = new Watched(printer.id, 0, await addCamera(printer.id, '', true))
    await watched.startPrint(1)
    return watched
  }

  connect(): void {
    this.disconnect = bus.subscribe(agentSubject(this.id), (command) => {
      this.commands.push(command as ToAgent)
      return true
    })
  }

  async startPrint(current_print_ts: number): Promise<void> {
    const print = await insertPrint(database.db, {
      printer_id: this.id,
      user_id: 1,
      current_print_ts,
      state: 'running',
      filename: 'cube.gcode',
      started_at: now,
    })
    this.printId = print.id
    await setCurrentPrint(database.db, this.id, print.id)
    await this.state('Printing')
  }

  async state(text: StateText): Promise<void> {
    const status = { _ts: now / 1000, state: { text, flags: flagsOf(text) }, ...this.told }
    await live.put(statusKey(this.id), status, { ts: now, ttlMs: 120_000 })
  }

  /** A frame of the primary camera, unless it is another one's. */
  frame(score: number, { camera = this.camera, ...changes }: { camera?: CameraRow; [field: string]: unknown } = {}) {
    const raw_key = `printers/${this.id}/pic/${now}.jpg`
    return {
      camera,
      printer_id: this.id,
      user_id: 1,
      print_id: this.printId,
      raw_key,
      frame_at: now,
      bytes: pictureOf(score),
      ...changes,
    }
  }

  /** Sends `count` frames ten seconds apart, each after the one before was analysed. */
  async sees(score: number, count: number, seconds = 10): Promise<void> {
    for (let i = 0; i < count; i++) {
      now += seconds * 1000
      await this.state('Printing')
      const before = analysed
      detection.offer(this.frame(score))
      await expect.poll(() => analysed, { interval: 1, timeout: 5000 }).toBe(before + 1)
    }
  }

  async print(): Promise<PrintRow> {
    const print = await findPrint(database.db, this.printId)
    if (print === undefined) throw new Error('the print is gone')
    return print
  }

  async alerts() {
    const events = await listPrinterEvents(database.db, 1, { printId: this.printId }, { start: 0, limit: 50 })
    return events.filter(({ event_type }) => event_type === 'FAILURE_ALERTED').toReversed()
  }

  pauses(): ToAgent[] {
    return this.commands.filter((command) => command.type === 'command' && command.cmd === 'pause')
  }

  /** What became of the last pause, as the agent and the printer's state would tell. */
  async answerPause(status: 'failed' | 'done'): Promise<void> {
    const last = await findLastSystemPause(database.db, this.id)
    if (last === undefined) throw new Error('nothing was paused')
    await advanceCommand(database.db, last.id, ['sent', 'acked'], { status })
  }

  gauges(): number[] {
    return this.notices.flatMap((notice) => (notice.type === 'gauge' ? [notice.normalized_p] : []))
  }

  pics(): (LivePic | null)[] {
    return this.notices.flatMap((notice) => (notice.type === 'pic' ? [notice.pic] : []))
  }

  events(): PrinterEvent[] {
    return this.notices.flatMap((notice) => (notice.type === 'event' ? [notice.event] : []))
  }
}

/** Waits until what was begun before has come through the database and the bus. */
async function settled(): Promise<void> {
  for (let i = 0; i < 30; i++) await database.ping()
  await new Promise((resolve) => setImmediate(resolve))
}

/** Waits until no picture is being looked at, nor asked about whether it is to be. */
async function idle(): Promise<void> {
  await expect.poll(() => detection.isIdle(), { interval: 1 }).toBe(true)
}

test('a failure that stays raises the gauge, is told, and pauses the print once', async () => {
  const printer = await Watched.add()
  await printer.sees(0.1, 6)
  await printer.sees(0.9, 12)

  const gauges = printer.gauges()
  expect(Math.max(...gauges.slice(0, 6))).toBeLessThan(0.1)
  expect(gauges.slice(8, 14)).toEqual(gauges.slice(8, 14).toSorted((a, b) => a - b))
  expect(gauges.at(-1)).toBeGreaterThan(2 / 3)

  expect(printer.pauses()).toHaveLength(1)
  expect(printer.pauses()[0]).toMatchObject({
    initiator: 'system',
    args: { retract: 6.5, lift_z: 2.5, tools_off: true },
  })
  const print = await printer.print()
  expect(print.paused_at).toBe(print.auto_paused_at)
  expect(print.alerted_at).toBe(print.paused_at)
  // Ten seconds apart: at most a minute and a half after the first picture that shows it.
  expect((print.paused_at ?? 0) - (START + 70_000)).toBeLessThanOrEqual(90_000)

  const alerts = await printer.alerts()
  expect(alerts.map(({ event_class, event_title }) => [event_class, event_title])).toEqual([
    ['WARNING', 'Possible failure'],
    ['ERROR', 'Failure detected, print paused'],
  ])
  expect(printer.events().map(({ id }) => id)).toEqual(alerts.map(({ id }) => id))
  const kept = await blobs.get(alerts[1]?.image_key ?? '')
  expect(kept && Buffer.from(kept.bytes).equals(TAGGED)).toBe(true)
  expect(alerts[1]?.image_key).toMatch(new RegExp(`^prints/${printer.printId}/alerts/\\d+\\.jpg$`))
})

test('two bad frames in a row do nothing', async () => {
  const printer = await Watched.add()
  await printer.sees(0.1, 6)
  await printer.sees(1, 2)
  await printer.sees(0.1, 6)
  expect(Math.max(...printer.gauges())).toBeLessThan(1 / 3)
  expect(await printer.alerts()).toEqual([])
})

test('after the user has answered, it looks afresh, tells again, and pauses only when allowed to', async () => {
  const printer = await Watched.add()
  await printer.sees(0.9, 12)
  expect(printer.pauses()).toHaveLength(1)

  await updatePrint(database.db, printer.printId, { alert_acknowledged_at: now })
  detection.warmUp(printer.id)
  await expect.poll(() => printer.gauges().at(-1)).toBe(0)
  await printer.sees(0.9, 8)
  expect(await printer.alerts()).toHaveLength(2)
  await printer.sees(0.9, 4)
  expect((await printer.alerts()).at(-1)?.event_title).toBe('Failure detected again')
  expect(printer.pauses()).toHaveLength(1)

  await updatePrint(database.db, printer.printId, { rearmed_at: now, alert_acknowledged_at: now })
  const rearmedAt = now
  await printer.sees(0.9, 8)
  expect(printer.pauses()).toHaveLength(1)
  await printer.sees(0.9, 4)
  expect(printer.pauses()).toHaveLength(2)
  const print = await printer.print()
  expect((print.auto_paused_at ?? 0) - rearmedAt).toBeGreaterThanOrEqual(90_000)
  expect(print.paused_at).toBeLessThan(print.auto_paused_at ?? 0)
  await printer.sees(0.9, 12)
  expect(printer.pauses()).toHaveLength(2)
})

test('a muted print is not looked at, and is again once that is taken back', async () => {
  const printer = await Watched.add()
  await updatePrint(database.db, printer.printId, { alert_muted_at: now })
  detection.offer(printer.frame(0.9))
  await idle()
  expect(detector.looked).toBe(0)
  await updatePrint(database.db, printer.printId, { alert_muted_at: null })
  await printer.sees(0.9, 12)
  expect(printer.pauses()).toHaveLength(1)
})

test('a print that is muted while the detector looks is left alone', async () => {
  const printer = await Watched.add()
  detector.gate = async () => {
    await updatePrint(database.db, printer.printId, { alert_muted_at: now })
  }
  await printer.sees(0.9, 1)
  expect(printer.gauges()).toEqual([])
  expect(await listPredictions(database.db, printer.printId)).toEqual([])
})

test.each([
  { name: 'watching is off', prepare: (id: number) => updatePrinter(database.db, id, { watching_enabled: 0 }) },
  { name: 'nothing is printed', prepare: (id: number) => setCurrentPrint(database.db, id, null) },
  { name: 'the printer is offline', prepare: (id: number) => live.remove(statusKey(id)) },
  {
    name: 'the printer is deleted',
    prepare: (id: number) => database.db.deleteFrom('printers').where('id', '=', id).execute(),
  },
  { name: 'the detector is not available', prepare: async () => void (detector.isReady = false) },
])('pictures are not looked at when $name', async ({ prepare }) => {
  const printer = await Watched.add()
  await prepare(printer.id)
  detection.offer(printer.frame(0.9))
  await idle()
  expect(detector.looked).toBe(0)
  expect(detection.ready()).toBe(detector.isReady)
})

test('pictures of a paused printer and of an earlier print are not looked at', async () => {
  const printer = await Watched.add()
  detection.offer(printer.frame(0.9, { print_id: printer.printId + 1 }))
  await idle()
  await printer.state('Paused')
  detection.offer(printer.frame(0.9))
  await idle()
  expect(detector.looked).toBe(0)
})

test('without action on failure the print is told about and goes on', async () => {
  const printer = await Watched.add()
  await updatePrinter(database.db, printer.id, { action_on_failure: 'NONE' })
  await printer.sees(0.95, 20)
  expect(printer.pauses()).toEqual([])
  expect(await printer.alerts()).toHaveLength(1)
  expect(await printer.print()).toMatchObject({ paused_at: null, auto_paused_at: null })
})

test('a printer that is watched by picture alone is never told to pause, whatever it is set to', async () => {
  const printer = await Watched.add()
  printer.told = { watched_by: 'picture' }
  await printer.sees(0.95, 20)
  expect(printer.pauses()).toEqual([])
  expect((await printer.alerts()).length).toBeGreaterThan(0)
  expect(await printer.print()).toMatchObject({ paused_at: null, auto_paused_at: null })
})

test('without an agent the alert stands, says so, and the pause is tried again', async () => {
  const printer = await Watched.add()
  printer.disconnect?.()
  await printer.sees(0.95, 14)
  expect(await printer.print()).toMatchObject({ paused_at: null, auto_paused_at: null })
  const titles = async (): Promise<(string | null)[]> => (await printer.alerts()).map(({ event_title }) => event_title)
  // A warning came first and stands unanswered, so that the pause failed is not told on top of it.
  expect(await titles()).toEqual(['Possible failure'])

  printer.connect()
  await printer.sees(0.95, 2)
  expect(printer.pauses()).toHaveLength(1)
  expect(await titles()).toEqual(['Possible failure', 'Failure detected, print paused'])
  expect((await printer.print()).auto_paused_at).not.toBeNull()
})

test('a pause that the printer refuses is tried again until it obeys, and told once', async () => {
  const printer = await Watched.add()
  await printer.sees(0.95, 14)
  expect(printer.pauses()).toHaveLength(1)
  const told = (await printer.alerts()).length
  const first = await printer.print()

  await printer.answerPause('failed')
  await printer.sees(0.95, 1)
  expect(printer.pauses()).toHaveLength(2)
  expect(await printer.alerts()).toHaveLength(told)
  const again = await printer.print()
  expect(again.paused_at).toBe(first.paused_at)
  expect(again.auto_paused_at).toBeGreaterThan(first.auto_paused_at ?? 0)

  // This time it obeyed; that the user resumes it is the user's business.
  await printer.answerPause('done')
  await printer.sees(0.95, 20)
  expect(printer.pauses()).toHaveLength(2)
})

test('an alert that could not pause the print says so', async () => {
  const printer = await Watched.add()
  printer.disconnect?.()
  // So bad that it is failing at once: pictures two minutes apart.
  await printer.sees(0.95, 3, 120)
  expect((await printer.alerts()).map(({ event_title }) => event_title)).toEqual(['Failure detected, print not paused'])
  expect(await printer.print()).toMatchObject({ paused_at: null, auto_paused_at: null })
})

test('each analysed frame becomes a prediction, the last ones when the server stops', async () => {
  const printer = await Watched.add()
  await printer.sees(0.5, 3)
  await detection.close()
  const rows = await listPredictions(database.db, printer.printId)
  expect(rows.map(({ current_frame_num, frame_at }) => [current_frame_num, frame_at])).toEqual([
    [1, START + 10_000],
    [2, START + 20_000],
    [3, START + 30_000],
  ])
  expect(rows[2]).toMatchObject({ current_p: 0.5, detector: 'fake/1', sensitivity: 1 })
  expect(JSON.parse(rows[2]?.detections ?? '')).toEqual([['failure', 0.5, [320, 240, 100.1, 50]]])
})

test('a prediction of a print that is deleted meanwhile does not take the others along', async () => {
  const [gone, stays] = [await Watched.add(), await Watched.add()]
  await gone.sees(0.5, 1)
  await stays.sees(0.5, 1)
  await database.db.deleteFrom('prints').where('id', '=', gone.printId).execute()
  await detection.close()
  expect(await listPredictions(database.db, stays.printId)).toHaveLength(1)
  expect(logged).toContainEqual({ level: 'warn', text: 'predictions could not be written' })
})

test('the tagged picture is shown, unless a newer one came; older ones go', async () => {
  const printer = await Watched.add()
  await blobs.put(`printers/${printer.id}/tagged/1.jpg`, TAGGED, 'image/jpeg')
  await printer.sees(0.5, 5)
  expect(await live.get(picKey(printer.id))).toEqual({
    key: `printers/${printer.id}/tagged/${now}.jpg`,
    raw_key: `printers/${printer.id}/pic/${now}.jpg`,
    ts: now / 1000,
  })
  expect(printer.pics()).toHaveLength(5)
  const kept = await Promise.all(
    [1, START + 10_000, START + 20_000, START + 30_000, START + 50_000].map((at) =>
      blobs.get(`printers/${printer.id}/tagged/${at}.jpg`),
    ),
  )
  expect(kept.map((blob) => blob !== undefined)).toEqual([false, false, false, true, true])

  const newer: LivePic = { key: 'newer', raw_key: 'newer', ts: (now + 15_000) / 1000 }
  await live.put(picKey(printer.id), newer, { ts: now + 15_000, ttlMs: 60_000 })
  await printer.sees(0.5, 1)
  expect(await live.get(picKey(printer.id))).toEqual(newer)
  expect(printer.pics()).toHaveLength(5)
})

test('a picture without findings is shown as it came', async () => {
  const printer = await Watched.add()
  await printer.sees(0.05, 1)
  expect(printer.pics()).toEqual([])
})

test('a restart keeps what was learned and seen', async () => {
  const printer = await Watched.add()
  await printer.sees(0.3, 200)
  await printer.sees(0.9, 4)
  const before = printer.gauges().at(-1) ?? 0
  await detection.close()
  const row = await findPrinter(database.db, printer.id)
  live = memoryLiveStore(clock)
  detection = openFlow()
  await printer.sees(0.9, 1)
  expect(printer.gauges().at(-1)).toBeGreaterThan(before)
  expect(JSON.parse(row?.smoothing ?? '{}')).toMatchObject({ current_frame_num: 204, print_id: printer.printId })
})

test('a server that was killed is told again within half a minute of frames', async () => {
  const printer = await Watched.add()
  await printer.sees(0.3, 20, 2)
  const row = await findPrinter(database.db, printer.id)
  expect(JSON.parse(row?.smoothing ?? '{}').current_frame_num).toBeGreaterThanOrEqual(5)
})

test('a new print starts with an empty gauge', async () => {
  const printer = await Watched.add()
  await printer.sees(0.9, 12)
  await updatePrint(database.db, printer.printId, { state: 'cancelled', cancelled_at: now })
  await setCurrentPrint(database.db, printer.id, null)
  detection.reset(printer.id)
  await expect.poll(() => printer.gauges().at(-1)).toBe(0)
  now += 1000
  await printer.startPrint(2)
  detection.reset(printer.id)
  await printer.sees(0.1, 1)
  expect(await printer.print()).toMatchObject({ alerted_at: null })
  await detection.close()
  const [row] = await listPredictions(database.db, printer.printId)
  expect(row).toMatchObject({ current_frame_num: 1, lifetime_frame_num: 13 })
})

test('a picture that cannot be read is left out, and said once', async () => {
  const printer = await Watched.add()
  for (let i = 0; i < 3; i++) {
    now += 10_000
    detection.offer(printer.frame(2.55))
    await idle()
  }
  expect(detector.looked).toBe(3)
  expect(logged).toEqual([{ level: 'warn', text: 'a snapshot was left out' }])
  await printer.sees(0.1, 1)
})

test('while the detector is busy only the newest picture of each printer waits', async () => {
  const [first, second] = [await Watched.add(), await Watched.add()]
  const seen: number[] = []
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  detector.gate = async (picture) => {
    seen.push(picture.at(-1) ?? 0)
    await opened
  }
  const sorted = (): number[] => seen.toSorted((a, b) => a - b)
  detection.offer(first.frame(0.01))
  detection.offer(second.frame(0.02))
  await expect.poll(sorted).toEqual([1, 2])
  for (const percent of [11, 12, 13]) {
    now += 1000
    detection.offer(first.frame(percent / 100))
  }
  detection.offer(second.frame(0.21))
  await settled()
  expect(sorted()).toEqual([1, 2])
  open()
  await expect.poll(() => analysed).toBe(4)
  expect(sorted()).toEqual([1, 2, 13, 21])
  expect(detection.dropped()).toBe(2)
})

test('a test picture is as old as pictures that cameras took just now, so that it does not give way before them', async () => {
  await detection.close()
  const offered: WantedLook[] = []
  detection = openFlow('default', { ...latestLooks(detector), offer: (wanted) => void offered.push(wanted) })
  const printer = await Watched.add()
  detection.offer(printer.frame(0.01))
  const tested = detection.test(printer.camera.id, pictureOf(0.02))
  expect(offered.map(({ at }) => at)).toEqual([now, now])
  await offered.at(-1)?.ended({ type: 'dropped' })
  await expect(tested).rejects.toMatchObject({ code: 'unavailable' })
})

test("one printer's slow pause does not hold up another printer", async () => {
  const [slow, quick] = [await Watched.add(), await Watched.add()]
  slow.disconnect?.()
  let answer: (taken: boolean) => void = () => {}
  bus.subscribe(agentSubject(slow.id), () => new Promise((resolve) => (answer = resolve)))
  await slow.sees(0.95, 2, 120)
  now += 120_000
  await slow.state('Printing')
  detection.offer(slow.frame(0.95))
  await quick.sees(0.95, 3)
  expect(quick.gauges()).toHaveLength(3)
  expect((await slow.print()).auto_paused_at).toBeNull()
  answer(true)
  await expect.poll(async () => (await slow.print()).auto_paused_at).not.toBeNull()
})

test('a full disk does not stop the pause', async () => {
  const printer = await Watched.add()
  blobs.put = () => Promise.reject(new Error('no space left on device'))
  await printer.sees(0.95, 12)
  expect(printer.pauses()).toHaveLength(1)
  expect((await printer.alerts()).at(-1)).toMatchObject({
    image_key: null,
    event_title: 'Failure detected, print paused',
  })
})

test.each([
  { name: 'is away', commits: false },
  { name: 'is lost before it has answered', commits: true },
])('a database that $name when the print is paused: the alert is there in the end, once', async ({ commits }) => {
  const transaction = database.transaction.bind(database)
  const printer = await Watched.add()
  let failures = 0
  database.transaction = async (work) => {
    if (printer.pauses().length === 0 || failures === 1) return transaction(work)
    failures += 1
    if (commits) await transaction(work)
    throw new ApiError('unavailable', 'The database cannot be reached.')
  }
  await printer.sees(0.95, 12)
  await expect.poll(async () => (await printer.alerts()).length, { timeout: 5000 }).toBe(2)
  expect(failures).toBe(1)
  expect((await printer.print()).auto_paused_at).not.toBeNull()
  expect(printer.pauses()).toHaveLength(1)
})

test('a server that stops does not wait for a database that is away', async () => {
  const transaction = database.transaction.bind(database)
  const printer = await Watched.add()
  let failures = 0
  database.transaction = (work) => {
    if (printer.pauses().length === 0) return transaction(work)
    failures += 1
    return Promise.reject(new ApiError('unavailable', 'The database cannot be reached.'))
  }
  // The frame that pauses the print is never done with.
  const seen = printer.sees(0.95, 12).catch(() => undefined)
  await expect.poll(() => failures, { timeout: 20_000 }).toBe(2)
  await detection.close()
  // Tried once more, at once.
  expect(failures).toBe(3)
  await seen
})

test('what two nodes have found at once is told once', async () => {
  const transaction = database.transaction.bind(database)
  const printer = await Watched.add()
  let others = 0
  database.transaction = async (work) => {
    if (printer.pauses().length === 0 || others > 0) return transaction(work)
    others += 1
    // The other node's record is there a moment before this one's.
    await transaction(work)
    return transaction(work)
  }
  await printer.sees(0.95, 12)
  expect(others).toBe(1)
  expect((await printer.alerts()).length).toBe(2)
  expect(printer.notices.filter(({ type }) => type === 'event')).toHaveLength(1)
})

test("upstream's smoothing pauses a print too, from what the printer's row remembers", async () => {
  await detection.close()
  detection = openFlow('upstream')
  const printer = await Watched.add()
  const experienced = { ...newPrinter('upstream'), lifetime_frame_num: 9000, rolling_mean_long: 0.02 }
  await updatePrinter(database.db, printer.id, { smoothing: JSON.stringify(experienced) })
  await printer.sees(0.02, 60)
  await printer.sees(0.95, 10)
  expect(printer.pauses()).toHaveLength(1)
  expect((await printer.alerts()).map(({ event_class }) => event_class)).toEqual(['WARNING', 'ERROR'])
})

test('after it is closed it takes no more frames', async () => {
  const printer = await Watched.add()
  await detection.close()
  detection.offer(printer.frame(0.9))
  await idle()
  expect(detector.looked).toBe(0)
})

test('each camera has a memory of its own, the gauge is that of the worst, and the alert names the camera', async () => {
  const printer = await Watched.add()
  const nozzle = await addCamera(printer.id, 'Nozzle', false)
  for (let i = 0; i < 30; i++) {
    now += 10_000
    await printer.state('Printing')
    for (const frame of [printer.frame(0.02), printer.frame(0.95, { camera: nozzle })]) {
      const before = analysed
      detection.offer(frame)
      await expect.poll(() => analysed, { interval: 1, timeout: 5000 }).toBe(before + 1)
    }
  }
  expect(Math.max(...printer.gauges())).toBeGreaterThan(0.6)
  const [alert] = await printer.alerts()
  expect(alert?.event_text).toContain('Seen by the camera "Nozzle".')
  expect(printer.pauses()).toHaveLength(1)
  await detection.close()
  const [primary, other] = await listCameras(database.db, printer.id)
  const row = await findPrinter(database.db, printer.id)
  expect(JSON.parse(row?.smoothing ?? '{}')).toMatchObject({ current_frame_num: 30, current_p: 0.02 })
  expect(JSON.parse(other?.smoothing ?? '{}')).toMatchObject({ current_frame_num: 30, current_p: 0.95 })
  expect(primary?.smoothing).toBeNull()
  expect(await listPredictions(database.db, printer.printId)).toHaveLength(30)
})
