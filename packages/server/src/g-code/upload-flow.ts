import { createHash } from 'node:crypto'
import { type Readable, Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Kysely } from 'kysely'
import { ApiError } from '../errors.js'
import { doomBlobs, spareBlobs } from '../prints/doomed-store.js'
import type { UserUploads } from '../limits/user-uploads.js'
import type { BlobStore, Clock, Database, Log, Secrets } from '../ports.js'
import { type ByteSource, type GCodeFacts, readGCodeFacts } from './facts-flow.js'
import { type GCodeFileRow, insertFile } from './file-store.js'
import { findVisibleFolder } from './folder-store.js'
import { checkedName, issue } from './input.js'
import { checkFileName, safeName, searchName } from './names.js'
import type { Tables } from '../tables.js'

const GCODE_TYPE = 'application/octet-stream'
const MAX_THUMBNAILS = 3

/** No upload takes longer; what is left of one after this time is removed. */
const LONGEST_UPLOAD_MS = 12 * 3_600_000

export interface UploadFlowDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'put' | 'putStream' | 'stream' | 'remove'>
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Pick<Secrets, 'newToken'>
  readonly userUploads: UserUploads
  readonly maxGCodeBytes: number
}

/** Bytes that have arrived and belong to no file yet. */
export interface ReceivedBytes {
  readonly key: string
  readonly num_bytes: number
  readonly sha256: string
}

/** What a file is to be called, and where it is to lie. */
export interface NewFile {
  readonly filename: string
  readonly parent_folder_id: number | null
}

export type UploadFlow = ReturnType<typeof uploadFlow>

