import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import { allowSlowBody } from '../http/body-deadline.js'
import { AtOnce } from '../limits/at-once.js'
import type { UserUploads } from '../limits/user-uploads.js'
import type { BlobStore, Clock, Database, Log, Secrets } from '../ports.js'
import { doomBlobs, spareBlobs } from '../prints/doomed-store.js'
import { removeAllDoomed } from '../prints/removal-flow.js'
import { findPrint, type PrintRow, updatePrint } from '../prints/store.js'
import { type GrabPoster, NoVideoError } from './encoder.js'
import { videosPrefix } from './keys.js'
import { isRunning, stepOf } from './reasons.js'
import { isVideoStart, VIDEO_START_BYTES } from './video-type.js'

/** The largest time-lapse that a user may bring. */
export const MAX_UPLOAD_BYTES = 1024 ** 3

/** An upload of which nothing arrives for so long is given up. */
export const STALLED_MS = 60_000

/** No upload takes longer; what is left of one after this time is removed. */
const LONGEST_UPLOAD_MS = 12 * 3_600_000

/** Uploads at a time: each takes its place on the disk before it is a print's. */
export const MAX_AT_ONCE = 4

/** Of these so many of one user, who may let all of them stall. */
export const MAX_OF_USER = 2

export interface TimelapseUploadDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'putStream' | 'put' | 'remove' | 'removeAll'>
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Pick<Secrets, 'newToken'>
  readonly userUploads: UserUploads
  readonly scratchFolder: string
  readonly grabPoster: GrabPoster
}

const noVideo = (): ApiError => new ApiError('unsupported_media_type', 'The file is no MP4 or QuickTime video.')

/** A user's own time-lapses: on the disk as they come, looked at, then made the print's. */
export function timelapseUploadFlow(deps: TimelapseUploadDeps) {
  const { database, blobs, clock, log, secrets, userUploads, scratchFolder, grabPoster } = deps
  const { db } = database
  const ofUsers = new AtOnce(MAX_OF_USER, { detail: 'Too many uploads at once.', seconds: 10 })
  let underWay = 0

  /**
   * Takes in the file of a form.
   * @throws {ApiError} conflict, invalid_request, too_large, unsupported_media_type, rate_limited, storage_full
   */
  async function upload(print: PrintRow, request: FastifyRequest): Promise<void> {
    if (isRunning(print)) throw new ApiError('conflict', 'The print is still running.')
    if (!request.isMultipart()) throw new ApiError('invalid_request', 'The video must be sent as a form with a file.')
    const end = userUploads.begin(print.user_id)
    try {
      await ofUsers.run(print.user_id, () => take(print, request))
    } finally {
      end()
    }
  }

  async function take(print: PrintRow, request: FastifyRequest): Promise<void> {
    if (underWay >= MAX_AT_ONCE)
      throw new ApiError('rate_limited', 'Too many uploads at once.', { retryAfterSeconds: 10 })
    underWay++
    const file = join(scratchFolder, `upload-${secrets.newToken(8)}.mp4`)
    try {
      await mkdir(scratchFolder, { recursive: true })
      await receiveInto(file, request)
      await keep(print, file, await posterOf(file))
    } finally {
      underWay--
      await rm(file, { force: true })
    }
  }

  async function posterOf(file: string): Promise<Uint8Array | null> {
    try {
      return await grabPoster(file)
    } catch (error) {
      throw error instanceof NoVideoError ? noVideo() : error
    }
  }

  async function keep(print: PrintRow, file: string, poster: Uint8Array | null): Promise<void> {
    const name = `${videosPrefix(print.id)}upload-${secrets.newToken(8)}`
    const keys = { video: `${name}.mp4`, poster: `${name}.jpg` }
    // Written down before there is anything: a server that is killed from here on finds what it has to remove.
    await doomBlobs(db, Object.values(keys), clock.now() + LONGEST_UPLOAD_MS)
    const options = { contentType: 'video/mp4', maxBytes: MAX_UPLOAD_BYTES }
    await blobs.putStream(keys.video, createReadStream(file), options)
    if (poster !== null) await blobs.put(keys.poster, poster, 'image/jpeg')
    const old = await database.transaction(async (trx) => {
      const before = await findPrint(trx, print.id)
      if (before === undefined) return undefined
      await spareBlobs(trx, Object.values(keys))
      const gone = [before.video_key, poster === null ? null : before.poster_key].filter((key) => key !== null)
      await doomBlobs(trx, gone, clock.now())
      await updatePrint(trx, print.id, {
        ...{ video_key: keys.video, uploaded_at: clock.now(), video_archived_at: null, ...stepOf('done', 1) },
        ...(poster === null ? {} : { poster_key: keys.poster }),
      })
      return gone
    })
    if (old === undefined) {
      await removeAllDoomed({ database, blobs, log }, Object.values(keys))
      throw new ApiError('not_found')
    }
    await removeAllDoomed({ database, blobs, log }, old)
  }

  return { upload }
}

/** Opened before anything is read: what opens while it is refused would be there after it was removed. @throws {ApiError} */
async function receiveInto(file: string, request: FastifyRequest): Promise<void> {
  const handle = await open(file, 'wx')
  try {
    await receive(request, handle)
  } finally {
    await handle.close()
  }
}

/** Writes the form's file to the disk. @throws {ApiError} */
async function receive(request: FastifyRequest, handle: FileHandle): Promise<void> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_UPLOAD_BYTES + 1024 * 1024) throw tooLarge()
  allowSlowBody(request, STALLED_MS)
  let hasFile = false
  try {
    for await (const part of request.parts({
      limits: { files: 2, fields: 20, fieldSize: 64 * 1024, fileSize: Infinity },
    })) {
      if (part.type !== 'file') continue
      if (part.fieldname !== 'file') part.file.resume()
      else if (hasFile) throw new ApiError('invalid_request', 'The form has more than one file.')
      else {
        hasFile = true
        await pipeline(part.file, checked, handle.createWriteStream())
      }
    }
  } catch (error) {
    // Nobody reads the rest, and a client that still sends it would never come to read the answer.
    request.raw.unpipe()
    request.raw.resume()
    throw readError(error)
  }
  if (!hasFile)
    throw new ApiError('invalid_request', 'file: is required', { issues: [{ path: 'file', message: 'is required' }] })
}

function tooLarge(): ApiError {
  return new ApiError('too_large', `A time-lapse may have ${MAX_UPLOAD_BYTES} bytes.`)
}

/** Passes on what begins like a video and is not too long. */
async function* checked(source: Readable): AsyncGenerator<Buffer> {
  let size = 0
  let start = Buffer.alloc(0)
  for await (const chunk of source) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('a file is made of bytes')
    size += chunk.length
    if (size > MAX_UPLOAD_BYTES) throw tooLarge()
    if (start.length < VIDEO_START_BYTES) {
      start = Buffer.concat([start, chunk.subarray(0, VIDEO_START_BYTES)])
      if (start.length >= VIDEO_START_BYTES && !isVideoStart(start)) throw noVideo()
    }
    yield chunk
  }
  if (start.length < VIDEO_START_BYTES) throw noVideo()
}

/** Our own errors and the plugin's limits say what is wrong; everything else is a malformed or cut-off form. */
function readError(error: unknown): unknown {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  if (error instanceof ApiError || String(code).startsWith('FST_')) return error
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(String(code)))
    return new ApiError('storage_full', undefined, { cause: error })
  return new ApiError('invalid_request', 'The form could not be read.', { cause: error })
}
