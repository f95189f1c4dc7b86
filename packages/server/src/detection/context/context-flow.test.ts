import type { CameraSettings } from '@printwarden/protocol'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openOnnxDetector, SHIPPED_MODEL } from '../../adapters/detector-onnx.js'
import { openTestWorld, type TestWorld } from '../../printers/testing.js'
import { type PrintRow, updatePrint } from '../../prints/store.js'
import { type CameraRow, findOrAddCamera } from '../cameras/cameras-store.js'
import { type ContextFlow, contextFlow } from './context-flow.js'
import { findLearned, updateCamera } from './context-store.js'
import { insertAlert } from '../alerts/alerts-store.js'
import { offsetOf, withCalibration } from '../teaching/calibration.js'
import type { Detector } from '../detector.js'
import type { Level } from '../smoothing/smoothing-state.js'

// A tangle that lies beside the bed and is no failure of this print, seen by the real detector: it fires, and each part of the context
// keeps it from that by itself, while a tangle on the bed still fires.

const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} }
const OFF = {
  ignore_regions_enabled: false,
  tiles: 'off',
  baseline_enabled: false,
  prototypes_enabled: false,
  clean_bed_enabled: false,
} as const

let detector: Detector
let world: TestWorld
beforeAll(async () => {
  world = await openTestWorld()
  detector = openOnnxDetector(SHIPPED_MODEL, log)
  await vi.waitFor(() => expect(detector.ready()).toBe(true), { timeout: 60_000, interval: 50 })
}, 70_000)
afterAll(async () => {
  await detector.close()
  await world.close()
})

let contexts: ContextFlow
let camera: CameraRow
let print: PrintRow
let now = 0
const clock = { now: () => now }

beforeEach(async () => {
  now = 1_795_000_000_000
  const printer = await world.addPrinter(await world.addUser())
  print = await world.addCurrentPrint(printer, { started_at: now })
  const added = await findOrAddCamera(world.db, { printer_id: printer.id, name: '', is_primary: true }, now)
  if (added === undefined) throw new Error('the camera was not added')
  camera = added
  contexts = contextFlow({ database: world.database, clock, log, isElsewhere: () => false })
})

async function use(settings: Partial<CameraSettings>): Promise<void> {
  const text = JSON.stringify({ ...OFF, ...settings })
  camera = (await updateCamera(world.db, camera.id, { settings: text })) ?? camera
}

/** Loops of filament around a place of the picture, in pixels. */
function tangle(x: number, y: number, loops: number, reach: number): string {
  const at = (i: number, turn: number): number => Math.sin(i * turn) * reach * (0.4 + 0.6 * ((i * 0.618) % 1))
  const points = Array.from({ length: loops }, (_, i) => `${x + at(i, 2.4)},${y + at(i, 1.7) * 0.8}`)
  return `<path d="M${x},${y} T${points.join(' T')}" fill="none" stroke="#f4f1e6" stroke-width="2"/>`
}

const SCRAPS = tangle(80, 90, 150, 60)
const FAILURE = tangle(350, 300, 400, 120)

