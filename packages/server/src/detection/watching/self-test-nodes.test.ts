import sharp from 'sharp'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { memoryBus } from '../../adapters/bus-memory.js'
import { busHomes } from '../../adapters/homes-bus.js'
import { TestAgent } from '../../agents/testing.js'
import { watchKey } from '../../printers/live-keys.js'
import { readWatch } from '../../printers/watch-state.js'
import { startTestServer, type TestServer } from '../../testing.js'
import { listCameras } from '../cameras/cameras-store.js'
import type { Detector } from '../detector.js'
import type { Homes } from '../homes.js'
import { latestLooks } from '../latest-looks-flow.js'
import type { Looks } from '../looks.js'

// Self-tests that a user asks for at one node, of a printer that is at home at another one: both look by the same queue.

const silent = { error() {}, warn() {}, info() {}, debug() {} }
/** By so much the clock of the node that is asked is behind the other one's. */
const BEHIND_MS = 5000

const snapshot = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'grey' } })
  .jpeg()
  .toBuffer()

let asked: TestServer
let home: TestServer
/** As the home sees them. */
let homes: Homes
let agents: TestAgent[]
/** What each printer's agent shows when it comes. */
const tokens = new Map<number, string>()
/** Looks wait for this. */
let gate: Promise<void>
let release: () => void
let looking: number
let looks: Looks

const detector: Detector = {
  capacity: 1,
  async detect() {
    looking++
    await gate
    const times = { decodeMs: 0, inferenceMs: 0, drawMs: 0 }
    return { score: 0.9, detections: [['failure', 0.9, [32, 24, 10, 10]]], model: 'test/1', tagged: null, times }
  },
  ready: () => true,
  close: async () => {},
}

beforeEach(async () => {
  ;[agents, gate, release, looking] = [[], Promise.resolve(), () => {}, 0]
  const bus = memoryBus(silent)
  looks = latestLooks(detector)
  homes = busHomes(bus)
  const shared = { bus, detector, looks, hasOtherNodes: true }
  asked = await startTestServer({ ...shared, homes: busHomes(bus) })
  const { database, blobs, live } = asked
  home = await startTestServer({ ...shared, database, blobs, live, homes })
  home.clock.advance(BEHIND_MS)
})

afterEach(async () => {
  release()
  for (const agent of agents) await agent.kill()
  await home.app.close()
  await asked.close()
  await home.close()
})

/** A printer whose agent is at the home, and has sent a picture there. */
async function addPrinter(): Promise<number> {
  const { printer, auth_token } = await asked.addPrinter(asked.owner.id)
  const agent = await TestAgent.open(home.url, [], { headers: { authorization: `Bearer ${auth_token}` } })
  agents.push(agent)
  await agent.next('remote_status')
  await upload(auth_token)
  await expect.poll(() => shown(printer.id)).toMatchObject({ self_test: null })
  tokens.set(printer.id, auth_token)
  return printer.id
}

async function upload(token: string): Promise<void> {
  const form = new FormData()
  form.append('pic', new Blob([new Uint8Array(snapshot)], { type: 'image/jpeg' }), 'pic.jpg')
  const headers = { authorization: `Token ${token}` }
  const { status } = await fetch(`${home.url}/api/v1/agent/pic/`, { method: 'POST', headers, body: form })
  expect(status).toBe(200)
}

const shown = async (printerId: number) => readWatch(await asked.live.get(watchKey(printerId)))?.cameras[0]

const selfTest = (server: TestServer, printerId: number) =>
  server.call('POST', `/api/v1/printers/${printerId}/self_test/`, { token: asked.owner.token })

test('a self-test that is asked for away from home is known there, though the clock is behind', async () => {
  const printerId = await addPrinter()
  expect(await selfTest(asked, printerId)).toMatchObject({ status: 200, json: { passed: true } })
  expect(await shown(printerId)).toMatchObject({ self_test: { passed: true } })
  // What the home has made of its pictures since, and written down, has it too.
  home.clock.advance(60_000)
  await upload(tokens.get(printerId) ?? '')
  const frame_at = (await shown(printerId))?.frame_at
  await home.app.close()
  const [row] = await listCameras(asked.database.db, printerId)
  expect(JSON.parse(row?.watch ?? '{}')).toMatchObject({ frame_at, self_test: { passed: true } })
})

test('a self-test of a printer without a home is known where it was asked for', async () => {
  const printerId = await addPrinter()
  for (const agent of agents) await agent.kill()
  await expect.poll(() => homes.isElsewhere(printerId)).toBe(true)
  asked.clock.advance(2 * BEHIND_MS)
  expect(await selfTest(asked, printerId)).toMatchObject({ status: 200, json: { passed: true } })
  expect(await shown(printerId)).toMatchObject({ self_test: { passed: true } })
})

test('a self-test that gave way to another one says nothing of the camera', async () => {
  const [busy, printerId] = [await addPrinter(), await addPrinter()]
  gate = new Promise((resolve) => (release = resolve))
  const keepsBusy = selfTest(home, busy)
  await expect.poll(() => looking).toBe(1)
  const first = selfTest(asked, printerId)
  await expect.poll(() => looks.waiting().frames).toBe(1)
  const second = selfTest(home, printerId)
  const { status, json } = await first
  expect(await shown(printerId)).toMatchObject({ self_test: null })
  expect({ status, json }).toMatchObject({ status: 409, json: { code: 'conflict' } })
  release()
  expect(await second).toMatchObject({ status: 200, json: { passed: true } })
  expect(await shown(printerId)).toMatchObject({ self_test: { passed: true } })
  await keepsBusy
})
