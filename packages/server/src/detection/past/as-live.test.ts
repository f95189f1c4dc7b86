import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ActionOnFailure, BacktestResult, type Detection, flagsOf, type StateText } from '@printwarden/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDiskBlobs } from '../../adapters/blobs-disk.js'
import { printerFlow } from '../../printers/flow.js'
import { statusKey } from '../../printers/live-keys.js'
import { type PrinterRow, updatePrinter } from '../../printers/store.js'
import { openTestWorld, type TestWorld } from '../../printers/testing.js'
import { insertPrinterEvent } from '../../prints/events-store.js'
import { findPrint, type PrintRow, updatePrint } from '../../prints/store.js'
import { findSystemCancel } from '../watching/watch-store.js'
import { watchdogFlow } from '../watching/watchdog-flow.js'
import { listAlertsOfPrint, setAlertAnswer } from '../alerts/alerts-store.js'
import { type CameraRow, findOrAddCamera } from '../cameras/cameras-store.js'
import { updateCamera } from '../context/context-store.js'
import type { Detector, Findings } from '../detector.js'
import { type DetectionFlow, detectionFlow } from '../flow.js'
import { setCalibrationOffset } from '../teaching/examples-store.js'
import { backtestFlow } from './backtest-flow.js'

// The look back judges as live frames were judged: prints are watched by the whole live path, with answers, resumes and pauses, and
// judged again by what was kept of them with the same settings. Both must agree, frame by frame and alert by alert.

/** A camera whose printer it is, and what it shows: what the detector finds is in the picture itself. */
const pictureOf = (score: number, detections: readonly Detection[]): Buffer =>
  Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.from(JSON.stringify({ score, detections }))])

const detector: Detector = {
  async detect(bytes): Promise<Findings> {
    const { score, detections } = JSON.parse(Buffer.from(bytes.subarray(4)).toString()) as Findings
    const times = { decodeMs: 0, inferenceMs: 0, drawMs: 0 }
    return { score, detections, model: 'test/1', tagged: null, times }
  },
  ready: () => true,
  close: async () => {},
}

let folder: string
let world: TestWorld
let detection: DetectionFlow
let dog: ReturnType<typeof watchdogFlow>
let printers: ReturnType<typeof printerFlow>
let printer: PrinterRow
let print: PrintRow
let camera: CameraRow
let analysed = 0
let seed = 1

/** A repeatable random number, 0 to 1. */
function random(): number {
  seed = (seed * 16_807) % 2_147_483_647
  return seed / 2_147_483_647
}

beforeEach(async () => {
  world = await openTestWorld()
  folder = await mkdtemp(join(tmpdir(), 'printwarden-as-live-'))
  printer = await world.addPrinter(await world.addUser())
  print = await world.addCurrentPrint(printer, { started_at: world.clock.time })
  world.connectAgent(printer.id)
  analysed = 0
})

