import type { Kysely } from 'kysely'
import type { BlobStore, Clock, Database, Log } from '../ports.js'
import { doomBlobs, listDueBlobs, spareBlobs } from '../prints/doomed-store.js'
import { removeDoomed } from '../prints/removal-flow.js'
import type { Tables } from '../tables.js'
import type { DeletedFile } from './file-store.js'
import { forgetBlobs } from './file-store.js'
import { thumbnailKeysOf } from './flat-view.js'

const SWEEP_INTERVAL_MS = 10 * 60_000
const BATCH = 200

export interface RemovalFlowDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'remove' | 'removeAll'>
  readonly clock: Clock
  readonly log: Log
}

export type RemovalFlow = ReturnType<typeof removalFlow>

/**
 * Takes blobs away that are nobody's. What is to go is written down first, in the transaction that makes it so; then it goes. A server
 * that is killed in between goes on after its start, so nothing is left behind.
 */
export function removalFlow({ database, blobs, clock, log }: RemovalFlowDeps) {
  let timer: NodeJS.Timeout | undefined

  /** Writes down the blobs of deleted files. To be called in the transaction that deletes them; {@link sweep} comes after it. */
  async function doom(trx: Kysely<Tables>, files: readonly DeletedFile[]): Promise<void> {
    const keys = files.flatMap((file) => [...(file.blob_key === null ? [] : [file.blob_key]), ...thumbnailKeysOf(file)])
    await doomBlobs(trx, keys, clock.now())
    await forgetBlobs(
      trx,
      files.map(({ id }) => id),
    )
  }

  /** Removes what is due. Never rejects: what cannot be removed now is tried again later. */
  async function sweep(): Promise<void> {
    try {
      for (;;) {
        const keys = await listDueBlobs(database.db, clock.now(), BATCH)
        if (keys.length === 0) return
        for (const key of keys) await removeDoomed(blobs, key)
        await spareBlobs(database.db, keys)
      }
    } catch (err) {
      log.error({ err }, 'blobs of deleted files could not be removed yet')
    }
  }

  /** Goes on where a stopped server left off, and looks now and then for uploads that nobody finished. */
  async function start(): Promise<void> {
    timer = setInterval(() => void sweep(), SWEEP_INTERVAL_MS).unref()
    await sweep()
  }

  return { doom, sweep, start, close: () => clearInterval(timer) }
}
