import { addAbortSignal, type Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { ApiError } from '../errors.js'
import type { Log, PutStreamOptions } from '../ports.js'
import type { Bucket } from './blobs-s3-bucket.js'
import { isUploadGone } from './blobs-s3-errors.js'
import { unlessAbsent } from './blobs-s3-reading.js'

// Writing bytes of unknown number: in parts, of which one is on its way while the next one fills, so that an upload holds two of them.

/** The least that S3 takes as a part that is not the last, and the most parts of one blob. */
const LEAST_PART_BYTES = 5 * 1024 * 1024
const MAX_PARTS = 10_000

/** Most of what is stored is small: a part begins with this much memory. */
const FIRST_BYTES = 64 * 1024

export async function putObject(bucket: Bucket, key: string, bytes: Uint8Array, contentType: string): Promise<void> {
  const place = { Bucket: bucket.name, Key: bucket.nameOf(key) }
  await bucket.ask((client) => client.send(new PutObjectCommand({ ...place, Body: bytes, ContentType: contentType })))
}

/** Stores what `source` gives; how many bytes it was. What was begun and fails is taken back. */
export async function writeStream(
  { bucket, log }: { bucket: Bucket; log: Log },
  key: string,
  source: Readable,
  { contentType, maxBytes, signal }: PutStreamOptions,
): Promise<{ size: number }> {
  // An abort that comes before the first read has nobody else to tell; reading tells it too.
  source.once('error', () => {})
  if (signal !== undefined) addAbortSignal(signal, source)
  const upload = openUpload(bucket, key, contentType)
  let size = 0
  try {
    for await (const part of partsOf(source, maxBytes)) {
      await upload.begin(part)
      size += part.bytes.length
    }
    await upload.complete(size)
    return { size }
  } catch (error) {
    source.destroy()
    await upload.takeBack(log)
    throw error
  }
}

interface Part {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

/** Cuts a stream into parts. The bytes of one are written over by the one after the next. */
async function* partsOf(source: Readable, maxBytes: number): AsyncGenerator<Part> {
  const partBytes = Math.max(LEAST_PART_BYTES, Math.ceil(maxBytes / MAX_PARTS))
  let [filling, other] = [Buffer.alloc(0), Buffer.alloc(0)]
  let filled = 0
  let size = 0
  for await (const chunk of source) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('a blob is made of bytes')
    size += chunk.length
    if (size > maxBytes) throw new ApiError('too_large', `The file is larger than ${maxBytes} bytes.`)
    for (let taken = 0; taken < chunk.length; ) {
      // Only once more comes is it known that a full part is not the last.
      if (filled === partBytes) {
        yield { bytes: filling, isLast: false }
        ;[filling, other] = [other, filling]
        filled = 0
      }
      const take = Math.min(chunk.length - taken, partBytes - filled)
      filling = grown(filling, filled, filled + take, partBytes)
      filling.set(chunk.subarray(taken, taken + take), filled)
      filled += take
      taken += take
    }
  }
  yield { bytes: filling.subarray(0, filled), isLast: true }
}

/** `buffer` with room for `needed` bytes, which are `most` at most; the first `filled` are kept. */
function grown(buffer: Buffer<ArrayBuffer>, filled: number, needed: number, most: number): Buffer<ArrayBuffer> {
  if (needed <= buffer.length) return buffer
  const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(needed, FIRST_BYTES, buffer.length * 2)))
  buffer.copy(larger, 0, 0, filled)
  return larger
}

/** One upload. `begin` resolves when the part before has been stored; what is small is stored at once, without parts. */
function openUpload(bucket: Bucket, key: string, contentType: string) {
  const place = { Bucket: bucket.name, Key: bucket.nameOf(key) }
  const tags: string[] = []
  let uploadId: string | undefined
  let sending: Promise<void> | undefined

  async function send(bytes: Uint8Array): Promise<void> {
    const number = { UploadId: uploadId, PartNumber: tags.length + 1 }
    const { ETag } = await bucket.ask((client) =>
      client.send(new UploadPartCommand({ ...place, ...number, Body: bytes })),
    )
    if (ETag === undefined) throw new Error('the store gave a part no tag')
    tags.push(ETag)
  }

  async function start(): Promise<void> {
    const answer = await bucket.ask((client) =>
      client.send(new CreateMultipartUploadCommand({ ...place, ContentType: contentType })),
    )
    uploadId = answer.UploadId
    if (uploadId === undefined) throw new Error('the store gave an upload no name')
  }

  async function storedSize(): Promise<number | undefined> {
    const head = bucket.ask((client) => client.send(new HeadObjectCommand(place)))
    return (await unlessAbsent(bucket, head))?.ContentLength
  }

  return {
    async begin({ bytes, isLast }: Part): Promise<void> {
      await sending
      if (uploadId === undefined && isLast) {
        await putObject(bucket, key, bytes, contentType)
        return
      }
      if (uploadId === undefined) await start()
      sending = send(bytes)
      // Its failure is met by whoever waits for it next.
      sending.catch(() => {})
    },

    async complete(size: number): Promise<void> {
      await sending
      if (uploadId === undefined) return
      const parts = { Parts: tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 })) }
      const completing = bucket.ask((client) =>
        client.send(new CompleteMultipartUploadCommand({ ...place, UploadId: uploadId, MultipartUpload: parts })),
      )
      await completing.catch(async (error: unknown) => {
        // Complete already, where the answer was lost on its way and the SDK asked again.
        if (!isUploadGone(error) || (await storedSize()) !== size) throw error
      })
    },

    /** Never fails: what stays is no blob, and a later start of a server removes it. */
    async takeBack(log: Log): Promise<void> {
      // A part that arrives after the upload was taken back would stay.
      await sending?.catch(() => {})
      if (uploadId === undefined) return
      try {
        await bucket.ask((client) => client.send(new AbortMultipartUploadCommand({ ...place, UploadId: uploadId })))
      } catch (err) {
        log.warn({ err, key }, 'parts of an upload could not be removed yet')
      }
    },
  }
}
