import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSecrets } from '../adapters/secrets.js'
import { ApiError } from '../errors.js'
import type { BlobStore } from '../ports.js'
import { keptLog } from '../testing.js'
import { media, mediaRoute } from './media.js'
import { NO_REQUEST_LIMITS } from './request-limits.js'
import { openHttpServer } from './server.js'

// A store of blobs elsewhere hands back whatever type it was told once; the route decides what a browser may make of it.

const SVG = '<svg onload="alert(1)"/>'
const clock = { now: () => 1_773_480_413_000 }
const secrets = openSecrets('a key that only this test has')
const factsOf = (key: string) => ({ size: SVG.length, contentType: decodeURIComponent(key) })
/** Of `away/`, only the sizes are known at the moment. */
const blobs: Pick<BlobStore, 'find' | 'stream'> = {
  find: async (key) => factsOf(key),
  stream: async (key, range) => {
    if (key.startsWith('away')) throw new ApiError('unavailable')
    const { start = 0, end = SVG.length } = range ?? {}
    return { body: Readable.from([SVG.slice(start, end + 1)]), ...factsOf(key) }
  },
}

let app: FastifyInstance

beforeAll(async () => {
  const decisions = { 'GET /media/*': { access: 'signature', why: 'for this test' } } as const
  app = await openHttpServer({ log: keptLog(), trustedProxies: [], maxFrameBytes: 1024, decisions })
  mediaRoute(app, { blobs, clock, secrets, limits: NO_REQUEST_LIMITS })
})
afterAll(() => app.close())

const urlOf = (type: string, name?: string): string =>
  media({ secrets, clock }).urls('')(encodeURIComponent(type), name)

test.each([
  { stored: 'image/svg+xml', served: 'application/octet-stream' },
  { stored: 'text/html', served: 'application/octet-stream' },
  { stored: 'application/xhtml+xml', served: 'application/octet-stream' },
  { stored: 'text/plain', served: 'application/octet-stream' },
  { stored: 'text/javascript', served: 'application/octet-stream' },
  { stored: 'image/jpeg; x=y', served: 'application/octet-stream' },
  { stored: 'application/pdf', served: 'application/octet-stream' },
  { stored: 'application/json', served: 'application/json' },
])('$stored is served as $served: saved, and cannot run', async ({ stored, served }) => {
  for (const method of ['GET', 'HEAD'] as const) {
    const { headers, statusCode, body } = await app.inject({ method, url: urlOf(stored, 'a"\r\nX: y.svg') })
    expect([statusCode, body]).toEqual([200, method === 'GET' ? SVG : ''])
    expect(String(headers['content-type']).split(';')[0]).toBe(served)
    expect(headers['content-disposition']).toMatch(/^attachment; filename="[^"\r\n]*"; filename\*=UTF-8''[\w.%-]+$/)
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'content-length': String(SVG.length),
    })
    expect(headers).not.toHaveProperty('x')
  }
})

test.each(['image/jpeg', 'image/png', 'image/webp', 'video/mp4'])('%s is shown, in the same sandbox', async (type) => {
  const { headers } = await app.inject({ method: 'GET', url: urlOf(type) })
  expect(headers).toMatchObject({
    'content-type': type,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })
  expect(headers).not.toHaveProperty('content-disposition')
})

test.each([
  { what: 'no signature', change: (url: string) => url.replace(/&signature=[^&]*/, '') },
  { what: 'two signatures', change: (url: string) => `${url}&signature=x` },
  { what: 'another name to save it under', change: (url: string) => url.replace('name=a', 'name=b') },
  { what: 'a name that was not signed', change: (url: string) => url.replace('name=a', 'name=a&name=b') },
  { what: 'no name', change: (url: string) => url.replace('&name=a', '') },
  { what: 'a later end', change: (url: string) => url.replace(/expires=\d/, 'expires=9') },
  { what: 'an end that is no number', change: (url: string) => url.replace(/expires=\d+/, 'expires=1e12') },
])('$what: nothing is served', async ({ change }) => {
  const url = urlOf('image/jpeg', 'a')
  expect((await app.inject({ method: 'GET', url })).statusCode).toBe(200)
  expect((await app.inject({ method: 'GET', url: change(url) })).statusCode).toBe(404)
})

test('a part is served as one, and what is asked for in vain is not kept', async () => {
  const part = await app.inject({ method: 'GET', url: urlOf('image/jpeg'), headers: { range: 'bytes=1-3' } })
  expect([part.statusCode, part.body, part.headers['content-range']]).toEqual([206, 'svg', `bytes 1-3/${SVG.length}`])
  for (const headers of [{}, { range: 'bytes=1-3' }]) {
    const away = await app.inject({ method: 'GET', url: urlOf('away/1.jpg'), headers })
    expect(away.statusCode).toBe(503)
    expect(String(away.headers['cache-control'])).not.toContain('max-age=3600')
    expect(away.headers).not.toHaveProperty('etag')
  }
})

test('what is asked for side by side over one connection is closed with it', async () => {
  const opened: Readable[] = []
  const decisions = { 'GET /media/*': { access: 'signature', why: 'for this test' } } as const
  const own = await openHttpServer({ log: keptLog(), trustedProxies: [], maxFrameBytes: 1024, decisions })
  const size = 64 * 1024 * 1024
  const endless = {
    find: async () => ({ size, contentType: 'video/mp4' }),
    async stream() {
      const body = new Readable({ read: () => body.push(Buffer.alloc(64 * 1024)) })
      opened.push(body)
      return { body, size, contentType: 'video/mp4' }
    },
  }
  mediaRoute(own, { blobs: endless, clock, secrets, limits: NO_REQUEST_LIMITS })
  const { port } = new URL(await own.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => undefined).pause()
  await once(socket, 'connect')
  socket.write(`GET ${urlOf('video/mp4')} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(4))
  await expect.poll(() => opened.length).toBe(4)
  socket.destroy()
  await expect.poll(() => opened.map(({ destroyed }) => destroyed)).toEqual([true, true, true, true])
  await own.close()
})
