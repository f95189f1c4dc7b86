import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { flagsOf, type StateText } from '@printwarden/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDiskBlobs } from '../../adapters/blobs-disk.js'
import type { BlobStore } from '../../ports.js'
import { insertPrinterEvent, listPrinterEvents } from '../../prints/events-store.js'
import type { PrintRow } from '../../prints/store.js'
import { findPrint, updatePrint } from '../../prints/store.js'
import { printerFlow } from '../../printers/flow.js'
import { picKey, statusKey, watchKey } from '../../printers/live-keys.js'
import { findPrinter, type PrinterRow, updatePrinter } from '../../printers/store.js'
import { openTestWorld, type TestWorld } from '../../printers/testing.js'
import { cameraCode } from '../../printers/watching.js'
import { UNTOLD_AFTER_MS } from '../alerts/untold-pause.js'
import { type CameraRow, findOrAddCamera, listCameras } from '../cameras/cameras-store.js'
import { DetectorError } from '../detector.js'
import { selfTestFlow } from './self-test-flow.js'
import { THUMBNAIL } from './thumbnail.js'
import { watchFlow } from './watch-flow.js'
import { watchdogFlow } from './watchdog-flow.js'

const PICTURE = await readFile(new URL('../../../models/self-test.jpg', import.meta.url))

let world: TestWorld
let folder: string
let blobs: BlobStore
let printer: PrinterRow
let print: PrintRow
let camera: CameraRow
let isDetectorReady: boolean
let seen: number

const depsOf = () => ({ ...world, blobs, detection: { ready: () => isDetectorReady } })

/** A server: what it holds in memory is lost when another one is opened. */
function openServer() {
  const watch = watchFlow(depsOf())
  const printers = printerFlow(world)
  return { watch, printers, dog: watchdogFlow({ ...depsOf(), printers, watch }) }
}

let server: ReturnType<typeof openServer>

beforeEach(async () => {
  world = await openTestWorld()
  folder = await mkdtemp(join(tmpdir(), 'printwarden-watchdog-'))
  blobs = await openDiskBlobs(folder)
  printer = await world.addPrinter(await world.addUser())
  print = await world.addCurrentPrint(printer, { started_at: world.clock.time })
  const added = await findOrAddCamera(
    world.db,
    { printer_id: printer.id, name: '', is_primary: true },
    world.clock.time,
  )
  if (added === undefined) throw new Error('no camera')
  camera = added
  isDetectorReady = true
  seen = 0
  server = openServer()
})

