import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endpoints } from '@printwarden/protocol'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openOnnxDetector, SHIPPED_MODEL } from '../../adapters/detector-onnx.js'
import { openGuardedOutbound } from '../../adapters/outbound-guarded.js'
import { parseAllowEntry } from '../../outbound-rules.js'
import { keptLog, startTestServer, type TestServer } from '../../testing.js'
import { serviceErrorBody } from './service-errors.js'

// The detector for other programs: the real model, over real sockets.

/** What the test server takes. */
const MAX_BYTES = 8 * 1024 * 1024

let server: TestServer
let pictures: Server
let base = ''
let jpeg: Buffer

const listener: RequestListener = (request, response) => {
  if (request.url === '/picture.jpg') response.setHeader('content-type', 'image/jpeg').end(jpeg)
  else if (request.url === '/text') response.setHeader('content-type', 'image/jpeg').end('not a picture')
  else if (request.url === '/large') response.end(Buffer.alloc(MAX_BYTES + 1))
  else if (request.url === '/inside') response.writeHead(302, { location: 'http://127.0.0.2:1/' }).end()
  else response.writeHead(404).end()
}

beforeAll(async () => {
  jpeg = await sharp({ create: { width: 320, height: 200, channels: 3, background: '#777' } })
    .jpeg()
    .toBuffer()
  pictures = createServer(listener)
  await new Promise<void>((resolve) => {
    pictures.listen(0, '127.0.0.1', resolve)
  })
  const { port } = pictures.address() as AddressInfo
  base = `http://127.0.0.1:${port}`
  const allow = [parseAllowEntry(`127.0.0.1:${port}`)].filter((entry) => entry !== undefined)
  const detector = openOnnxDetector(SHIPPED_MODEL, keptLog())
  await vi.waitFor(() => expect(detector.ready()).toBe(true), { timeout: 30_000, interval: 20 })
  const started = await startTestServer({ detector, outbound: openGuardedOutbound({ allow }) })
  server = started
}, 60_000)
afterAll(async () => {
  await server.close()
  pictures.closeAllConnections()
  pictures.close()
})

async function get(img: string, token = server.owner.token) {
  const url = `${server.url}/p/?img=${encodeURIComponent(img)}`
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  return { status: response.status, body: await response.json() }
}

async function post(body: Uint8Array<ArrayBuffer> | string | FormData, headers: Record<string, string> = {}) {
  const authorization = `Bearer ${server.owner.token}`
  const response = await fetch(`${server.url}/p/`, { method: 'POST', body, headers: { authorization, ...headers } })
  return { status: response.status, body: await response.json() }
}

const bytes = (): Uint8Array<ArrayBuffer> => new Uint8Array(jpeg)

function form(name: string): FormData {
  const data = new FormData()
  data.set(name, new Blob([bytes()], { type: 'image/jpeg' }), 'a.jpg')
  return data
}

describe('a picture', () => {
  test.each([
    ['by its address', () => get(`${base}/picture.jpg`)],
    ['as the body', () => post(bytes(), { 'content-type': 'image/jpeg' })],
    ['as bytes of any type', () => post(bytes(), { 'content-type': 'application/octet-stream' })],
    ['as the part img of a form', () => post(form('img'))],
    ['as the part pic of a form', () => post(form('pic'))],
  ])('is looked at %s', async (_, send) => {
    const { status, body } = await send()
    expect(status).toBe(200)
    const found = endpoints.findFailures.output?.parse(body)
    expect(found?.score).toBeGreaterThanOrEqual(0)
    expect(found?.model).toMatch(/^printwarden/)
    for (const [label, confidence] of found?.detections ?? []) {
      expect(label).toBe('failure')
      expect(confidence).toBeGreaterThan(0.08)
    }
  })
})

describe('what is no picture is 400, with nothing found and a message', () => {
  test.each([
    ['an address without a picture', () => get(`${base}/text`), /img: It is no JPEG/],
    ['an address that answers 404', () => get(`${base}/none`), /img: The address answers 404/],
    ['an address with too much', () => get(`${base}/large`), /img: The answer is too large/],
    ['an address that leads inside', () => get(`${base}/inside`), /img: This address may not be asked/],
    ['an address inside', () => get('http://127.0.0.1:1/'), /img: This address may not be asked/],
    ['metadata of a cloud', () => get('http://169.254.169.254/latest/'), /img: This address may not be asked/],
    ['no http', () => get('file:///etc/passwd'), /img: Only http/],
    ['no address', () => get('picture'), /img: This is no URL/],
    ['no img', () => get(''), /img: /],
    ['an empty body', () => post(new Uint8Array(), { 'content-type': 'image/jpeg' }), /img: a picture is required/],
    ['a body that is none', () => post('hello', { 'content-type': 'image/jpeg' }), /./],
    ['half a picture', () => post(bytes().slice(0, 400), { 'content-type': 'image/jpeg' }), /./],
    ['a form without a picture', () => post(form('other')), /img: a picture is required/],
  ])('%s', async (_, send, message) => {
    const { status, body } = await send()
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { detections: [], message: expect.stringMatching(message) },
    })
  })
})

test('a body that is too large is refused before it is read', async () => {
  const { status, body } = await post(new Uint8Array(MAX_BYTES + 1), { 'content-type': 'image/jpeg' })
  expect({ status, body }).toMatchObject({ status: 413, body: { detections: [] } })
})

test('a body of another type is refused', async () => {
  const { status } = await post('{}', { 'content-type': 'application/json' })
  expect(status).toBe(415)
})

test('nobody is let in without credentials; looking needs read by address, and write with a body', async () => {
  const anonymous = await fetch(`${server.url}/p/?img=${base}/picture.jpg`)
  expect(anonymous.status).toBe(401)
  expect(await anonymous.json()).toMatchObject({ detections: [], code: 'unauthorized' })
  expect((await fetch(`${server.url}/p/`, { method: 'POST', body: bytes() })).status).toBe(401)
  const reader = await server.addToken(server.other.id, 'read')
  const writer = await server.addToken(server.other.id, 'write')
  expect((await get(`${base}/picture.jpg`, reader)).status).toBe(200)
  expect((await get(`${base}/picture.jpg`, writer)).status).toBe(403)
  const authorization = `Bearer ${reader}`
  const refused = await post(bytes(), { authorization, 'content-type': 'image/jpeg' })
  expect(refused.status).toBe(403)
})

test('more than four at once of one user are put off', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => post(bytes(), { 'content-type': 'image/jpeg' })))
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(4)
  for (const { status, body } of answers) {
    if (status !== 200) expect({ status, body }).toMatchObject({ status: 429, body: { detections: [] } })
  }
})

test('whether it works is said in one word', async () => {
  const response = await fetch(`${server.url}/hc/`)
  expect([response.status, await response.text()]).toEqual([200, 'ok'])
})

test('a server without a detector says so in one word, and why at length', async () => {
  const bare = await startTestServer()
  expect(await (await fetch(`${bare.url}/hc/`)).text()).toBe('error')
  const ready = await fetch(`${bare.url}/readyz`)
  expect(ready.status).toBe(503)
  expect(await ready.json()).toMatchObject({
    missing: ['detector'],
    reasons: { detector: expect.stringContaining('PRINTWARDEN_ROLES') },
  })
  await bare.close()
})

test('an answer that is no problem is left as it is', () => {
  expect(serviceErrorBody('no json')).toBeUndefined()
  expect(serviceErrorBody('[]')).toBeUndefined()
})
