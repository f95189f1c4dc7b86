import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { openOnnxDetector, SHIPPED_MODEL } from '../../adapters/detector-onnx.js'
import type { PrinterRow } from '../../printers/store.js'
import { keptLog, startTestServer, type TestServer } from '../../testing.js'

// With the shipped model, as an app sees it.

const Result = z.object({
  result: z.object({
    p: z.number(),
    temporal_stats: z.object({
      ...{ ewm_mean: z.number(), rolling_mean_short: z.number(), rolling_mean_long: z.number() },
      ...{ prediction_num: z.int(), prediction_num_lifetime: z.int() },
    }),
    detections: z.array(z.tuple([z.string(), z.number(), z.array(z.number()).length(4)])),
  }),
})

const picture = await sharp({ create: { width: 64, height: 48, channels: 3, background: 'grey' } })
  .jpeg()
  .toBuffer()

let server: TestServer
let printer: PrinterRow

beforeAll(async () => {
  const detector = openOnnxDetector(SHIPPED_MODEL, keptLog())
  await vi.waitFor(() => expect(detector.ready()).toBe(true), { timeout: 30_000, interval: 20 })
  server = await startTestServer({ detector })
})

beforeEach(async () => {
  printer = (await server.addPrinter(server.owner.id)).printer
})

afterAll(async () => {
  await server.close()
})

const path = (action: string): string => `/api/v1/printers/${printer.id}/${action}/`
const start = () => server.call('POST', path('start_print'), { body: { filename: 'boat.gcode' } })

function formOf(parts: Record<string, Uint8Array | string>): FormData {
  const form = new FormData()
  for (const [name, part] of Object.entries(parts)) {
    form.set(name, typeof part === 'string' ? part : new Blob([part], { type: 'image/jpeg' }))
  }
  return form
}

async function predict(parts: Record<string, Uint8Array | string> = { img: picture }) {
  const headers = { authorization: `Bearer ${server.owner.token}` }
  const response = await fetch(`${server.url}${path('predict')}`, { method: 'POST', headers, body: formOf(parts) })
  return { status: response.status, json: await response.json() }
}

test('pictures of the current print are looked at, one after another', async () => {
  await start()
  for (const number of [1, 2]) {
    const { status, json } = await predict()
    expect(status).toBe(200)
    const { temporal_stats } = Result.parse(json).result
    expect([temporal_stats.prediction_num, temporal_stats.prediction_num_lifetime]).toEqual([number, number])
  }
  await start()
  const { temporal_stats } = Result.parse((await predict()).json).result
  expect([temporal_stats.prediction_num, temporal_stats.prediction_num_lifetime]).toEqual([1, 3])
})

test('nothing is being printed: 404, before and after', async () => {
  expect((await predict()).status).toBe(404)
  await start()
  await server.call('POST', path('finish_print'))
  expect((await predict()).status).toBe(404)
})

test.each<{ name: string; parts: Record<string, Uint8Array | string>; status: number; code: string }>([
  { name: 'no picture', parts: { other: picture }, status: 400, code: 'invalid_request' },
  { name: 'a text', parts: { img: 'hello' }, status: 400, code: 'invalid_request' },
  { name: 'no picture in the file', parts: { img: Buffer.from('hello') }, status: 400, code: 'invalid_image' },
  { name: 'half a picture', parts: { img: picture.subarray(0, 200) }, status: 400, code: 'invalid_image' },
  { name: 'too many bytes', parts: { img: Buffer.alloc(8 * 1024 * 1024 + 1) }, status: 413, code: 'too_large' },
])('$name: $status', async ({ parts, status, code }) => {
  await start()
  expect(await predict(parts)).toMatchObject({ status, json: { code } })
})

test('more pixels than allowed are refused before they are decoded', async () => {
  await start()
  const huge = sharp({ create: { width: 6000, height: 5000, channels: 3, background: 'grey' } })
  const img = await huge.png({ compressionLevel: 9 }).toBuffer()
  expect(await predict({ img })).toMatchObject({ status: 400, json: { code: 'invalid_image' } })
})

test('JSON is no picture', async () => {
  await start()
  expect((await server.call('POST', path('predict'), { body: { img: 'x' } })).status).toBe(415)
})

test('too many at once are told to wait', async () => {
  await start()
  const answers = await Promise.all(Array.from({ length: 6 }, () => predict()))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]))
  expect((await predict()).status).toBe(200)
})

test('the gauge stays as it is, and nobody is alerted', async () => {
  await start()
  await predict()
  expect((await server.call('GET', `/api/v1/printers/${printer.id}/`)).json).toMatchObject({
    normalized_p: 0,
    current_print: { alerted_at: null, prediction_json_url: null },
  })
})

test('without a detector: come back later', async () => {
  const blind = await startTestServer()
  const { printer: other } = await blind.addPrinter(blind.owner.id)
  await blind.call('POST', `/api/v1/printers/${other.id}/start_print/`, { body: { filename: 'boat.gcode' } })
  const response = await fetch(`${blind.url}/api/v1/printers/${other.id}/predict/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${blind.owner.token}` },
    body: formOf({ img: picture }),
  })
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  await blind.close()
})
