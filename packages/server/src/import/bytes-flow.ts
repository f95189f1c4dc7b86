import { Readable } from 'node:stream'
import { ImportedFile, type ImportOutcome } from '@printwarden/protocol'
import type { Kysely } from 'kysely'
import { checkPicture } from '../detection/service/check-picture-flow.js'
import { insertPredictions } from '../detection/store.js'
import { PICTURE_ENDINGS } from '../detection/picture-type.js'
import { ApiError } from '../errors.js'
import { findStoredTwin, updateFile } from '../g-code/file-store.js'
import type { UploadFlow } from '../g-code/upload-flow.js'
import { AtOnce } from '../limits/at-once.js'
import type { BlobStore, Clock, Database, Log, Secrets } from '../ports.js'
import { doomBlobs, spareBlobs } from '../prints/doomed-store.js'
import { addFeedbackShots } from '../prints/feedback-store.js'
import { removeAllDoomed } from '../prints/removal-flow.js'
import { findPrint, type PrintRow, summarizePredictions, updatePrint } from '../prints/store.js'
import type { Tables } from '../tables.js'
import { videosPrefix } from '../timelapse/keys.js'
import { stepOf } from '../timelapse/reasons.js'
import { isVideoStart, VIDEO_START_BYTES } from '../timelapse/video-type.js'
import { placeOf } from './file-flow.js'
import { usableFileName } from './names.js'
import { created, type Outcome, present } from './outcome.js'
import { predictionRows } from './predictions.js'
import { readShot } from './shot.js'
import { findItemById, finishItem, type ImportedItem, isTarget } from './store.js'

/** The largest video that is taken over. */
export const MAX_VIDEO_BYTES = 2 * 1024 ** 3
const MAX_PREDICTIONS_BYTES = 64 * 1024 ** 2
const MAX_PICTURE_BYTES = 16 * 1024 ** 2

/** No upload takes longer; what is left of one after this time is removed. */
const LONGEST_UPLOAD_MS = 12 * 3_600_000

/** Uploads at a time. */
export const MAX_AT_ONCE = 8

/** Of these so many of one administrator. */
export const MAX_OF_USER = 4

export interface BytesFlowDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'put' | 'putStream' | 'remove' | 'removeAll'>
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Pick<Secrets, 'newToken' | 'encrypt' | 'decrypt' | 'keyedHash'>
  readonly uploads: Pick<UploadFlow, 'receive' | 'keep' | 'discard'>
}

