import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Detector } from '../detection/detector.js'
import { keptLog, startTestServer, type TestServer } from '../testing.js'
import { openDiskBlobs } from './blobs-disk.js'
import { systemClock } from './clock-system.js'
import { detectorContract } from './detector.contract.js'
import { type HttpDetectorOptions, openHttpDetector } from './detector-http.js'
import { openOnnxDetector } from './detector-onnx.js'
import { COLOUR_BOXES, colourModel } from './detector-onnx-fixture.js'
import { openSecrets } from './secrets.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'printwarden-service-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function options(url: string, more: Partial<HttpDetectorOptions> = {}): Promise<HttpDetectorOptions> {
  const common = { secrets: openSecrets('a key that only this test has'), clock: systemClock, log: keptLog() }
  const blobs = await openDiskBlobs(join(folder, 'blobs'))
  return { ...common, url, blobs, listening: () => undefined, capacity: 2, firstProbeMs: 20, ...more }
}

async function untilReady(detector: Detector): Promise<void> {
  await vi.waitFor(() => expect(detector.problem?.()).toBeNull(), { timeout: 60_000, interval: 20 })
}

const plain = (background: string) =>
  sharp({ create: { width: 640, height: 480, channels: 3, background } })
    .jpeg()
    .toBuffer()

describe('another Printwarden, which takes pictures as bytes', () => {
  let server: TestServer
  let detector: Detector
  beforeAll(async () => {
    await writeFile(join(folder, 'colours.onnx'), colourModel(32))
    const model = openOnnxDetector(join(folder, 'colours.onnx'), keptLog())
    await vi.waitFor(() => expect(model.ready()).toBe(true), { timeout: 60_000, interval: 20 })
    server = await startTestServer({ detector: model })
    detector = openHttpDetector(await options(server.url.replace('http://', `http://${server.owner.token}@`)))
    await untilReady(detector)
  }, 180_000)
  afterAll(async () => {
    await detector.close()
    await server.close()
  })

  detectorContract(() => detector)

  test('what it finds comes back as it is, and is drawn here', async () => {
    const { detections, score, model, tagged } = await detector.detect(await plain('rgb(204, 0, 0)'))
    expect(model).toBe('colours')
    expect(score).toBeCloseTo(0.8, 2)
    const [left, top, right, bottom] = COLOUR_BOXES.red
    expect(detections[0]?.[2][0]).toBeCloseTo(((left + right) / 2) * 640, 1)
    expect(detections[0]?.[2][3]).toBeCloseTo((bottom - top) * 480, 1)
    expect(await sharp(tagged ?? Buffer.alloc(0)).metadata()).toMatchObject({ format: 'jpeg', width: 640, height: 480 })
  })

  test('a wrong token is told, and not tried over and over', async () => {
    const refused = openHttpDetector(await options(server.url, { token: 'wrong' }))
    await expect.poll(() => refused.problem?.(), { timeout: 10_000 }).toMatch(/refuses the token.*PRINTWARDEN_DETECTOR/)
    await expect(refused.detect(await plain('red'))).rejects.toMatchObject({ code: 'unavailable' })
    await refused.close()
  })
})

/** What a service that is written for a test does: fetches the picture and finds how red its middle is, as one box. */
async function findRed(img: string | null, response: ServerResponse): Promise<void> {
  const picture = img === null ? undefined : await fetch(img).catch(() => undefined)
  if (picture === undefined || !picture.ok) {
    response.writeHead(400).end(JSON.stringify({ detections: [], message: 'no picture' }))
    return
  }
  const { data } = await sharp(Buffer.from(await picture.arrayBuffer()))
    .resize(8, 8, { fit: 'fill' })
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const red = (data[3 * 36] ?? 0) / 255
  response.end(JSON.stringify({ detections: [['failure', Math.max(0.09, red), [0.5, 0.5, 1, 1]]] }))
}

const services: Server[] = []
afterEach(async () => {
  for (const service of services.splice(0)) {
    service.closeAllConnections()
    await new Promise((resolve) => {
      service.close(resolve)
    })
  }
})

