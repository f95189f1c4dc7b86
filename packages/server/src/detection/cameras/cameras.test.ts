import { Camera, CameraLearned, DEFAULT_CAMERA_SETTINGS } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { picKey } from '../../printers/live-keys.js'
import { startTestServer, type TestServer } from '../../testing.js'
import { settingsOf } from './camera-settings.js'
import { findOrAddCamera } from './cameras-store.js'
import { keepLearned } from '../context/context-store.js'
import { keptLearned, NOTHING_LEARNED } from '../context/learned.js'

// How a camera is looked at, over HTTP on a real server.

let server: TestServer
let base = ''
let cameraId = 0
let printerId = 0

beforeAll(async () => {
  server = await startTestServer()
  const { printer } = await server.addPrinter(server.owner.id)
  printerId = printer.id
  const camera = await findOrAddCamera(
    server.database.db,
    { printer_id: printer.id, name: 'Bed', is_primary: true },
    server.clock.now(),
  )
  cameraId = camera?.id ?? 0
  base = `/api/v1/printers/${printer.id}/cameras/`
})
afterAll(() => server.close())

const call = (method: string, path: string, body?: unknown) =>
  server.call(method, path, { token: server.owner.token, ...(body === undefined ? {} : { body }) })

const TRIANGLE = [
  [0.1, 0.1],
  [0.3, 0.1],
  [0.2, 0.4],
]

test('a camera begins with the default settings, and its picture is shown', async () => {
  const now = server.clock.now()
  const pic = { key: 'printers/1/pic/a.jpg', raw_key: 'printers/1/pic/a.jpg', ts: now / 1000 }
  await server.live.put(picKey(printerId), pic, { ts: now, ttlMs: 60_000 })
  const { json, headers } = await call('GET', base)
  const [camera] = z.array(Camera).parse(json)
  expect(camera).toMatchObject({ id: cameraId, name: 'Bed', is_primary: true, settings: DEFAULT_CAMERA_SETTINGS })
  expect(camera?.pic?.raw_url).toContain('a.jpg')
  expect(headers.get('content-type')).toMatch(/json/)
})

test('one setting is changed, the others stay', async () => {
  await call('PATCH', `${base}${cameraId}/`, { settings: { ignore_regions: [TRIANGLE] } })
  const { json } = await call('PATCH', `${base}${cameraId}/`, { settings: { tiles: 'off' } })
  const { settings } = Camera.parse(json)
  expect(settings).toEqual({ ...DEFAULT_CAMERA_SETTINGS, ignore_regions: [TRIANGLE], tiles: 'off' })
})

test.each([
  ['a region of two corners', { ignore_regions: [TRIANGLE.slice(0, 2)] }],
  [
    'a corner outside of the picture',
    {
      ignore_regions: [
        [
          [0, 0],
          [1.1, 0],
          [0, 1],
        ],
      ],
    },
  ],
  ['thirteen regions', { ignore_regions: Array.from({ length: 13 }, () => TRIANGLE) }],
  ['a region of 41 corners', { ignore_regions: [Array.from({ length: 41 }, () => [0.5, 0.5])] }],
  ['a crop that leaves the picture', { bed_crop: { x: 0.5, y: 0.5, width: 0.6, height: 0.2 } }],
  ['a crop of a few pixels', { bed_crop: { x: 0.5, y: 0.5, width: 0.01, height: 0.2 } }],
  ['tiles that are no choice', { tiles: 'sometimes' }],
])('%s is refused and changes nothing', async (_, settings) => {
  const before = await call('GET', base)
  const { status, json } = await call('PATCH', `${base}${cameraId}/`, { settings })
  expect({ status, json }).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  expect((await call('GET', base)).json).toEqual(before.json)
})

test('another crop forgets what was learned, and so does the user', async () => {
  const { db } = server.database
  const learned = { ...NOTHING_LEARNED, baseline: { ...NOTHING_LEARNED.baseline, learned_ms: 7_200_000 } }
  const hours = async () => CameraLearned.parse((await call('GET', `${base}${cameraId}/learned/`)).json).baseline.hours
  for (const forget of [
    () => call('PATCH', `${base}${cameraId}/`, { settings: { bed_crop: { x: 0.2, y: 0.2, width: 0.5, height: 0.5 } } }),
    () => call('POST', `${base}${cameraId}/forget_baseline/`),
  ]) {
    await keepLearned(db, cameraId, { learned: keptLearned(learned), updated_at: 1 }, null)
    expect(await hours()).toBe(2)
    expect((await forget()).status).toBe(200)
    expect(await hours()).toBe(0)
  }
})

test('the switches of all cameras are changed at once, and their places stay', async () => {
  const { db } = server.database
  await findOrAddCamera(db, { printer_id: printerId, name: 'Side', is_primary: false }, 1)
  const before = z.array(Camera).parse((await call('GET', base)).json)
  const body = { detection_enabled: true, settings: { votes_enabled: false, tiles: 'always' } }
  const { status, json } = await call('PATCH', base, body)
  expect(status).toBe(200)
  const after = z.array(Camera).parse(json)
  expect(after).toEqual(
    before.map((camera) => ({
      ...camera,
      detection_enabled: true,
      settings: { ...camera.settings, votes_enabled: false, tiles: 'always' },
    })),
  )
  expect(after).toHaveLength(2)
  expect(after[0]?.settings.ignore_regions).toHaveLength(1)
  expect((await call('PATCH', base, { settings: { tiles: 'sometimes' } })).status).toBe(400)
  expect((await server.call('PATCH', base, { token: server.other.token, body })).status).toBe(404)
})

test("a camera of another's printer, and one of another printer, are not there", async () => {
  const { printer } = await server.addPrinter(server.owner.id)
  const elsewhere = await call('GET', `/api/v1/printers/${printer.id}/cameras/${cameraId}/learned/`)
  const theirs = await server.call('GET', `${base}${cameraId}/learned/`, { token: server.other.token })
  const missing = await call('GET', `${base}987654321/learned/`)
  expect([elsewhere.status, theirs.status, missing.status]).toEqual([404, 404, 404])
  expect(elsewhere.text).toBe(missing.text)
  expect(theirs.text).toBe(missing.text)
})

test.each([null, '', '{}', '{"tiles":7}', '[]'])('settings that cannot be read are the default ones: %s', (kept) => {
  expect(settingsOf(kept)).toEqual(DEFAULT_CAMERA_SETTINGS)
})