/** A printer with scraps beside its bed; `things` is drawn over it. */
async function picture(things: string, brightness = 1): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480"><rect width="640" height="480" fill="#3a3f44"/>
    <rect x="150" y="150" width="400" height="290" fill="#1d1f22"/><path d="M0,40H640" stroke="#555b60" stroke-width="6"/>
    <rect x="560" y="60" width="60" height="300" fill="#2b4a6b"/>${SCRAPS}${things}</svg>`
  return sharp(Buffer.from(svg)).blur(0.6).linear(brightness, 0).jpeg().toBuffer()
}

/** One frame's whole way, but for smoothing: what it is judged, after ten more seconds. */
async function judge(bytes: Buffer, level: Level = 'fine') {
  now += 10_000
  const frame = {
    printer_id: print.printer_id,
    user_id: 1,
    camera,
    print_id: print.id,
    raw_key: '',
    frame_at: now,
    bytes,
  }
  const findings = await detector.detect(bytes, contexts.look(camera))
  const weighed = await contexts.weigh(frame, print, findings)
  await contexts.learn(frame, print, findings, weighed.score, level)
  return weighed
}

test('without any context the scraps look like a failure', async () => {
  await use({})
  const weighed = await judge(await picture(''))
  expect(weighed.score).toBeGreaterThan(0.8)
  expect(weighed.parts).toEqual([])
})

test('a region that is ignored is silent, and a failure elsewhere fires', async () => {
  const ignore_regions: CameraSettings['ignore_regions'] = [
    [
      [0, 0],
      [0.35, 0],
      [0.35, 0.45],
      [0, 0.45],
    ],
  ]
  await use({ ignore_regions, ignore_regions_enabled: true })
  const scraps = await judge(await picture(''))
  expect(scraps.score).toBeLessThan(0.2)
  expect(scraps.detections).toEqual([])
  expect(scraps.parts[0]?.name).toBe('ignore_regions')
  expect((await judge(await picture(FAILURE))).score).toBeGreaterThan(0.5)
})

test('a crop to the bed does not see them', async () => {
  await use({ bed_crop: { x: 0.25, y: 0.3, width: 0.6, height: 0.65 } })
  expect((await judge(await picture(''))).score).toBeLessThan(0.2)
  const failing = await judge(await picture(FAILURE))
  expect(failing.score).toBeGreaterThan(0.5)
  // The tangle is around (350, 300) of the whole picture.
  const [, , [x = 0, y = 0] = []] = failing.detections[0] ?? []
  expect(x).toBeGreaterThan(200)
  expect(y).toBeGreaterThan(150)
})

test('what was there before the print is silent, also in other light; a failure fires', async () => {
  await use({ clean_bed_enabled: true })
  expect((await judge(await picture(''))).score).toBeLessThan(0.1)
  const part = '<rect x="300" y="260" width="90" height="80" fill="#b33"/>'
  for (const brightness of [1, 0.7, 1.2]) expect((await judge(await picture(part, brightness))).score).toBeLessThan(0.4)
  const failing = await judge(await picture(FAILURE))
  expect(failing.score).toBeGreaterThan(0.5)
  const [told] = failing.parts
  expect(told).toMatchObject({ name: 'clean_bed', after: failing.score })
})

/** A picture of the camera while its printer does nothing. */
async function idle(bytes: Buffer): Promise<void> {
  now += 120_000
  await contexts.learnIdle(camera, await detector.detect(bytes, contexts.look(camera)), now)
}

test('what was there before the print is known from the time before, also when nobody saw its first frames', async () => {
  await use({ clean_bed_enabled: true })
  await idle(await picture(''))
  // A lamp that was off for a moment: such a picture shows nothing, and the one before stays.
  await idle(await picture('', 0.01))
  const started_at = now + 60_000
  print = (await updatePrint(world.db, print.id, { started_at })) ?? { ...print, started_at }
  contexts = contextFlow({ database: world.database, clock, log, isElsewhere: () => false })
  now += 3_600_000
  const part = '<rect x="300" y="260" width="90" height="80" fill="#b33"/>'
  const weighed = await judge(await picture(part))
  expect(weighed.score).toBeLessThan(0.4)
  expect(weighed.parts).toMatchObject([{ name: 'clean_bed', after: weighed.score }])
  expect((await judge(await picture(FAILURE))).score).toBeGreaterThan(0.5)
  expect((await contexts.learnedOf(camera.id)).clean_bed.taken_at).not.toBeNull()
})

test('what is only there since the print began is no clean bed', async () => {
  await use({ clean_bed_enabled: true })
  await idle(await picture(''))
  await updatePrint(world.db, print.id, { started_at: now - 3_600_000 })
  print = { ...print, started_at: now - 3_600_000 }
  expect((await judge(await picture(''))).parts).toMatchObject([{ unused: 'no_reference' }])
})

test('a print that began long before its first picture has no such reference, and says so', async () => {
  await use({ clean_bed_enabled: true })
  now += 3_600_000
  const { parts, score } = await judge(await picture(''))
  expect(parts).toEqual([{ name: 'clean_bed', before: score, after: score, unused: 'no_reference' }])
  expect((await contexts.learnedOf(camera.id)).clean_bed).toEqual({ taken_at: null, unused: 'no_reference' })
})

test('once the user has said that it is none, it is silent through a restart; a failure fires', async () => {
  await use({ baseline_enabled: true })
  expect((await judge(await picture(''), 'failing')).score).toBeGreaterThan(0.8)
  await updatePrint(world.db, print.id, { alert_overwrite: 'NOT_FAILED', alert_acknowledged_at: now })
  await contexts.settle(print.printer_id)
  await contexts.close()
  contexts = contextFlow({ database: world.database, clock, log, isElsewhere: () => false })
  const scraps = await judge(await picture(''))
  expect(scraps.score).toBeLessThan(0.5)
  expect(scraps.parts).toMatchObject([{ name: 'baseline', after: scraps.score }])
  expect((await judge(await picture(FAILURE))).score).toBeGreaterThan(0.5)
})

/** An alert of the print, with what its user said about it. */
async function alertAnswered(answer: 'FAILED' | 'NOT_FAILED'): Promise<number> {
  const ids = { user_id: 1, printer_id: print.printer_id, print_id: print.id, camera_id: camera.id }
  const alert = await insertAlert(world.db, {
    ...{
      ...ids,
      frame_at: now,
      created_at: now,
      outcome: 'paused',
      score: 0.9,
      normalized_p: 0.9,
      detections: '[]',
      evidence: '{}',
    },
    ...{ raw_key: null, image_key: null, command_id: null, answer, answered_at: now, answered_by: null },
  })
  await updatePrint(world.db, print.id, { alert_overwrite: answer, alert_acknowledged_at: now })
  await contexts.settle(print.printer_id)
  return alert.id
}

test('an answer that is taken back has taught nothing, also after a restart', async () => {
  await use({ baseline_enabled: true, prototypes_enabled: true })
  const before = await judge(await picture(''), 'failing')
  const alertId = await alertAnswered('NOT_FAILED')
  expect((await judge(await picture(''))).score).toBeLessThan(0.5)
  await contexts.close()
  contexts = contextFlow({ database: world.database, clock, log, isElsewhere: () => false })
  await contexts.correct(print.printer_id, alertId, null)
  expect(await contexts.learnedOf(camera.id)).toMatchObject({
    baseline: { hours: 0 },
    prototypes: { failures: 0, not_failures: 0 },
  })
  const after = await judge(await picture(''), 'failing')
  expect(after.score).toBeCloseTo(before.score, 2)
})

test('the opposite answer takes the place of the first', async () => {
  await use({ baseline_enabled: true, prototypes_enabled: true })
  await judge(await picture(''), 'failing')
  const alertId = await alertAnswered('NOT_FAILED')
  await contexts.correct(print.printer_id, alertId, 'FAILED')
  expect((await contexts.learnedOf(camera.id)).prototypes).toMatchObject({ failures: 1, not_failures: 0 })
  const weighed = await judge(await picture(''), 'failing')
  expect(weighed.parts.find(({ name }) => name === 'prototypes')?.after).toBeGreaterThan(0.8)
  await contexts.correct(print.printer_id, alertId, 'NOT_FAILED')
  expect((await contexts.learnedOf(camera.id)).prototypes).toMatchObject({ failures: 0, not_failures: 1 })
  expect((await judge(await picture(''))).score).toBeLessThan(0.5)
})

test('an answer counts twice, as a picture and for the camera, and a plain failure still fires', async () => {
  await use({ prototypes_enabled: true })
  for (let i = 0; i < 5; i++) {
    await judge(await picture(''), 'failing')
    await alertAnswered('NOT_FAILED')
  }
  const scores = Array.from({ length: 5 }, () => ({ score: 0.95, answer: 'NOT_FAILED' }) as const)
  const offset = offsetOf(scores)
  expect(offset).toBeLessThan(0)
  const scraps = withCalibration(await judge(await picture('')), offset)
  expect(scraps.parts.map(({ name }) => name)).toEqual(['prototypes', 'calibration'])
  const [byPicture, byCamera] = scraps.parts
  expect(byPicture?.after).toBeLessThan(byPicture?.before ?? 0)
  expect(byCamera?.before).toBe(byPicture?.after)
  expect(byCamera?.after).toBeLessThan(byCamera?.before ?? 0)
  expect(byCamera?.after).toBe(scraps.score)
  const failing = withCalibration(await judge(await picture(FAILURE)), offset)
  expect(failing.score).toBeGreaterThan(0.5)
})

test('an answer is about what was seen before it, not about what comes later', async () => {
  await use({ baseline_enabled: true })
  await updatePrint(world.db, print.id, { alert_overwrite: 'NOT_FAILED', alert_acknowledged_at: now })
  await judge(await picture(FAILURE), 'failing')
  await contexts.settle(print.printer_id)
  expect((await judge(await picture(FAILURE), 'failing')).score).toBeGreaterThan(0.8)
  expect(await contexts.learnedOf(camera.id)).toMatchObject({ baseline: { hours: 0 }, prototypes: { not_failures: 0 } })
})

test('frames that fail are never learned from, however many', async () => {
  await use({ baseline_enabled: true, prototypes_enabled: true })
  const bytes = await picture(FAILURE)
  for (let i = 0; i < 5; i++) await judge(bytes, 'failing')
  expect(await contexts.learnedOf(camera.id)).toMatchObject({
    baseline: { hours: 0, pending_hours: 0 },
    prototypes: { clean_hours: 0 },
  })
})

test('what is learned is written now and then, and gone when it is forgotten', async () => {
  await use({ baseline_enabled: true, clean_bed_enabled: true, prototypes_enabled: true })
  const { db } = world
  const bytes = await picture('')
  await judge(bytes)
  expect(await findLearned(db, camera.id)).toBeUndefined()
  now += 11 * 60_000
  await judge(bytes)
  expect((await findLearned(db, camera.id))?.learned.length).toBeGreaterThan(1000)
  await contexts.forget(camera.id)
  expect(await findLearned(db, camera.id)).toBeUndefined()
  expect(await contexts.learnedOf(camera.id)).toMatchObject({ baseline: { map: [] }, clean_bed: { taken_at: null } })
})

/** Two servers with the same records; the printer's agent is connected to `home`. */
function twoServers() {
  const at = { home: 'one' }
  const server = (name: string) =>
    contextFlow({ database: world.database, clock, log, isElsewhere: () => at.home !== name })
  return { at, one: server('one'), two: server('two') }
}

const notFailures = async (flow: ContextFlow) => (await flow.learnedOf(camera.id)).prototypes.not_failures

test('what another server has learned meanwhile counts, and is never overwritten by what was known before', async () => {
  await use({ baseline_enabled: true, prototypes_enabled: true })
  const { at, one, two } = twoServers()
  contexts = one
  await judge(await picture(''))
  await one.leave(print.printer_id)
  // A frame that was still on its way.
  await judge(await picture(''))

  now += 60_000
  at.home = 'two'
  contexts = two
  await two.arrive(print.printer_id)
  await judge(await picture(''), 'failing')
  await alertAnswered('NOT_FAILED')
  expect(await notFailures(two)).toBe(1)
  expect(await notFailures(one)).toBe(1)
  const kept = await findLearned(world.db, camera.id)
  await one.close()
  expect(await findLearned(world.db, camera.id)).toEqual(kept)

  now += 60_000
  await two.leave(print.printer_id)
  at.home = 'one'
  contexts = one
  await one.arrive(print.printer_id)
  expect((await judge(await picture(''))).score).toBeLessThan(0.5)
  expect(await notFailures(one)).toBe(1)
})

test('what a server did not hear of in time is dropped when it is to be written', async () => {
  await use({ prototypes_enabled: true })
  const { at, one, two } = twoServers()
  for (contexts of [one, two]) await judge(await picture(''), 'failing')
  at.home = 'two'
  await alertAnswered('NOT_FAILED')
  now += 11 * 60_000
  contexts = one
  await judge(await picture(''))
  expect(await notFailures(one)).toBe(1)
  expect(await notFailures(two)).toBe(1)
})

test('what is learned at home stands against what another server writes late', async () => {
  await use({ prototypes_enabled: true })
  const { at, one, two } = twoServers()
  for (contexts of [one, two]) await judge(await picture(''), 'failing')
  at.home = 'two'
  now += 60_000
  await one.leave(print.printer_id)
  now += 60_000
  await alertAnswered('NOT_FAILED')
  expect(await notFailures(two)).toBe(1)
  expect(await notFailures(one)).toBe(1)
})

test('an agent that comes back to the same server finds what was known, also what its user may still answer', async () => {
  await use({ prototypes_enabled: true })
  const { one } = twoServers()
  contexts = one
  await judge(await picture(''), 'failing')
  await one.leave(print.printer_id)
  now += 60_000
  await one.arrive(print.printer_id)
  await alertAnswered('NOT_FAILED')
  expect(await notFailures(one)).toBe(1)
})

test('a grey frame is followed by one in tiles, and clear ones only now and then', async () => {
  await use({ tiles: 'auto', clean_bed_enabled: true })
  const looks: (boolean | undefined)[] = []
  for (let i = 0; i < 12; i++) {
    looks.push(contexts.look(camera).tiles)
    await judge(await picture(''))
  }
  expect(looks.filter((tiles) => tiles === true)).toHaveLength(2)
})