/** The bytes of what was brought over: each becomes its thing's in the transaction that notes so, and is nobody's before. */
export function bytesFlow(deps: BytesFlowDeps) {
  const { database, blobs, clock, log, secrets, uploads } = deps
  const { db } = database
  const ofUsers = new AtOnce(MAX_OF_USER, { detail: 'Too many uploads at once.', seconds: 2 })
  let underWay = 0

  /**
   * What the user `by` sends.
   * @throws {ApiError} not_found, too_large, storage_full, unsupported_media_type, invalid_image, invalid_request, rate_limited
   */
  async function take(by: number, itemId: number, source: Readable): Promise<ImportOutcome> {
    // Whoever reads is told; where nobody does, a form that breaks off is nobody's business.
    source.on('error', () => {})
    try {
      return await ofUsers.run(by, () => takeOne(itemId, source))
    } finally {
      // What nobody read would keep the answer from being read.
      if (!source.destroyed) source.resume()
    }
  }

  async function takeOne(itemId: number, source: Readable): Promise<ImportOutcome> {
    if (underWay >= MAX_AT_ONCE)
      throw new ApiError('rate_limited', 'Too many uploads at once.', { retryAfterSeconds: 2 })
    underWay++
    try {
      const item = await findItemById(db, itemId)
      if (item === undefined) throw new ApiError('not_found')
      const outcome = item.done_at === null ? await takePart(item, source) : present(item.target_id)
      return { kind: item.kind, source_id: item.source_id, ...outcome }
    } finally {
      underWay--
    }
  }

  async function takePart(item: ImportedItem, source: Readable): Promise<Outcome> {
    if (item.kind === 'file') return takeFile(item, source)
    const print = await printOf(item)
    switch (item.kind) {
      case 'video':
      case 'tagged_video':
        return takeVideo(item, print, source)
      case 'poster':
      case 'shot':
        return takePicture(item, print, await readAll(source, MAX_PICTURE_BYTES))
      case 'predictions':
        return takePredictions(item, print, await readAll(source, MAX_PREDICTIONS_BYTES))
      default:
        throw new ApiError('not_found')
    }
  }

  async function printOf(item: ImportedItem): Promise<PrintRow> {
    const printItem = item.part_of === null ? undefined : await findItemById(db, item.part_of)
    const print = printItem?.target_id ? await findPrint(db, printItem.target_id) : undefined
    if (print === undefined) throw new ApiError('not_found', 'Its print was deleted here.')
    return print
  }

  async function takeFile(item: ImportedItem, source: Readable): Promise<Outcome> {
    const record = ImportedFile.parse(JSON.parse(item.record))
    const usable = usableFileName(record.filename)
    const bytes = await uploads.receive(item.user_id, Readable.from(whole(source)))
    const turn = {
      userId: item.user_id,
      source: item.source,
      now: clock.now(),
      isDryRun: false,
      secrets,
      afterwards: [],
    }
    const place = await database.transaction((trx) => placeOf({ ...turn, trx }, record.parent))
    const twin = await findStoredTwin(db, item.user_id, { ...place, filename: usable.name, sha256: bytes.sha256 })
    if (twin !== undefined && !(await isTarget(db, 'file', twin.id))) {
      await uploads.discard(bytes)
      await finishItem(db, item.id, twin.id, clock.now())
      return present(twin.id, ['the same file was here'])
    }
    const wanted = { filename: usable.name, parent_folder_id: place.folderId }
    const file = await uploads.keep(item.user_id, bytes, wanted, async (trx, { id }) => {
      const { agent_signature, created_at } = record
      await updateFile(trx, item.user_id, id, { agent_signature, created_at: Date.parse(created_at) })
      await finish(trx, item, id)
    })
    return created(file.id, [...(usable.note === undefined ? [] : [usable.note]), ...place.notes])
  }

  /** @throws {ApiError} conflict when another upload of the same was faster */
  async function finish(trx: Kysely<Tables>, item: ImportedItem, target: number): Promise<void> {
    if (!(await finishItem(trx, item.id, target, clock.now()))) throw new ApiError('conflict', 'It is here by now.')
  }

  async function takeVideo(item: ImportedItem, print: PrintRow, source: Readable): Promise<Outcome> {
    const key = `${videosPrefix(print.id)}import-${secrets.newToken(8)}.mp4`
    const column = item.kind === 'video' ? 'video_key' : 'tagged_video_key'
    return keep(item, print, [key], {
      put: async () => {
        const options = { contentType: 'video/mp4', maxBytes: MAX_VIDEO_BYTES }
        await blobs.putStream(key, Readable.from(video(source)), options)
      },
      record: async (trx, now) => {
        if (now[column] !== null) return undefined
        await updatePrint(trx, now.id, { [column]: key, ...stepOf('done', 1) })
        return now.id
      },
    })
  }

  async function takePicture(item: ImportedItem, print: PrintRow, bytes: Buffer): Promise<Outcome> {
    const { type } = await checkPicture(bytes)
    const folder = item.kind === 'shot' ? `prints/${print.id}/shots/` : videosPrefix(print.id)
    const key = `${folder}import-${secrets.newToken(8)}.${PICTURE_ENDINGS[type]}`
    return keep(item, print, [key], {
      put: () => blobs.put(key, bytes, type),
      record: async (trx, now) => {
        if (item.kind === 'shot') {
          const shot = { print_id: now.id, user_id: now.user_id, image_key: key, created_at: now.started_at }
          return (await addFeedbackShots(trx, [{ ...shot, ...readShot(item.record) }]))[0]?.id
        }
        if (now.poster_key !== null) return undefined
        await updatePrint(trx, now.id, { poster_key: key })
        return now.id
      },
    })
  }

  interface Keeping {
    readonly put: () => Promise<void>
    /** What it became; undefined when the print has its own by now, which stays. */
    readonly record: (trx: Kysely<Tables>, print: PrintRow) => Promise<number | undefined>
  }

  async function keep(item: ImportedItem, print: PrintRow, keys: string[], { put, record }: Keeping): Promise<Outcome> {
    // Written down before there is anything: a server that is killed from here on finds what it has to remove.
    await doomBlobs(db, keys, clock.now() + LONGEST_UPLOAD_MS)
    try {
      await put()
      const target = await database.transaction(async (trx) => {
        const now = await findPrint(trx, print.id)
        if (now === undefined) throw new ApiError('not_found', 'Its print was deleted here.')
        const made = await record(trx, now)
        await finish(trx, item, made ?? print.id)
        if (made !== undefined) await spareBlobs(trx, keys)
        return made
      })
      if (target !== undefined) return created(target)
    } catch (error) {
      await removeAllDoomed({ database, blobs, log }, keys)
      throw error
    }
    await removeAllDoomed({ database, blobs, log }, keys)
    return present(print.id, ['the print has its own here'])
  }

  async function takePredictions(item: ImportedItem, print: PrintRow, bytes: Buffer): Promise<Outcome> {
    const rows = predictionRows(parseJson(bytes), print)
    if (rows === undefined) throw new ApiError('invalid_request', 'It is no prediction JSON.')
    return database.transaction(async (trx) => {
      const { count } = await summarizePredictions(trx, print.id)
      if (count === 0) {
        for (let start = 0; start < rows.length; start += 500)
          await insertPredictions(trx, rows.slice(start, start + 500))
      }
      await finish(trx, item, print.id)
      return count === 0 ? created(print.id) : present(print.id, ['the print has its own here'])
    })
  }

  return { take }
}

async function readAll(source: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of whole(source)) {
    size += chunk.length
    if (size > maxBytes) throw new ApiError('too_large', `It may have ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Passes on what begins like a video. */
async function* video(source: Readable): AsyncGenerator<Buffer> {
  const noVideo = (): ApiError => new ApiError('unsupported_media_type', 'The file is no MP4 or QuickTime video.')
  let start = Buffer.alloc(0)
  for await (const chunk of whole(source)) {
    if (start.length < VIDEO_START_BYTES) {
      start = Buffer.concat([start, chunk.subarray(0, VIDEO_START_BYTES)])
      if (start.length >= VIDEO_START_BYTES && !isVideoStart(start)) throw noVideo()
    }
    yield chunk
  }
  if (start.length < VIDEO_START_BYTES) throw noVideo()
}

/** The bytes of an upload that came to its end. */
async function* whole(source: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of source) {
      if (!Buffer.isBuffer(chunk)) throw new TypeError('a file is made of bytes')
      yield chunk
    }
  } catch (error) {
    throw new ApiError('invalid_request', 'The upload was cut off.', { cause: error })
  }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}