/** Files on their way in: streamed to their place while they are hashed, read for what they say about themselves, then recorded. */
export function uploadFlow({ database, blobs, clock, log, secrets, userUploads, maxGCodeBytes }: UploadFlowDeps) {
  const { db } = database

  /**
   * Takes in the bytes of a file; {@link keep} or {@link discard} has to follow.
   *
   * @throws {ApiError} too_large, storage_full, rate_limited; whatever `source` fails with
   */
  async function receive(userId: number, source: Readable): Promise<ReceivedBytes> {
    const end = begin(userId, source)
    try {
      return await store(userId, source)
    } finally {
      end()
    }
  }

  function begin(userId: number, source: Readable): () => void {
    try {
      return userUploads.begin(userId)
    } catch (error) {
      source.resume()
      throw error
    }
  }

  async function store(userId: number, source: Readable): Promise<ReceivedBytes> {
    const key = `users/${userId}/g-code/${secrets.newToken(16)}.gcode`
    // Written down before there is anything: a server that is killed from here on finds what it has to remove.
    await doomBlobs(db, keysOf(key), clock.now() + LONGEST_UPLOAD_MS)
    const hash = createHash('sha256')
    const hashed = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk)
        done(null, chunk)
      },
    })
    source.once('error', (error) => hashed.destroy(error))
    source.once('close', () => {
      // What closes without having ended was cut off.
      if (!source.readableEnded) hashed.destroy(new ApiError('invalid_request', 'The upload was cut off.'))
    })
    try {
      // A short one may have been cut off while the key was written down, before anybody listened.
      if (source.destroyed && !source.readableEnded) throw new ApiError('invalid_request', 'The upload was cut off.')
      const options = { contentType: GCODE_TYPE, maxBytes: maxGCodeBytes }
      const { size } = await blobs.putStream(key, source.pipe(hashed), options)
      return { key, num_bytes: size, sha256: hash.digest('hex') }
    } catch (error) {
      await remove(key)
      throw error
    }
  }

  /** Removes the bytes that were received. */
  const discard = ({ key }: ReceivedBytes): Promise<void> => remove(key)

  async function remove(key: string): Promise<void> {
    try {
      for (const one of keysOf(key)) await blobs.remove(one)
      await spareBlobs(db, keysOf(key))
    } catch (err) {
      log.error({ err, key }, 'what is left of an upload could not be removed yet')
    }
  }

  /**
   * Makes a file of the bytes, or a record without bytes. Whatever goes wrong, the bytes are gone then. `along` is done in the same
   * transaction.
   *
   * @throws {ApiError} invalid_request for a name or folder that cannot be; whatever `along` throws
   */
  async function keep(
    userId: number,
    bytes: ReceivedBytes | undefined,
    wanted: NewFile,
    along?: (trx: Kysely<Tables>, file: GCodeFileRow) => Promise<void>,
  ): Promise<GCodeFileRow> {
    try {
      const filename = checkedName(wanted.filename, checkFileName, 'filename')
      if (bytes?.num_bytes === 0) throw issue('file', 'must not be empty')
      await requireFolder(wanted.parent_folder_id, userId)
      const facts = bytes === undefined ? undefined : await readFacts(filename, bytes)
      return await record(userId, bytes, facts, { ...wanted, filename }, along)
    } catch (error) {
      if (bytes !== undefined) await discard(bytes)
      throw error
    }
  }

  async function requireFolder(id: number | null, userId: number, on = db): Promise<void> {
    if (id === null || (await findVisibleFolder(on, userId, id)) !== undefined) return
    throw issue('parent_folder', 'there is no such folder')
  }

  async function readFacts(filename: string, { key, num_bytes }: ReceivedBytes) {
    const facts = await readGCodeFacts(filename, byteSource(key, num_bytes))
    const keys = thumbnailKeys(key).slice(0, facts.thumbnails.length)
    for (const [index, { png }] of facts.thumbnails.slice(0, MAX_THUMBNAILS).entries()) {
      const thumbnailKey = keys[index]
      if (thumbnailKey !== undefined) await blobs.put(thumbnailKey, png, 'image/png')
    }
    return { metadata: facts.metadata, thumbnailKeys: keys }
  }

  function byteSource(key: string, size: number): ByteSource {
    return {
      size,
      async read(offset, length) {
        const end = Math.min(offset + length, size) - 1
        if (end < offset) return new Uint8Array()
        const part = await blobs.stream(key, { start: offset, end })
        if (part === undefined) throw new Error(`the blob ${key} is gone`)
        return buffer(part.body)
      },
    }
  }

  /** From here on the blobs belong to the file. */
  async function record(
    userId: number,
    bytes: ReceivedBytes | undefined,
    facts: { metadata: GCodeFacts['metadata']; thumbnailKeys: readonly string[] } | undefined,
    { filename, parent_folder_id }: NewFile,
    along?: (trx: Kysely<Tables>, file: GCodeFileRow) => Promise<void>,
  ): Promise<GCodeFileRow> {
    return database.transaction(async (trx) => {
      await requireFolder(parent_folder_id, userId, trx)
      if (bytes !== undefined) await spareBlobs(trx, keysOf(bytes.key))
      const now = clock.now()
      const file = await insertFile(trx, {
        user_id: userId,
        parent_folder_id,
        resident_printer_id: null,
        filename,
        safe_filename: safeName(filename),
        search_name: searchName(filename),
        printer_path: null,
        blob_key: bytes?.key ?? null,
        thumbnail_keys: JSON.stringify(facts?.thumbnailKeys ?? []),
        num_bytes: bytes?.num_bytes ?? null,
        sha256: bytes?.sha256 ?? null,
        agent_signature: null,
        metadata_json: facts === undefined ? null : JSON.stringify(facts.metadata),
        filament_total: facts?.metadata.filament_total ?? null,
        estimated_time: facts?.metadata.estimated_time ?? null,
        created_at: now,
        updated_at: now,
        deleted_at: null,
      })
      await along?.(trx, file)
      return file
    })
  }

  /** A whole upload, where name and folder are known before the bytes. */
  async function uploadGCode(userId: number, source: Readable, wanted: NewFile): Promise<GCodeFileRow> {
    return keep(userId, await receive(userId, source), wanted)
  }

  return { receive, keep, discard, uploadGCode, maxGCodeBytes }
}

const thumbnailKeys = (key: string): string[] =>
  Array.from({ length: MAX_THUMBNAILS }, (_, index) => `${key.slice(0, key.lastIndexOf('.'))}-${index + 1}.png`)

/** Every blob that an upload under this key may make. */
const keysOf = (key: string): string[] => [key, ...thumbnailKeys(key)]
