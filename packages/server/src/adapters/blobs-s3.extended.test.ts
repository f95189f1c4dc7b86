import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type BucketPlace, readBlobsUrl } from '../blobs-url.js'
import { keptLog } from '../testing.js'
import { blobStoreContract } from './blobs.contract.js'
import { openBlobs } from './blobs-open.js'
import { openS3Blobs } from './blobs-s3.js'
import { openBucket } from './blobs-s3-bucket.js'
import { abortUploads } from './blobs-s3-listing.js'

// On a server of S3 that checks every signature, and knows of uploads that were not completed.

const { url, folder, credentials } = z
  .object({ url: z.string(), folder: z.string(), credentials: z.record(z.string(), z.string()) })
  .parse(JSON.parse(process.env['PRINTWARDEN_TEST_S3'] ?? '{}'))

/** A store of its own for each test of a run. */
function newPlace(): BucketPlace {
  const place = readBlobsUrl(`${url}&prefix=${randomBytes(6).toString('hex')}`)
  if ('problem' in place) throw new Error(place.problem)
  return place
}

const inBucket = { Bucket: 'farm' }
let client: S3Client

beforeAll(() => {
  Object.assign(process.env, credentials)
  const { endpoint = '' } = newPlace()
  client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true })
})

blobStoreContract(() => openS3Blobs(newPlace(), keptLog()))

async function uploadsBelow(prefix: string): Promise<string[]> {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand(inBucket))
  return Uploads.flatMap(({ Key }) => (Key?.startsWith(prefix) === true ? [Key] : []))
}

const BINARY = 'application/octet-stream'

test('more than a thousand keys are listed in order, and removed', async () => {
  const place = newPlace()
  const store = await openS3Blobs(place, keptLog())
  const keys = Array.from({ length: 2105 }, (_, index) => `prints/7/${String(index).padStart(5, '0')}.jpg`)
  // Through the door so many take long.
  await mkdir(join(folder, place.prefix, 'prints', '7'), { recursive: true })
  for (const key of keys) await writeFile(join(folder, place.prefix, key), '')
  await store.put('prints/8/1.jpg', new Uint8Array(2), 'image/jpeg')
  expect((await store.list('prints/7/')).map(({ key }) => key)).toEqual(keys)
  await store.removeAll('prints/7/')
  expect(await store.list('')).toEqual([{ key: 'prints/8/1.jpg', size: 2 }])
}, 180_000)

test('an upload that fails leaves no parts', async () => {
  const place = newPlace()
  const store = await openS3Blobs(place, keptLog())
  async function* cutOff() {
    for (let sent = 0; sent < 12; sent += 1) yield Buffer.alloc(1024 * 1024, sent)
    expect(await uploadsBelow(place.prefix)).toEqual([`${place.prefix}a.bin`])
    throw new Error('cut off')
  }
  const options = { contentType: BINARY, maxBytes: 1e9 }
  await expect(store.putStream('a.bin', Readable.from(cutOff()), options)).rejects.toThrow('cut off')
  expect(await uploadsBelow(place.prefix)).toEqual([])
  expect(await store.get('a.bin')).toBeUndefined()
})

test('what killed servers left is taken back; not what is under way, and nothing outside of the prefix', async () => {
  const [place, other] = [newPlace(), newPlace()]
  const begin = (Key: string) => client.send(new CreateMultipartUploadCommand({ ...inBucket, Key }))
  await Promise.all([begin(`${place.prefix}a.bin`), begin(`${place.prefix}b/c.bin`), begin(`${other.prefix}a.bin`)])
  const bucket = openBucket(place, keptLog())
  expect(await abortUploads(bucket, Date.now() - 3_600_000)).toBe(0)
  expect(await abortUploads(bucket, Date.now() + 3_600_000)).toBe(2)
  expect(await uploadsBelow(place.prefix)).toEqual([])
  expect(await uploadsBelow(other.prefix)).toEqual([`${other.prefix}a.bin`])
})

test.each([
  { name: 'AWS_ACCESS_KEY_ID', value: 'somebody', says: /access key is not known/ },
  { name: 'AWS_SECRET_ACCESS_KEY', value: 'something', says: /secret key is not the one/ },
])('with another $name a server does not start, and says why', async ({ name, value, says }) => {
  const right = process.env[name]
  process.env[name] = value
  try {
    const refused = openBlobs(url, keptLog())
    await expect(refused).rejects.toThrow(says)
    await expect(refused).rejects.not.toThrow(new RegExp(value))
  } finally {
    process.env[name] = right
  }
})

test('a bucket that is not there is told', async () => {
  await expect(openBlobs(url.replace('farm', 'barn'), keptLog())).rejects.toThrow(/the bucket barn at .*no such bucket/)
})

test('a bucket that goes away is not taken for a blob that is not there', async () => {
  const name = `barn-${randomBytes(4).toString('hex')}`
  const path = join(folder, '..', name)
  await mkdir(path)
  const store = await openBlobs(url.replace('farm', name), keptLog())
  await rm(path, { recursive: true })
  await expect(store.find('a.jpg')).rejects.toMatchObject({ code: 'unavailable' })
  await mkdir(path)
  // That it was away is remembered for a second.
  await expect.poll(() => store.find('a.jpg').catch(() => 'away')).toBeUndefined()
})
