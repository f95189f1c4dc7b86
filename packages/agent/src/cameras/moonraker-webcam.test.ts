import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import sharp from 'sharp'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CameraError, openCamera, type Camera } from '../camera.js'

/** A quarter each: red, green above blue, white. */
async function quarters(): Promise<Buffer> {
  const colours = [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [255, 255, 255],
  ]
  const pixels = Buffer.alloc(64 * 64 * 3)
  for (let at = 0; at < 64 * 64; at += 1) {
    const [x, y] = [at % 64, Math.floor(at / 64)]
    pixels.set(colours[(y < 32 ? 0 : 2) + (x < 32 ? 0 : 1)] ?? [], at * 3)
  }
  return sharp(pixels, { raw: { width: 64, height: 64, channels: 3 } })
    .jpeg({ quality: 95 })
    .toBuffer()
}

const COLOURS: Record<string, string> = { '100': 'R', '010': 'G', '001': 'B', '111': 'W' }

/** The colours of the four quarters, row by row. */
async function look(picture: Uint8Array): Promise<string> {
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true })
  const name = (x: number, y: number) => {
    const at = (y * info.width + x) * info.channels
    const [r = 0, g = 0, b = 0] = [data[at], data[at + 1], data[at + 2]].map((value) => ((value ?? 0) > 128 ? 1 : 0))
    return COLOURS[`${r}${g}${b}`] ?? '?'
  }
  return [name(16, 16), name(48, 16), name(16, 48), name(48, 48)].join('')
}

let http: Server
let url: string
let webcam: Record<string, unknown>
let asked: string[]
let camera: Camera | undefined
let picture: Buffer

beforeEach(async () => {
  picture = await quarters()
  asked = []
  http = createServer((request, response) => {
    asked.push(request.url ?? '')
    if (request.url === '/snapshot') return void response.writeHead(200, { 'content-type': 'image/jpeg' }).end(picture)
    if (request.url !== '/server/webcams/list') return void response.writeHead(404).end()
    if (request.headers['x-api-key'] !== 'KEY') return void response.writeHead(401).end('{}')
    response.writeHead(200).end(JSON.stringify({ result: { webcams: [webcam] } }))
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  webcam = { name: 'cam1', enabled: true, service: 'mjpegstreamer', stream_url: '', snapshot_url: '/snapshot' }
})
afterEach(async () => {
  camera?.close?.()
  http.closeAllConnections()
  http.close()
  await once(http, 'close')
})

async function capture(apiKey = 'KEY', name = 'first'): Promise<Uint8Array> {
  const subject = { printTs: () => -1, scene: () => ({ printing: false, progress: 0, failure: 0 }) }
  camera ??= await openCamera({ type: 'webcam', name, moonraker: { url, apiKey } }, subject)
  return camera.capture(AbortSignal.timeout(5_000))
}
afterEach(() => {
  camera = undefined
})

test('a webcam of Moonraker gives its picture as it is; Moonraker is not asked each time', async () => {
  expect(Buffer.compare(Buffer.from(await capture()), picture)).toBe(0)
  await capture()
  expect(asked).toEqual(['/server/webcams/list', '/snapshot', '/snapshot'])
})

// What a browser shows for `scaleX(-1) rotate(90deg)`, which is how front ends write it: turned first, mirrored then.
test.each([
  { change: {}, shows: 'RGBW' },
  { change: { flip_horizontal: true }, shows: 'GRWB' },
  { change: { flip_vertical: true }, shows: 'BWRG' },
  { change: { rotation: 90 }, shows: 'BRWG' },
  { change: { flip_horizontal: true, rotation: 90 }, shows: 'RBGW' },
  { change: { flip_vertical: true, rotation: 90 }, shows: 'WGBR' },
  { change: { flip_horizontal: true, flip_vertical: true, rotation: 270 }, shows: 'BRWG' },
])('$change shows $shows', async ({ change, shows }) => {
  Object.assign(webcam, change)
  expect(await look(await capture())).toBe(shows)
})

test('a webcam that fails is looked up again', async () => {
  webcam['snapshot_url'] = '/gone'
  await expect(capture()).rejects.toBeInstanceOf(CameraError)
  webcam['snapshot_url'] = '/snapshot'
  expect(Buffer.compare(Buffer.from(await capture()), picture)).toBe(0)
})

test('a Moonraker that wants another key is told', async () => {
  await expect(capture('WRONG')).rejects.toThrow('Moonraker wants an API key, or another one')
})
