import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDiskBlobs } from '../adapters/blobs-disk.js'
import { openNoDetector } from '../adapters/detector-none.js'
import { busHomes } from '../adapters/homes-bus.js'
import type { BlobStore } from '../ports.js'
import { printerFlow } from '../printers/flow.js'
import { openTestWorld, type TestWorld } from '../printers/testing.js'
import { type CameraRow, findOrAddCamera } from './cameras/cameras-store.js'
import { findLearned, keepLearned } from './context/context-store.js'
import { detectionFlow } from './flow.js'
import { homeFlow } from './home-flow.js'
import { THUMBNAIL } from './watching/thumbnail.js'

// Two nodes that hear each other: the printer is at home at one, its user's requests arrive at the other.

let world: TestWorld
let folder: string
let blobs: BlobStore
let camera: CameraRow
let nodes: ReturnType<typeof openNode>[]

/** A node. `hold` is waited for before its detection forgets or sees something: as if its database were slow. */
function openNode(hold: () => Promise<void> = async () => {}) {
  const homes = busHomes(world.bus)
  const isElsewhere = (printerId: number): boolean => homes.isElsewhere(printerId)
  const detector = openNoDetector()
  const real = detectionFlow({
    ...{ ...world, blobs, detector, isElsewhere },
    ...{ printers: printerFlow(world), smoothing: 'default' as const },
  })
  const detection = {
    ...real,
    contexts: { ...real.contexts, forget: (id: number) => hold().then(() => real.contexts.forget(id)) },
    watch: {
      ...real.watch,
      seen: (...seen: Parameters<typeof real.watch.seen>) => hold().then(() => real.watch.seen(...seen)),
    },
  }
  return { detection, homed: homeFlow({ ...world, blobs, homes, detection }) }
}

beforeEach(async () => {
  world = await openTestWorld()
  folder = await mkdtemp(join(tmpdir(), 'printwarden-homes-'))
  blobs = await openDiskBlobs(folder)
  const printer = await world.addPrinter(await world.addUser())
  const added = await findOrAddCamera(world.db, { printer_id: printer.id, name: '', is_primary: true }, 0)
  if (added === undefined) throw new Error('the camera was not added')
  camera = added
  nodes = []
})

afterEach(async () => {
  for (const { detection } of nodes) await detection.close()
  await world.close()
  await rm(folder, { recursive: true, force: true })
})

test('who asked the home to forget goes on when that is done', async () => {
  let isReleased = false
  const home = openNode(async () => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    isReleased = true
  })
  const asked = openNode()
  nodes.push(home, asked)
  home.homed.settle(camera.printer_id)
  await keepLearned(world.db, camera.id, { learned: '{}', updated_at: 1 }, null)
  await asked.homed.forget(camera)
  expect(isReleased).toBe(true)
  expect(await findLearned(world.db, camera.id)).toBeUndefined()
})

test('who brings a picture does not wait for what its home makes of it', async () => {
  let release: () => void = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  const home = openNode(() => released)
  const asked = openNode()
  nodes.push(home, asked)
  home.homed.settle(camera.printer_id)
  const thumbnail = { ...THUMBNAIL, grey: new Uint8Array(THUMBNAIL.width * THUMBNAIL.height) }
  await asked.homed.seen(camera, { taken_at: world.clock.time, thumbnail })
  expect(await asked.detection.watch.read(camera.printer_id)).toMatchObject({ cameras: [{ frame_at: null }] })
  release()
  await expect
    .poll(() => asked.detection.watch.read(camera.printer_id))
    .toMatchObject({ cameras: [{ frame_at: world.clock.time }] })
})
