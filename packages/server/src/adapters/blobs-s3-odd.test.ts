import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { keptLog } from '../testing.js'
import { openS3Blobs } from './blobs-s3.js'
import { type Bucket, openBucket } from './blobs-s3-bucket.js'
import { ANY_CREDENTIALS, startS3Fixture } from './blobs-s3-fixture.js'
import { openReading } from './blobs-s3-reading.js'
import { writeStream } from './blobs-s3-writing.js'

// Stores that answer otherwise than they should, answers that are lost, and readers who do not read.

const closers: (() => unknown)[] = []

beforeAll(() => {
  Object.assign(process.env, ANY_CREDENTIALS)
})
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void

/** A bucket whose store answers as told; `count` is how many requests there were before. */
async function bucketAt(answer: Answer): Promise<Bucket> {
  let count = 0
  const server = createServer((request, response) => {
    request.resume().once('end', () => answer(request, response, count++))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const endpoint = `http://127.0.0.1:${address.port}`
  const bucket = openBucket({ bucket: 'farm', endpoint, region: 'us-east-1', prefix: '' }, keptLog())
  closers.push(() => {
    bucket.close()
    server.closeAllConnections()
    server.close()
  })
  return bucket
}

const SIZE = 100_000
const bytes = Buffer.from(Array.from({ length: SIZE }, (_, index) => index % 251))

/** Sends bytes as the part that they are said to be. */
function sendPart(response: ServerResponse, start: number, end: number, range?: string): void {
  const headers = range === undefined ? {} : { 'Content-Range': range }
  response.writeHead(range === undefined ? 200 : 206, { ETag: '"a"', 'Content-Length': end - start + 1, ...headers })
  response.end(bytes.subarray(start, end + 1))
}

/** Where the rest that is asked for begins. */
const startOf = ({ headers }: IncomingMessage): number => Number(/^bytes=(\d+)-/.exec(headers.range ?? '')?.[1])

test.each<{ name: string; wrong: (response: ServerResponse, start: number) => void }>([
  {
    name: 'the beginning',
    wrong: (r, start) => sendPart(r, 0, SIZE - start - 1, `bytes 0-${SIZE - start - 1}/${SIZE}`),
  },
  { name: 'everything', wrong: (r) => sendPart(r, 0, SIZE - 1) },
  {
    name: 'less than the rest',
    wrong: (r, start) => sendPart(r, start, SIZE - 2, `bytes ${start}-${SIZE - 2}/${SIZE}`),
  },
  {
    name: 'another length than it says',
    wrong: (r, start) => sendPart(r, start, SIZE - 2, `bytes ${start}-${SIZE - 1}/${SIZE}`),
  },
])('asked for the rest of a blob, a store that sends $name is asked again', async ({ wrong }) => {
  let requests = 0
  const bucket = await bucketAt((request, response, count) => {
    requests += 1
    if (count === 0) {
      response.writeHead(200, { ETag: '"a"', 'Content-Length': SIZE })
      response.write(bytes.subarray(0, 40_000), () => setTimeout(() => response.destroy(), 50))
    } else if (count === 1) wrong(response, startOf(request))
    else sendPart(response, startOf(request), SIZE - 1, `bytes ${startOf(request)}-${SIZE - 1}/${SIZE}`)
  })
  const blob = await openReading(bucket, 'a.bin')
  expect(blob && (await buffer(blob.body)).equals(bytes)).toBe(true)
  expect(requests).toBe(3)
})

test.each([
  { name: 'everything', range: undefined },
  { name: 'another part', range: `bytes 11-20/${SIZE}` },
  { name: 'more', range: `bytes 10-20/${SIZE}` },
])('asked for a part of a blob, a store that sends $name is taken for unavailable', async ({ range }) => {
  const bucket = await bucketAt((_request, response) => sendPart(response, 10, 19, range))
  await expect(openReading(bucket, 'a.bin', { start: 10, end: 19 })).rejects.toMatchObject({ code: 'unavailable' })
})

test('a part that reaches past the end of a blob ends with it', async () => {
  const bucket = await bucketAt((_request, response) => {
    sendPart(response, 10, SIZE - 1, `bytes 10-${SIZE - 1}/${SIZE}`)
  })
  const blob = await openReading(bucket, 'a.bin', { start: 10, end: SIZE + 5 })
  expect(blob?.size).toBe(SIZE)
  expect(blob && (await buffer(blob.body)).equals(bytes.subarray(10))).toBe(true)
})

const LARGE = 6 * 1024 * 1024

/** A store that completes an upload, or not, and whose answer to that is lost; then it knows of no such upload. */
function lostAnswer(stored: number | undefined): Answer {
  let completions = 0
  return ({ method = '', url = '' }, response) => {
    if (url.includes('uploads')) {
      response.end('<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>')
    } else if (method === 'PUT') response.writeHead(200, { ETag: '"a"' }).end()
    else if (method === 'POST' && completions++ === 0) response.destroy()
    else if (method === 'HEAD' && stored !== undefined) response.writeHead(200, { 'Content-Length': stored }).end()
    else if (url.includes('list-type')) response.end('<ListBucketResult></ListBucketResult>')
    else response.writeHead(404).end(method === 'HEAD' ? '' : '<Error><Code>NoSuchUpload</Code></Error>')
  }
}

const writeLarge = async (answer: Answer): Promise<{ size: number }> => {
  const source = Readable.from([Buffer.alloc(LARGE)])
  const options = { contentType: 'application/octet-stream', maxBytes: 1e9 }
  return writeStream({ bucket: await bucketAt(answer), log: keptLog() }, 'a.bin', source, options)
}

test('an upload that was completed, though the answer was lost, is stored', async () => {
  expect(await writeLarge(lostAnswer(LARGE))).toEqual({ size: LARGE })
})

test.each([
  { name: 'nothing', stored: undefined },
  { name: 'something else', stored: LARGE - 1 },
])('an upload that is gone, with $name under its key, has failed', async ({ stored }) => {
  await expect(writeLarge(lostAnswer(stored))).rejects.toMatchObject({ name: 'NoSuchUpload' })
})

test('whoever reads at leisure keeps nothing else waiting', async () => {
  const s3 = await startS3Fixture()
  closers.push(() => s3.close())
  const store = await openS3Blobs(s3.placeOf('readers'), keptLog(), 1)
  await store.put('a.bin', Buffer.alloc(3_000_000), 'application/octet-stream')
  const unread = await store.stream('a.bin')
  await store.put('b.jpg', bytes, 'image/jpeg')
  expect((await store.get('b.jpg'))?.bytes.length).toBe(SIZE)
  expect(await store.find('a.bin')).toMatchObject({ size: 3_000_000 })
  await store.remove('b.jpg')
  // Another reader waits, until the first one goes.
  let isOpen = false
  const next = store.stream('a.bin').then((blob) => {
    isOpen = true
    return blob
  })
  await store.ping()
  expect(isOpen).toBe(false)
  unread?.body.destroy()
  expect((await next)?.size).toBe(3_000_000)
  ;(await next)?.body.destroy()
  await store.close()
})
