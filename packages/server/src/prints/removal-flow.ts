import type { Kysely } from 'kysely'
import type { BlobStore, Clock, Database, Log } from '../ports.js'
import type { Tables } from '../tables.js'
import { doomBlobs, spareBlobs } from './doomed-store.js'
import { forgetEventPictures, listPicturedEvents } from './events-store.js'
import { listFeedbackOfPrinter, listFeedbackOfPrints } from './feedback-store.js'
import { deleteEndedPrints, listPrintsOfPrinter, type PrintRow } from './store.js'

/** How many folders and blobs are removed at a time. */
const AT_ONCE = 8

export interface PrintRemovalDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'remove' | 'removeAll'>
  readonly clock: Clock
  readonly log: Log
}

export type PrintRemovalFlow = ReturnType<typeof printRemovalFlow>

/**
 * Deleting prints: the rows first, all or none, then their pictures and videos. These are written down with the rows, so that a
 * server that is killed in between goes on after its start.
 */
export function printRemovalFlow({ database, blobs, clock, log }: PrintRemovalDeps) {
  /** Deletes those of the user's prints that have ended, and says how many there were. Others are left as they are. */
  async function remove(userId: number, ids: readonly number[]): Promise<number> {
    const { printIds, keys } = await database.transaction(async (trx) => {
      const events = await listPicturedEvents(trx, ids)
      const shots = await listFeedbackOfPrints(trx, ids)
      const prints = await deleteEndedPrints(trx, userId, ids)
      const gone = new Set(prints.map(({ id }) => id))
      const pictured = events.filter(({ print_id }) => print_id !== null && gone.has(print_id))
      await forgetEventPictures(
        trx,
        pictured.map(({ id }) => id),
      )
      const doomed = keysOf(
        prints,
        shots.filter(({ print_id }) => gone.has(print_id)),
      )
      await doomBlobs(trx, doomed, clock.now())
      return { printIds: [...gone], keys: doomed }
    })
    await removeAllDoomed({ database, blobs, log }, keys)
    if (printIds.length > 0) log.info({ print_ids: printIds }, 'prints deleted')
    return printIds.length
  }

  return { remove }
}

/** Notes that all goes that is kept of a printer and its prints, in the transaction in which their rows go; what was noted. */
export async function doomPrinterBlobs(trx: Kysely<Tables>, printerId: number, now: number): Promise<string[]> {
  const keys = [`printers/${printerId}/`, ...(await keysOfPrinter(trx, printerId))]
  await doomBlobs(trx, keys, now)
  return keys
}

async function keysOfPrinter(db: Kysely<Tables>, printerId: number): Promise<string[]> {
  return keysOf(await listPrintsOfPrinter(db, printerId), await listFeedbackOfPrinter(db, printerId))
}

/**
 * Removes what was noted. The rows are gone by then, so what cannot be removed is no business of the user's: it stays noted, and is
 * tried again later.
 */
export async function removeAllDoomed(
  { database, blobs, log }: Pick<PrintRemovalDeps, 'database' | 'blobs' | 'log'>,
  keys: readonly string[],
): Promise<void> {
  const removed: string[] = []
  for (let start = 0; start < keys.length; start += AT_ONCE) {
    const work = async (key: string): Promise<void> => {
      await removeDoomed(blobs, key)
      removed.push(key)
    }
    for (const result of await Promise.allSettled(keys.slice(start, start + AT_ONCE).map(work))) {
      if (result.status === 'rejected')
        log.error({ err: result.reason }, 'pictures of a print could not be removed yet')
    }
  }
  await spareBlobs(database.db, removed).catch((err: unknown) => {
    log.error({ err }, 'pictures that were removed are still noted')
  })
}

/** Removes the blob of this key, or all below it. */
export async function removeDoomed(blobs: Pick<BlobStore, 'remove' | 'removeAll'>, key: string): Promise<void> {
  await (key.endsWith('/') ? blobs.removeAll(key) : blobs.remove(key))
}

type PrintKeys = Pick<PrintRow, 'id' | 'video_key' | 'tagged_video_key' | 'poster_key'>

/** What is kept of prints: each has a folder of its own, and some lies elsewhere. */
function keysOf(prints: readonly PrintKeys[], shots: readonly { print_id: number; image_key: string }[]): string[] {
  const named = [
    ...prints.flatMap((print) =>
      [print.video_key, print.tagged_video_key, print.poster_key].map((key) => [print.id, key] as const),
    ),
    ...shots.map(({ print_id, image_key }) => [print_id, image_key] as const),
  ]
  const elsewhere = named.flatMap(([id, key]) => (key === null || key.startsWith(`prints/${id}/`) ? [] : [key]))
  return [...prints.map(({ id }) => `prints/${id}/`), ...elsewhere]
}
