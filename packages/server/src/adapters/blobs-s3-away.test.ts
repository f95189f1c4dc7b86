import { connect, createServer, type Server } from 'node:net'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BlobStore } from '../ports.js'
import { keptLog } from '../testing.js'
import { openBlobs } from './blobs-open.js'
import { ANY_CREDENTIALS, type S3Fixture, startS3Fixture } from './blobs-s3-fixture.js'

// What happens when the store is away, or its connections break: every request says so, nothing is lost, and all goes on afterwards.

let s3: S3Fixture

beforeAll(async () => {
  Object.assign(process.env, ANY_CREDENTIALS)
  s3 = await startS3Fixture()
})
afterAll(() => s3.close())

const BINARY = 'application/octet-stream'
const bytes = Buffer.alloc(3_000_000, 'bytes of a file ')

test('what is no blob is left out of lists', async () => {
  const store = await openBlobs(s3.urlOf('shared'), keptLog())
  await s3.lay(['shared/a.jpg', 'shared/.hidden', 'shared/with space.jpg'])
  expect(await store.list('')).toEqual([{ key: 'a.jpg', size: 0 }])
})

test('a store that is away is unavailable in every way, and works again when it is back', async () => {
  const log = keptLog()
  const store = await openBlobs(s3.urlOf('away'), log)
  await store.put('a.jpg', bytes, 'image/jpeg')
  await s3.stop()
  const options = { contentType: BINARY, maxBytes: 1e9 }
  const waysOf: Record<string, () => Promise<unknown>> = {
    get: () => store.get('a.jpg'),
    find: () => store.find('a.jpg'),
    stream: () => store.stream('a.jpg'),
    put: () => store.put('b.jpg', bytes, 'image/jpeg'),
    putStream: () => store.putStream('b.bin', Readable.from([bytes, bytes, bytes]), options),
    copy: () => store.copy('a.jpg', 'b.jpg'),
    list: () => store.list(''),
    remove: () => store.remove('a.jpg'),
    removeAll: () => store.removeAll(''),
    ping: () => store.ping(),
  }
  for (const [name, way] of Object.entries(waysOf)) {
    await expect(way(), name).rejects.toMatchObject({ name: 'ApiError', code: 'unavailable' })
  }
  // Told once, however often it is asked.
  expect(log.lines.filter(({ text }) => text.endsWith('cannot be used'))).toHaveLength(1)
  await s3.start()
  // That it was away is remembered for a moment.
  await expect.poll(() => store.ping().then(() => 'back'), { timeout: 10_000 }).toBe('back')
  expect(Buffer.from((await store.get('a.jpg'))?.bytes ?? []).equals(bytes)).toBe(true)
  expect((await store.list('')).map(({ key }) => key)).toEqual(['a.jpg'])
})

test('while the bucket is gone a blob is not taken for one that never was', async () => {
  // HEAD is answered without words: that it was the bucket, and not the blob, has to be asked for.
  const own = await startS3Fixture()
  try {
    const [store, late] = [await openBlobs(own.urlOf(), keptLog()), await openBlobs(own.urlOf('late'), keptLog())]
    await store.put('a.jpg', bytes, 'image/jpeg')
    expect(await store.find('absent.jpg')).toBeUndefined()
    await own.removeBucket()
    for (const way of [() => late.find('a.jpg'), () => late.find('absent.jpg'), () => late.get('a.jpg')]) {
      await expect(way()).rejects.toMatchObject({ name: 'ApiError', code: 'unavailable' })
    }
    await own.makeBucket()
    // That it was gone is remembered for a moment.
    await expect.poll(() => late.find('a.jpg'), { timeout: 10_000 }).toBeUndefined()
    await late.put('a.jpg', bytes, 'image/jpeg')
    expect(await late.find('a.jpg')).toMatchObject({ size: bytes.length })
  } finally {
    await own.close()
  }
})

test('of blobs that are not there the bucket is asked once in a while, not each time', async () => {
  const { store, way } = await storeBehind(1e9)
  try {
    await store.find('absent.jpg')
    const before = way.answers()
    for (let count = 0; count < 5; count++) expect(await store.find('absent.jpg')).toBeUndefined()
    expect(way.answers() - before).toBe(5)
  } finally {
    way.server.close()
    await store.close()
  }
})

test('a server does not start while the store is away, and says where it looked for it', async () => {
  const away = 's3://farm?endpoint=http://127.0.0.1:1'
  await expect(openBlobs(away, keptLog())).rejects.toThrow(/the bucket farm at http:\/\/127.0.0.1:1 .*ECONNREFUSED/)
})

/** Before the store, a way that breaks each connection after so many bytes of answers. */
async function startBreakingWay(
  port: number,
  bytesEach: number,
): Promise<{ server: Server; port: number; broken: () => number; answers: () => number }> {
  let broken = 0
  let answers = 0
  const server = createServer((socket) => {
    const upstream = connect(port, '127.0.0.1')
    let left = bytesEach
    const end = (): void => {
      socket.destroy()
      upstream.destroy()
    }
    for (const side of [socket, upstream]) side.on('error', end).on('close', end)
    socket.pipe(upstream)
    upstream.on('data', (chunk: Buffer) => {
      left -= chunk.length
      answers += chunk.toString('latin1').match(/^HTTP\/1\.1 /gm)?.length ?? 0
      socket.write(chunk.subarray(0, chunk.length + Math.min(0, left)), () => {
        if (left > 0) return
        broken += 1
        end()
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { server, port: address.port, broken: () => broken, answers: () => answers }
}

async function storeBehind(
  bytesEach: number,
): Promise<{ store: BlobStore; way: Awaited<ReturnType<typeof startBreakingWay>> }> {
  const { endpoint = '' } = s3.placeOf()
  const way = await startBreakingWay(Number(new URL(endpoint).port), bytesEach)
  return { way, store: await openBlobs(`s3://farm?endpoint=http://127.0.0.1:${way.port}&prefix=cut`, keptLog()) }
}

test('a connection that breaks while a blob is read is made again, for the rest alone', async () => {
  const direct = await openBlobs(s3.urlOf('cut'), keptLog())
  await direct.put('a.jpg', bytes, 'image/jpeg')
  const { store, way } = await storeBehind(1_000_000)
  try {
    const whole = await store.stream('a.jpg')
    expect(whole && (await buffer(whole.body)).equals(bytes)).toBe(true)
    const range = { start: 1_000, end: 2_500_000 }
    const part = await store.stream('a.jpg', range)
    expect(part && (await buffer(part.body)).equals(bytes.subarray(range.start, range.end + 1))).toBe(true)
    expect(way.broken()).toBeGreaterThanOrEqual(4)
  } finally {
    way.server.close()
    await store.close()
  }
})

test('a store that goes away while a blob is read ends the reading as unavailable', async () => {
  const direct = await openBlobs(s3.urlOf('cut'), keptLog())
  await direct.put('b.jpg', bytes, 'image/jpeg')
  const { store, way } = await storeBehind(1_000_000)
  const blob = await store.stream('b.jpg')
  way.server.close()
  await expect(blob && buffer(blob.body)).rejects.toMatchObject({ code: 'unavailable' })
  await store.close()
})
