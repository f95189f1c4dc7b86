import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allowSlowBody, limitBodyTime } from './body-deadline.js'

const LIMIT_MS = 300
let app: FastifyInstance
let port: number

beforeAll(async () => {
  app = Fastify()
  limitBodyTime(app, LIMIT_MS)
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.post('/short/', async ({ raw }) => {
    return { bytes: (await buffer(raw)).length }
  })
  app.post('/long/', async (request) => {
    allowSlowBody(request, LIMIT_MS)
    return { bytes: (await buffer(request.raw)).length }
  })
  port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
})

afterAll(() => app.close())

function open(path: string, length: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: x/y\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`,
  )
  return socket
}

test.each(['/short/', '/long/'])('a body of which nothing more comes is given up at %s', async (path) => {
  const socket = open(path, 10)
  socket.write('a')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(socket, 'close')
  expect(String(Buffer.concat(chunks))).not.toContain('200 OK')
})

test('a body that goes on arriving may take longer than the limit', async () => {
  const started = performance.now()
  const socket = open('/long/', 1_000_000)
  const answer = once(socket, 'data')
  let written = 0
  while (performance.now() - started < LIMIT_MS * 2) {
    socket.write('a')
    written += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  socket.write('a'.repeat(1_000_000 - written))
  expect(String((await answer)[0])).toContain('200 OK')
})