afterEach(async () => {
  await server.dog.close()
  await server.watch.close()
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

/** A picture whose content moves on; all of one value when it is dark. */
function thumbnail(isDark: boolean) {
  const grey = new Uint8Array(THUMBNAIL.width * THUMBNAIL.height)
  seen++
  if (!isDark) for (let i = 0; i < grey.length; i++) grey[i] = (i * 37 + seen * 50 + ((i >> 4) % 7) * 20) % 256
  return { ...THUMBNAIL, grey }
}

interface Step {
  readonly state?: StateText | null
  readonly picture?: 'good' | 'dark' | null
  readonly isAnalysed?: boolean
}

/** Lets time pass, ten seconds a step, with what comes from the agent and the detector. */
async function pass(
  steps: number,
  { state = 'Printing', picture = 'good', isAnalysed = true }: Step = {},
): Promise<void> {
  for (let i = 0; i < steps; i++) {
    world.clock.time += 10_000
    const at = world.clock.time
    if (state === null) await world.live.remove(statusKey(printer.id))
    else {
      const status = { _ts: at / 1000, state: { text: state, flags: flagsOf(state) } }
      await world.live.put(statusKey(printer.id), status, { ts: at, ttlMs: 120_000 })
    }
    if (picture !== null) {
      await server.watch.seen(camera, { taken_at: at, thumbnail: thumbnail(picture === 'dark') })
      const frame = { ...frameOf(at), camera }
      if (isAnalysed && state === 'Printing') await server.watch.analysed(frame, print.id, findings)
    }
    await server.dog.tick()
  }
}

const frameOf = (frame_at: number) => ({
  printer_id: printer.id,
  user_id: printer.user_id,
  print_id: print.id,
  raw_key: 'x',
  frame_at,
  bytes: Buffer.of(),
})
const findings = {
  score: 0.1,
  detections: [],
  model: 'm',
  tagged: null,
  times: { decodeMs: 1, inferenceMs: 1, drawMs: 0 },
}

async function events(): Promise<string[]> {
  const found = await listPrinterEvents(world.db, printer.user_id, { printerId: printer.id }, { start: 0, limit: 50 })
  return found.toReversed().map(({ event_type, event_text }) => `${event_type} ${event_text ?? ''}`)
}

test('a print that is watched has nothing told of it', async () => {
  await pass(30)
  expect(await events()).toEqual([])
})

test.each([
  { cause: 'the agent', step: { state: null, picture: null }, words: 'The printer is offline.' },
  { cause: 'the camera', step: { picture: null }, words: 'No picture has arrived' },
  { cause: 'a dark camera', step: { picture: 'dark', isAnalysed: true }, words: 'its picture is dark' },
  { cause: 'the analysis', step: { isAnalysed: false }, words: 'none was checked lately' },
] as const)('when $cause fails, that is told once, and once when it is back', async ({ step, words }) => {
  const heard = world.hearAll(`printer.${printer.id}`)
  await pass(15)
  await pass(30, step)
  const [lost, ...more] = await events()
  expect(lost).toMatch(/^WATCHING_LOST boat.gcode: /)
  expect(lost).toContain(words)
  expect(more).toEqual([])
  await pass(6)
  expect((await events()).slice(1)).toEqual(['WATCHING_BACK boat.gcode is watched again.'])
  expect(heard.filter((notice) => JSON.stringify(notice).includes('WATCHING_LOST'))).toHaveLength(1)
})

test('when the detector fails, that is told', async () => {
  await pass(15)
  isDetectorReady = false
  await pass(12, { isAnalysed: false })
  expect(await events()).toEqual([expect.stringContaining('Failure detection is not available')])
})

test('a server that is started anew tells nothing twice, and still tells that it is well again', async () => {
  await pass(15)
  await pass(20, { picture: null })
  await server.watch.close()
  await world.live.remove(watchKey(printer.id))
  server = openServer()
  await pass(20, { picture: null })
  expect(await events()).toHaveLength(1)
  await pass(3)
  expect((await events()).at(-1)).toContain('WATCHING_BACK')
})

test('a pause of ten minutes, a muted print and a print that has ended are nothing to tell', async () => {
  await pass(15)
  await pass(60, { state: 'Paused', picture: null })
  await pass(2)
  await updatePrint(world.db, print.id, { alert_muted_at: world.clock.time })
  await pass(30, { isAnalysed: false })
  expect(await events()).toEqual([])
})

test('a second camera that fails is told by its name, while the first one watches', async () => {
  const second = await findOrAddCamera(world.db, { printer_id: printer.id, name: 'Nozzle', is_primary: false }, 0)
  if (second === undefined) throw new Error('no camera')
  await pass(15)
  await server.watch.settingsChanged({ ...second, detection_enabled: 1 })
  await pass(15)
  expect(await events()).toEqual([expect.stringMatching(/^WATCHING_LOST boat.gcode: No picture/)])
  const state = await server.watch.read(printer.id)
  expect(state?.cameras.map((one) => cameraCode(one, print.started_at, world.clock.time))).toEqual([null, 'no_picture'])
})

test('a print that the server paused is cancelled once after ten minutes, where the user has asked for that', async () => {
  const agent = world.connectAgent(printer.id)
  await pass(5)
  await updatePrint(world.db, print.id, { alerted_at: world.clock.time, auto_paused_at: world.clock.time })
  await pass(70, { state: 'Paused' })
  expect(agent.received).toEqual([])
  await updatePrinter(world.db, printer.id, { action_on_failure: 'CANCEL' })
  await pass(20, { state: 'Paused' })
  expect(agent.received).toMatchObject([{ type: 'command', cmd: 'cancel', initiator: 'system' }])
  expect(await events()).toEqual([expect.stringContaining('nobody answered for ten minutes')])
})

test('a cancel that no agent takes is sent again, and told once', async () => {
  const agent = world.connectAgent(printer.id)
  await updatePrinter(world.db, printer.id, { action_on_failure: 'CANCEL' })
  await pass(5)
  await updatePrint(world.db, print.id, { alerted_at: world.clock.time, auto_paused_at: world.clock.time })
  for (let steps = 0; steps < 120; steps++) {
    await pass(1, { state: 'Paused' })
    await server.printers.sweep()
  }
  expect(agent.received).toHaveLength(5)
  expect(await events()).toEqual([expect.stringContaining('nobody answered for ten minutes')])
})

test('a print that goes on after the pause is not cancelled when its user pauses it later', async () => {
  const agent = world.connectAgent(printer.id)
  await updatePrinter(world.db, printer.id, { action_on_failure: 'CANCEL' })
  await pass(5)
  await updatePrint(world.db, print.id, { alerted_at: world.clock.time, auto_paused_at: world.clock.time })
  await pass(5, { state: 'Paused' })
  // As the history tells of what somebody did at the printer.
  await insertPrinterEvent(world.db, {
    ...{ event_type: 'RESUMED', event_class: 'INFO', event_title: 'Print resumed', event_text: 'boat.gcode goes on.' },
    ...{ user_id: printer.user_id, printer_id: printer.id, print_id: print.id, created_at: world.clock.time },
  })
  await pass(70)
  await pass(70, { state: 'Paused' })
  expect(agent.received).toEqual([])
})

/** The server's pause of a failing print, by one that ends before it has told of it. */
async function pauseUntold(): Promise<void> {
  world.connectAgent(printer.id)
  await server.printers.send(printer, { cmd: 'pause', args: {}, initiator: 'system', reason: 'failing' })
  server.printers.close()
  await server.dog.close()
  server = openServer()
}

/** As the history tells that the printer stands paused, or goes on. */
async function happens(event_type: 'PAUSED' | 'RESUMED'): Promise<void> {
  await insertPrinterEvent(world.db, {
    ...{ event_type, event_class: 'INFO', event_title: event_type, event_text: '' },
    ...{ user_id: printer.user_id, printer_id: printer.id, print_id: print.id, created_at: world.clock.time },
  })
}

test('a pause that no server told of, since it ended in between, is told by the next one, once and with a picture', async () => {
  await pass(5)
  const key = `printers/${printer.id}/tagged/1.jpg`
  await blobs.put(key, PICTURE, 'image/jpeg')
  await world.live.put(picKey(printer.id), { key, raw_key: key, ts: 1 }, { ts: 1, ttlMs: 1e9 })
  await pauseUntold()
  await happens('PAUSED')
  const pausedAt = world.clock.time
  const heard = world.hearAll(`printer.${printer.id}`)
  await pass(17, { state: 'Paused' })
  expect(await events()).toEqual(['PAUSED '])
  await pass(20, { state: 'Paused' })
  expect(await events()).toEqual([
    'PAUSED ',
    'FAILURE_ALERTED boat.gcode seems to be failing. The print was told to pause.',
  ])
  const [event] = await listPrinterEvents(world.db, printer.user_id, {}, { start: 0, limit: 1 })
  expect(event).toMatchObject({ print_id: print.id, initiator: 'system', reason: 'failing', event_class: 'ERROR' })
  expect((await blobs.get(event?.image_key ?? ''))?.bytes).toEqual(PICTURE)
  expect(event?.image_key).toMatch(new RegExp(`^prints/${print.id}/`))
  const now = await findPrint(world.db, print.id)
  expect(now).toMatchObject({ alerted_at: pausedAt + UNTOLD_AFTER_MS, auto_paused_at: pausedAt + UNTOLD_AFTER_MS })
  expect(now?.paused_at).toBe(pausedAt)
  expect(heard.filter((notice) => JSON.stringify(notice).includes('FAILURE_ALERTED'))).toHaveLength(1)
})

test('a server that was just started lets the agents say first what became of it', async () => {
  await pass(5)
  await pauseUntold()
  await happens('PAUSED')
  world.clock.time += 3_600_000
  await server.dog.close()
  server = openServer()
  await pass(8, { state: 'Paused' })
  expect(await events()).toEqual(['PAUSED '])
  await pass(1, { state: 'Paused' })
  expect(await events()).toEqual(['PAUSED ', expect.stringContaining('told to pause')])
})

test('an untold pause that never reached the printer is not behind a later one', async () => {
  await updatePrinter(world.db, printer.id, { action_on_failure: 'CANCEL' })
  await pass(5)
  await pauseUntold()
  const agent = world.connectAgent(printer.id)
  await pass(70)
  await happens('PAUSED')
  await pass(70, { state: 'Paused' })
  expect(await events()).toEqual(['PAUSED '])
  expect(agent.received).toEqual([])
})

test('of an untold pause nothing is told once its user has resumed the print, or is about to', async () => {
  await pass(5)
  await pauseUntold()
  await happens('PAUSED')
  await pass(2, { state: 'Paused' })
  await server.printers.send(printer, { cmd: 'resume', args: {}, initiator: 'web' })
  await pass(20, { state: 'Paused' })
  await happens('RESUMED')
  await pass(20, { state: 'Paused' })
  expect(await events()).toEqual(['PAUSED ', 'RESUMED '])
  server.printers.close()
})

test('when one printer cannot be looked over, the others are', async () => {
  const other = await world.addPrinter(printer.user_id, 'Right')
  await world.addCurrentPrint(other, { started_at: world.clock.time })
  const { read } = server.watch
  await server.dog.close()
  const watch = {
    ...server.watch,
    read: async (id: number) => (id === printer.id ? Promise.reject(new Error('broken')) : read(id)),
  }
  const looked: number[] = []
  const isElsewhere = (id: number): boolean => (looked.push(id), false)
  server.dog = watchdogFlow({ ...depsOf(), printers: server.printers, watch, isElsewhere })
  for (const { id } of [printer, other]) {
    const status = { _ts: 1, state: { text: 'Printing', flags: flagsOf('Printing') } }
    await world.live.put(statusKey(id), status, { ts: world.clock.time, ttlMs: 120_000 })
  }
  await server.dog.tick()
  expect(looked).toEqual([printer.id, other.id])
  expect(world.log.errors).toMatchObject([{ printer_id: printer.id }])
})

test('what another node looks over is not remembered as broken from an earlier time', async () => {
  await server.dog.close()
  let isElsewhere = true
  server.dog = watchdogFlow({
    ...{ ...depsOf(), printers: printerFlow(world), watch: server.watch },
    isElsewhere: () => isElsewhere,
  })
  await pass(15)
  // The agent comes back to the other node, each time after a moment.
  for (let times = 0; times < 4; times++) {
    await pass(1, { state: null, picture: null })
    await pass(12)
  }
  expect(await events()).toEqual([])
  // It does not come back: then it is told by any node that is left.
  await pass(12, { state: null, picture: null })
  expect(await events()).toEqual([expect.stringContaining('The printer is offline.')])
  isElsewhere = false
  await pass(3)
  expect((await events()).at(-1)).toContain('WATCHING_BACK')
})

/** Self-tests with a detector that answers so. */
const testsWith = (answer: () => Promise<typeof findings>) =>
  selfTestFlow({
    ...world,
    picture: PICTURE,
    detection: { test: answer, wouldAlert: async () => true },
    watch: server.watch,
  })

test('a self-test that fails breaks the watching, and one that passes mends it', async () => {
  await pass(15)
  const failing = testsWith(async () => Promise.reject(new DetectorError('unavailable', 'The model is broken.')))
  await failing.tick()
  await pass(3)
  expect(await events()).toEqual([expect.stringContaining('The last self-test of failure detection failed.')])
  const tested = await testsWith(async () => ({ ...findings, score: 0.97 })).run(camera)
  expect(tested).toMatchObject({ passed: true, score: 0.97, threshold: 0.5 })
  await pass(1)
  expect((await events()).at(-1)).toContain('WATCHING_BACK')
  const [row] = await listCameras(world.db, printer.id)
  expect(JSON.parse(row?.watch ?? '{}')).toMatchObject({ self_test: { passed: true } })
  expect((await findPrinter(world.db, printer.id))?.watch_told).toBeNull()
})

test('a failure that is not found in the test picture fails the test', async () => {
  const tested = await testsWith(async () => findings).run(camera)
  expect(tested).toMatchObject({ passed: false, score: 0.1, error: 'The failure in the test picture was not found.' })
})
