import { buffer } from 'node:stream/consumers'
import { CopyObjectCommand, DeleteObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import type { BucketPlace } from '../blobs-url.js'
import type { BlobFacts, BlobStore, BlobStream, Log } from '../ports.js'
import { remembered } from '../remembered.js'
import { checkBlobKey, checkContentType, contentTypeOf } from './blob-keys.js'
import { type Bucket, listOne, openBucket, PROBE, wordsFor } from './blobs-s3-bucket.js'
import { reasonOf } from './blobs-s3-errors.js'
import { abortUploads, listBlobs, removeBlobs } from './blobs-s3-listing.js'
import { openReading, unlessAbsent } from './blobs-s3-reading.js'
import { putObject, writeStream } from './blobs-s3-writing.js'

const PROBE_TIMEOUT_MS = 5_000

/** No upload takes longer; an older one was cut off with the server that made it. */
const LONGEST_UPLOAD_MS = 24 * 3_600_000

/**
 * Blobs in a bucket of S3, or of a server that speaks its protocol. Credentials come from the usual AWS variables and files.
 *
 * @param maxSockets connections at most, of each kind: readers' ones, and all others
 * @throws when the bucket cannot be read and written; the message says why, without any credential
 */
export async function openS3Blobs(place: BucketPlace, log: Log, maxSockets?: number): Promise<BlobStore> {
  const bucket = openBucket(place, log, maxSockets)
  try {
    await checkBucket(bucket)
  } catch (error) {
    bucket.close()
    throw new Error(`${wordsFor(place)} cannot be used: ${reasonOf(error) ?? String(error)}`, { cause: error })
  }
  // Nobody waits for it: what is left over takes room, and harms nothing.
  void removeLeftovers(bucket, log)
  return s3Blobs(bucket, log)
}

function s3Blobs(bucket: Bucket, log: Log): BlobStore {
  const placeOf = (key: string) => ({ Bucket: bucket.name, Key: bucket.nameOf(checkBlobKey(key)) })

  async function find(key: string): Promise<BlobFacts | undefined> {
    const place = placeOf(key)
    const answer = await unlessAbsent(
      bucket,
      bucket.ask((client) => client.send(new HeadObjectCommand(place))),
    )
    return answer && { size: answer.ContentLength ?? 0, contentType: contentTypeOf(key) }
  }

  const forReaders: Bucket = { ...bucket, ask: (request) => bucket.askForReader(request) }

  async function stream(key: string, range?: { start: number; end: number }): Promise<BlobStream | undefined> {
    return openReading(forReaders, checkBlobKey(key), range)
  }

  async function put(key: string, bytes: Uint8Array, contentType: string): Promise<void> {
    checkContentType(checkBlobKey(key), contentType)
    await putObject(bucket, key, bytes, contentType)
  }

  return {
    put,
    putNew: put,
    async putStream(key, source, options) {
      checkContentType(checkBlobKey(key), options.contentType)
      return writeStream({ bucket, log }, key, source, options)
    },
    async get(key) {
      const blob = await openReading(bucket, checkBlobKey(key))
      return blob && { bytes: await buffer(blob.body), contentType: blob.contentType }
    },
    find,
    stream,
    async copy(from, to) {
      checkContentType(checkBlobKey(to), contentTypeOf(from))
      // Onto itself S3 copies nothing, and says that this is wrong.
      if (from === to) return (await find(from)) !== undefined
      // Up to 5 GiB in one request; what is copied are pictures.
      const source = { CopySource: `${bucket.name}/${placeOf(from).Key}` }
      const copied = bucket.ask((client) => client.send(new CopyObjectCommand({ ...placeOf(to), ...source })))
      return (await unlessAbsent(bucket, copied)) !== undefined
    },
    list: (prefix) => listBlobs(bucket, prefix),
    async remove(key) {
      const place = placeOf(key)
      await unlessAbsent(
        bucket,
        bucket.ask((client) => client.send(new DeleteObjectCommand(place))),
      )
    },
    removeAll: (prefix) => removeBlobs(bucket, prefix),
    ping: remembered(() => writeProbe(bucket)),
    async close() {
      bucket.close()
    },
  }
}

/** What every use of it needs: writing, and seeing in a list what was written. */
async function checkBucket({ client, name, nameOf }: Bucket): Promise<void> {
  await client.send(probeOf({ name, nameOf }))
  await client.send(listOne({ name, nameOf }))
}

async function writeProbe(bucket: Bucket): Promise<void> {
  const abortSignal = AbortSignal.timeout(PROBE_TIMEOUT_MS)
  await bucket.ask((client) => client.send(probeOf(bucket), { abortSignal }))
}

const probeOf = ({ name, nameOf }: Pick<Bucket, 'name' | 'nameOf'>): PutObjectCommand =>
  new PutObjectCommand({ Bucket: name, Key: nameOf(PROBE), Body: new Uint8Array() })

/** Parts of uploads that a killed server began. Some servers of S3 cannot list them; their own rules have to remove them then. */
async function removeLeftovers(bucket: Bucket, log: Log): Promise<void> {
  try {
    const count = await abortUploads(bucket, Date.now() - LONGEST_UPLOAD_MS)
    if (count > 0) log.info({ count }, 'removed uploads that were never completed')
  } catch (err) {
    log.debug({ err }, 'uploads that were never completed cannot be listed')
  }
}