async function serve(answer: (request: IncomingMessage, url: URL, response: ServerResponse) => unknown, port = 0) {
  const service = createServer((request, response) => {
    void answer(request, new URL(request.url ?? '/', 'http://x'), response)
  })
  services.push(service)
  await new Promise<void>((resolve) => {
    service.listen(port, '127.0.0.1', resolve)
  })
  return (service.address() as AddressInfo).port
}

/** A service of the contract that knows GET alone. */
function byUrl(request: IncomingMessage, url: URL, response: ServerResponse): void {
  if (url.pathname === '/hc/') response.end('ok')
  else if (request.method !== 'GET') response.writeHead(405).end()
  else void findRed(url.searchParams.get('img'), response)
}

describe('a service that fetches pictures itself', () => {
  let service: Server
  let server: TestServer
  let detector: Detector
  const tokens = new Set<string | undefined>()
  const fetched: string[] = []
  beforeAll(async () => {
    const port = await serve((request, url, response) => {
      tokens.add(request.headers.authorization)
      const img = url.searchParams.get('img')
      if (img !== null) fetched.push(img)
      byUrl(request, url, response)
    })
    service = services.splice(0)[0] as Server
    let here: { port: number; isTls: boolean } | undefined
    const shared = await options(`http://127.0.0.1:${port}/`, { token: 'secret', listening: () => here })
    detector = openHttpDetector(shared)
    const { blobs } = shared
    const secrets = openSecrets('a key that only this test has')
    // Until this server listens, the service cannot fetch anything.
    await vi.waitFor(() => expect(detector.problem?.()).toMatch(/still starting/), { timeout: 60_000, interval: 20 })
    server = await startTestServer({ detector, blobs, secrets })
    here = { port: Number(new URL(server.url).port), isTls: false }
    await untilReady(detector)
  }, 180_000)
  afterAll(async () => {
    await server.close()
    service.closeAllConnections()
    service.close()
  })

  detectorContract(() => detector)

  test('it is sent its token, and signed addresses of this server', async () => {
    fetched.length = 0
    const { score, detections, model } = await detector.detect(await plain('rgb(204, 0, 0)'))
    expect(score).toBeCloseTo(0.8, 1)
    expect(detections).toHaveLength(1)
    expect(model).toMatch(/^service at 127\.0\.0\.1:/)
    expect([...tokens]).toEqual(['Bearer secret'])
    const [img = ''] = fetched
    expect(new URL(img).origin).toBe(server.url)
    expect(img).toMatch(/\/media\/detector\/[0-9a-f]{32}\.jpg\?expires=\d+&signature=/)
    // It lay there as long as it was asked about, and nowhere without its signature.
    expect((await fetch(img)).status).toBe(404)
  })
})

test('a service that cannot reach this server is told so, with what to do', async () => {
  const port = await serve(byUrl)
  const listening = () => ({ port: 9, isTls: false })
  const detector = openHttpDetector(await options(`http://127.0.0.1:${port}`, { listening }))
  await expect.poll(() => detector.problem?.(), { timeout: 10_000 }).toMatch(/PRINTWARDEN_DETECTOR_ORIGIN/)
  expect(detector.ready()).toBe(false)
  await detector.close()
})

const FOUND = JSON.stringify({ detections: [['failure', 0.9, [320, 240, 100, 100]]] })

/** A service that takes bytes, and does as `answer` says for each picture but the first, with which it is tried. */
async function openAnswering(answer: (count: number, response: ServerResponse) => unknown) {
  let count = 0
  const port = await serve((request, url, response) => {
    request.resume()
    request.on('end', () => {
      if (url.pathname === '/hc/') response.end('ok')
      else if (count++ === 0) response.end(FOUND)
      else answer(count - 1, response)
    })
  })
  const detector = openHttpDetector(await options(`http://127.0.0.1:${port}`))
  await untilReady(detector)
  return { detector, port, asked: () => count - 1 }
}

test('a failure of the service is tried over, three times in all', async () => {
  const { detector, asked } = await openAnswering((count, response) => {
    if (count === 3) response.end(FOUND)
    else response.writeHead(503).end()
  })
  await expect(detector.detect(await plain('black'))).resolves.toMatchObject({ score: 0.9 })
  expect(asked()).toBe(3)
  await detector.close()
})

