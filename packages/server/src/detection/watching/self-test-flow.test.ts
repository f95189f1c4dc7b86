import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CameraSettings } from '@printwarden/protocol'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openDiskBlobs } from '../../adapters/blobs-disk.js'
import { openOnnxDetector, SHIPPED_MODEL } from '../../adapters/detector-onnx.js'
import { printerFlow } from '../../printers/flow.js'
import { updatePrinter } from '../../printers/store.js'
import { openTestWorld, type TestWorld } from '../../printers/testing.js'
import { type CameraRow, findOrAddCamera, listCameras } from '../cameras/cameras-store.js'
import { updateCamera } from '../context/context-store.js'
import type { Detector } from '../detector.js'
import { type DetectionFlow, detectionFlow } from '../flow.js'
import { setCalibrationOffset } from '../teaching/examples-store.js'
import { SELF_TEST_ERRORS } from './self-test.js'
import { selfTestFlow } from './self-test-flow.js'

// The self-test with the real detector: it sees what the camera's settings leave, and follows it to the alert.

const PICTURE = await readFile(new URL('../../../models/self-test.jpg', import.meta.url))
const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} }

let detector: Detector
let world: TestWorld
let detection: DetectionFlow
let camera: CameraRow
let folder: string

beforeAll(async () => {
  world = await openTestWorld()
  detector = openOnnxDetector(SHIPPED_MODEL, log)
  await vi.waitFor(() => expect(detector.ready()).toBe(true), { timeout: 60_000, interval: 50 })
  folder = await mkdtemp(join(tmpdir(), 'printwarden-self-test-'))
  const blobs = await openDiskBlobs(folder)
  detection = detectionFlow({ ...world, blobs, log, detector, printers: printerFlow(world), smoothing: 'default' })
}, 70_000)
afterAll(async () => {
  await detection.close()
  await detector.close()
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

beforeEach(async () => {
  const printer = await world.addPrinter(await world.addUser())
  const added = await findOrAddCamera(world.db, { printer_id: printer.id, name: '', is_primary: true }, 0)
  if (added === undefined) throw new Error('the camera was not added')
  camera = added
})

/** Runs the test on a camera that is set like this. */
async function tested(settings: Partial<CameraSettings>) {
  await updateCamera(world.db, camera.id, { settings: JSON.stringify(settings) })
  const [row = camera] = await listCameras(world.db, camera.printer_id)
  return selfTestFlow({ ...world, log, picture: PICTURE, detection, watch: detection.watch }).run(row)
}

type Region = CameraSettings['ignore_regions'][number]
const box = (left: number, top: number, right: number, bottom: number): Region => [
  [left, top],
  [right, top],
  [right, bottom],
  [left, bottom],
]

test.each<[string, Partial<CameraSettings>]>([
  ['nothing set', {}],
  ['a region over one half', { ignore_regions: [box(0, 0, 0.5, 1)] }],
  ['a region over the other half', { ignore_regions: [box(0.5, 0, 1, 1)] }],
  ['a region over all that is turned off', { ignore_regions: [box(0, 0, 1, 1)], ignore_regions_enabled: false }],
  ['a bed in a corner', { bed_crop: { x: 0.6, y: 0.55, width: 0.4, height: 0.45 } }],
  [
    'a bed, and a region beside it',
    { bed_crop: { x: 0, y: 0, width: 0.5, height: 0.5 }, ignore_regions: [box(0.6, 0, 1, 1)] },
  ],
  ['tiles', { tiles: 'always' }],
])('with %s the failure is found', async (_, settings) => {
  expect(await tested(settings)).toMatchObject({ passed: true, error: null })
})

test.each<[string, Partial<CameraSettings>]>([
  ['a region over the whole picture', { ignore_regions: [box(0, 0, 1, 1)] }],
  [
    'a region over the whole bed',
    { bed_crop: { x: 0.5, y: 0.5, width: 0.5, height: 0.5 }, ignore_regions: [box(0.45, 0.45, 1, 1)] },
  ],
])('%s hides it, and that is told', async (_, settings) => {
  expect(await tested(settings)).toMatchObject({ passed: false, error: SELF_TEST_ERRORS.hidden })
})

test('a sensitivity and answers that can never alert are told', async () => {
  await updatePrinter(world.db, camera.printer_id, { detective_sensitivity: 0.1 })
  await setCalibrationOffset(world.db, camera.id, -2)
  expect(await tested({})).toMatchObject({ passed: false, error: SELF_TEST_ERRORS.never_alerts })
  await updatePrinter(world.db, camera.printer_id, { detective_sensitivity: 1 })
  expect(await tested({})).toMatchObject({ passed: true })
})