afterEach(async () => {
  await detection.close()
  await dog.close()
  printers.close()
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

async function open(smoothing: 'default' | 'upstream', isPrimary: boolean, action: ActionOnFailure, votes: boolean) {
  const blobs = await openDiskBlobs(folder)
  printers = printerFlow(world)
  const deps = { ...world, blobs, detector, printers, smoothing }
  detection = detectionFlow({ ...deps, observe: () => analysed++ })
  dog = watchdogFlow({ ...world, blobs, printers, detection, watch: detection.watch })
  const added = await findOrAddCamera(world.db, { printer_id: printer.id, name: 'side', is_primary: isPrimary }, 0)
  if (added === undefined) throw new Error('no camera')
  await setCalibrationOffset(world.db, added.id, 0.3)
  await updatePrinter(world.db, printer.id, { action_on_failure: action, detective_sensitivity: 1.2 })
  const changes = { detection_enabled: 1, settings: JSON.stringify({ votes_enabled: votes }) }
  camera = (await updateCamera(world.db, added.id, changes)) ?? added
  camera = { ...camera, calibration_offset: 0.3 }
  return backtestFlow({ ...deps, isIdle: () => true, hasJobs: false })
}

async function state(text: StateText): Promise<void> {
  const { time } = world.clock
  const status = { _ts: time / 1000, state: { text, flags: flagsOf(text) } }
  await world.live.put(statusKey(printer.id), status, { ts: time, ttlMs: 120_000 })
}

async function sees(mean: number): Promise<void> {
  world.clock.time += 8_000 + Math.round(random() * 5_000)
  await state('Printing')
  const score = Math.min(0.99, Math.max(0.01, mean + (random() - 0.5) * 0.3))
  const box = (confidence: number): Detection => [
    'failure',
    confidence,
    [200 + random() * 40, 200 + random() * 40, 90.123 + random(), 80.456],
  ]
  const detections = score > 0.2 ? [box(score), box(score * 0.7)] : []
  const ids = { printer_id: printer.id, user_id: 1, camera, print_id: print.id, raw_key: '' }
  const before = analysed
  detection.offer({ ...ids, frame_at: world.clock.time, bytes: pictureOf(score, detections) })
  await expect.poll(() => analysed, { interval: 1, timeout: 20_000 }).toBe(before + 1)
}

const row = async (): Promise<PrintRow> => (await findPrint(world.db, print.id)) ?? print

/** The user lets a paused print go on, as the actions of a printer do it. */
async function resume(): Promise<void> {
  world.clock.time += 60_000
  const { time } = world.clock
  await updatePrint(world.db, print.id, { alert_acknowledged_at: time, alert_overwrite: 'NOT_FAILED' })
  const last = (await listAlertsOfPrint(world.db, print.id)).at(-1)
  const answered = { answer: 'NOT_FAILED', answered_at: time, answered_by: null }
  if (last !== undefined) await setAlertAnswer(world.db, last.id, answered)
  detection.warmUp(printer.id)
  const event = { event_type: 'RESUMED', event_class: 'INFO', event_title: 'Resumed', event_text: '', created_at: time }
  await insertPrinterEvent(world.db, { ...event, user_id: print.user_id, printer_id: printer.id, print_id: print.id })
}

/** A print that looks good, fails, is resumed when it was paused, and fails again. */
async function lives(hasAnswers: boolean): Promise<void> {
  for (const mean of [0.1, 0.5, 0.85, 0.15, 0.9]) {
    const frames = 12 + Math.floor(random() * 14)
    for (let i = 0; i < frames; i++) {
      const before = await row()
      await sees(mean)
      const isPaused = (await row()).auto_paused_at !== before.auto_paused_at
      if (!isPaused) continue
      if (!hasAnswers) return
      await resume()
    }
  }
}

/** The print judged again as it is set. */
async function judgedAgain(backtests: ReturnType<typeof backtestFlow>, isPrimary: boolean) {
  await detection.close()
  const settings = isPrimary ? {} : { camera_id: camera.id }
  return BacktestResult.parse(JSON.parse((await backtests.begin(await row(), settings)).result ?? '{}'))
}

test.each([
  { seed: 11, smoothing: 'default', isPrimary: true, action: 'PAUSE', votes: true },
  { seed: 22, smoothing: 'default', isPrimary: false, action: 'PAUSE', votes: true },
  { seed: 33, smoothing: 'default', isPrimary: true, action: 'NONE', votes: false },
  { seed: 44, smoothing: 'upstream', isPrimary: true, action: 'PAUSE', votes: true },
  { seed: 55, smoothing: 'default', isPrimary: false, action: 'CANCEL', votes: false },
] as const)('seed $seed: $smoothing, primary $isPrimary, $action, votes $votes', async (one) => {
  seed = one.seed
  const backtests = await open(one.smoothing, one.isPrimary, one.action, one.votes)
  await lives(true)
  const result = await judgedAgain(backtests, one.isPrimary)
  expect(result.ts.length).toBeGreaterThan(60)
  expect(result.normalized_p).toEqual(result.actual_normalized_p)
  expect(result.happened.length).toBeGreaterThan(0)
  expect(result.would).toEqual(result.happened)
})

test('a cancel that nobody kept the server from is in both', async () => {
  seed = 66
  const backtests = await open('default', true, 'CANCEL', true)
  await lives(false)
  while ((await findSystemCancel(world.db, printer.id, 0)) === undefined) {
    world.clock.time += 10_000
    await state('Paused')
    await dog.tick()
  }
  await updatePrint(world.db, print.id, { cancelled_at: world.clock.time + 1000, state: 'cancelled' })
  const result = await judgedAgain(backtests, true)
  const [would, happened] = [result.would.at(-1), result.happened.at(-1)]
  expect(result.would.slice(0, -1)).toEqual(result.happened.slice(0, -1))
  expect([would?.outcome, happened?.outcome]).toEqual(['cancelled', 'cancelled'])
  // The watchdog looks every ten seconds.
  expect((happened?.ts ?? 0) - (would?.ts ?? 0)).toBeLessThanOrEqual(10)
  expect((happened?.ts ?? 0) - (would?.ts ?? 0)).toBeGreaterThanOrEqual(0)
})