test('a connection that is cut is tried over as well; after three times it is not ready, and then finds back', async () => {
  let isWell = false
  const { detector } = await openAnswering((_, response) => {
    if (isWell) response.end(FOUND)
    else response.destroy()
  })
  await expect(detector.detect(await plain('black'))).rejects.toMatchObject({ code: 'unavailable' })
  expect(detector.ready()).toBe(false)
  expect(detector.problem?.()).toMatch(/could not be reached/)
  isWell = true
  await untilReady(detector)
  await detector.close()
})

test('a no is a no: it is not tried over, and costs that picture alone', async () => {
  const { detector, asked } = await openAnswering((count, response) => {
    if (count === 2) response.end(FOUND)
    else response.writeHead(422).end(JSON.stringify({ detections: [], message: 'no' }))
  })
  await expect(detector.detect(await plain('black'))).rejects.toMatchObject({ code: 'unavailable' })
  expect([asked(), detector.ready()]).toEqual([1, true])
  await expect(detector.detect(await plain('black'))).resolves.toMatchObject({ score: 0.9 })
  await detector.close()
})

test.each([
  ['no JSON', 'hello'],
  ['another JSON', '{"found":[]}'],
  ['boxes without numbers', '{"detections":[["failure",0.9,["a",1,1,1]]]}'],
  ['more than can be true', `{"detections":[${Array(1001).fill('["failure",0.9,[1,1,1,1]]').join(',')}]}`],
  ['far too much', `{"detections":[],"message":"${'x'.repeat(600_000)}"}`],
])('an answer with %s is none', async (_, body) => {
  const { detector } = await openAnswering((_count, response) => response.end(body))
  await expect(detector.detect(await plain('black'))).rejects.toMatchObject({ code: 'unavailable' })
  await detector.close()
})

test('what is out of range is brought back; ignored regions and crops hold for what a service finds', async () => {
  const all = [
    ['failure', 1.7, [600, 240, 200, 100]],
    ['spaghetti', 0.9, [320, 240, 10, 10]],
    ['failure', 0.05, [320, 240, 10, 10]],
    ['failure', 0.5, [100, 100, 40, 40]],
    ['failure', 0.6, [2000, 100, 40, 40]],
  ]
  const { detector } = await openAnswering((_, response) =>
    response.end(JSON.stringify({ detections: all, score: 0.7 })),
  )
  const picture = await plain('black')
  const { detections, score } = await detector.detect(picture)
  expect(detections).toEqual([
    ['failure', 1, [570, 240, 140, 100]],
    ['failure', 0.5, [100, 100, 40, 40]],
  ])
  expect(score).toBe(0.7)
  const rightHalf: [number, number][] = [
    [0.5, 0],
    [1, 0],
    [1, 1],
    [0.5, 1],
  ]
  const ignoring = await detector.detect(picture, { ignore: [rightHalf] })
  expect(ignoring).toMatchObject({ score: 0.5, leftOut: 1, detections: [['failure', 0.5, [100, 100, 40, 40]]] })
  const cropped = await detector.detect(picture, { crop: { x: 0.5, y: 0, width: 0.5, height: 1 } })
  expect(cropped).toMatchObject({ score: 1, leftOut: 1 })
  await detector.close()
})

test('a service that is not there, says error or goes away leaves the detector not ready, and it says why', async () => {
  const absent = await serve(() => {})
  await new Promise((resolve) => {
    services.pop()?.close(resolve)
  })
  const detector = openHttpDetector(await options(`http://127.0.0.1:${absent}`))
  await expect.poll(() => detector.problem?.()).toMatch(/does not answer\. Start it/)
  let health = 'error'
  await serve((request, url, response) => {
    request.resume()
    response.end(url.pathname === '/hc/' ? health : FOUND)
  }, absent)
  await expect.poll(() => detector.problem?.(), { timeout: 10_000 }).toMatch(/says "error"/)
  health = 'ok'
  await untilReady(detector)
  await detector.close()
  expect(detector.ready()).toBe(false)
})
