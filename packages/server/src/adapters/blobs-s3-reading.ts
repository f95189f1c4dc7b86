import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { ApiError } from '../errors.js'
import type { BlobStream } from '../ports.js'
import { contentTypeOf } from './blob-keys.js'
import type { Bucket } from './blobs-s3-bucket.js'
import { isAbsent, saysWhat, UNREACHABLE } from './blobs-s3-errors.js'

// Reading that outlasts a connection: whoever reads slowly, or pauses a video, would otherwise be cut off by the store's time limit.

/** Before each new connection; after the last one the reader is told. */
const PAUSES_MS = [100, 1_000, 5_000]

/** A part of a blob, both ends inclusive. */
interface Part {
  readonly start: number
  readonly end: number
}

interface Answer {
  readonly body: Readable
  /** How many bytes of it come. */
  readonly length: number
  /** Of the whole blob. */
  readonly size: number
  readonly tag: string | undefined
}

/** Opens a blob, or a part of it; undefined when there is none. */
export async function openReading(bucket: Bucket, key: string, part?: Part): Promise<BlobStream | undefined> {
  const first = await unlessAbsent(bucket, request(bucket, key, part))
  if (first === undefined) return undefined
  const start = part?.start ?? 0
  const reopen = async (done: number): Promise<Readable> => {
    const rest = { start: start + done, end: start + first.length - 1 }
    const answer = await request(bucket, key, rest, first.tag)
    if (answer.length !== first.length - done) throw otherBytes(answer.body)
    return answer.body
  }
  return { body: resumed(first, reopen), size: first.size, contentType: contentTypeOf(key) }
}

/**
 * What was asked for; undefined when the bucket has no such blob.
 *
 * @throws {ApiError} unavailable when the bucket itself is not there
 */
export async function unlessAbsent<T>(bucket: Bucket, result: Promise<T>): Promise<T | undefined> {
  try {
    return await result
  } catch (error) {
    if (!isAbsent(error)) throw error
    if (!saysWhat(error)) await bucket.confirm()
    return undefined
  }
}

async function request(bucket: Bucket, key: string, part: Part | undefined, tag?: string): Promise<Answer> {
  const { Body, ContentLength, ContentRange, ETag } = await bucket.ask((client) =>
    client.send(
      new GetObjectCommand({
        ...{ Bucket: bucket.name, Key: bucket.nameOf(key) },
        ...(part && { Range: `bytes=${part.start}-${part.end}` }),
        // The rest of something else would make a whole that never was.
        ...(tag !== undefined && { IfMatch: tag }),
      }),
    ),
  )
  if (!(Body instanceof Readable) || ContentLength === undefined) throw new Error(`the store sent ${key} without bytes`)
  const sent = /^bytes (\d+)-(\d+)\/(\d+)$/
    .exec(ContentRange ?? '')
    ?.slice(1)
    .map(Number)
  if (part === undefined) return { body: Body, length: ContentLength, size: ContentLength, tag: ETag }
  // A store, or what lies before it, may take no notice of the part. Past the end of a blob there is less.
  const [start, end, size] = sent ?? []
  if (start !== part.start || end === undefined || end > part.end || size === undefined) throw otherBytes(Body)
  if (ContentLength !== end - start + 1) throw otherBytes(Body)
  return { body: Body, length: ContentLength, size, tag: ETag }
}

/** They would make a whole that never was. */
function otherBytes(body: Readable): ApiError {
  body.destroy()
  const cause = new Error('the store sent other bytes than it was asked for')
  return new ApiError('unavailable', UNREACHABLE, { cause })
}

/** The bytes of `first`; where its connection ends too early, the rest from new ones. */
function resumed(first: Answer, reopen: (done: number) => Promise<Readable>): Readable {
  let current = first.body
  async function* bytes(): AsyncGenerator<Uint8Array> {
    let done = 0
    let failures = 0
    let chunks = chunksOf(current)
    while (done < first.length) {
      const next = await chunks.next().catch((error: unknown) => ({ error }))
      if ('error' in next || next.done === true) {
        const pause = PAUSES_MS[failures]
        const cause = 'error' in next ? next.error : new Error('the connection ended too early')
        if (pause === undefined) throw new ApiError('unavailable', 'The rest cannot be read at the moment.', { cause })
        failures += 1
        await delay(pause)
        // A store that is away still may be back after the next pause.
        const again = await reopen(done).catch((error: unknown) => ({ error }))
        if ('error' in again) {
          if (!(again.error instanceof ApiError)) throw again.error
          continue
        }
        current = again
        chunks = chunksOf(current)
        continue
      }
      failures = 0
      done += next.value.length
      yield next.value
    }
  }
  const body = Readable.from(bytes(), { objectMode: false })
  // Nobody may have begun to read: then there is no generator yet that could end the connection.
  return body.once('close', () => current.destroy())
}

function chunksOf(body: Readable): AsyncIterator<Uint8Array, undefined> {
  // Its failures are met when the next bytes are asked for, however long after.
  body.once('error', () => {})
  return body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>
}
