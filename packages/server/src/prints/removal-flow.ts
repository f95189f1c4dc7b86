import type { Kysely } from 'kysely'
import type { BlobStore, Database, Log } from '../ports.js'
import type { Tables } from '../tables.js'
import { forgetEventPictures, listPicturedEvents } from './events-store.js'
import { listFeedbackOfPrinter, listFeedbackOfPrints } from './feedback-store.js'
import { deleteEndedPrints, listPrintsOfPrinter, type PrintRow } from './store.js'

/** How many prints' pictures are removed at a time. */
const AT_ONCE = 8

export interface PrintRemovalDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'remove' | 'removeAll'>
  readonly log: Log
}

/** What is kept of prints besides their rows. */
export interface PrintBlobs {
  /** Each has a folder of its own. */
  readonly printIds: readonly number[]
  /** What lies elsewhere. */
  readonly keys: readonly string[]
}

export type PrintRemovalFlow = ReturnType<typeof printRemovalFlow>

/** Deleting prints: the rows first, all or none, then their pictures and videos. */
export function printRemovalFlow({ database, blobs, log }: PrintRemovalDeps) {
  /** Deletes those of the user's prints that have ended, and says how many there were. Others are left as they are. */
  async function remove(userId: number, ids: readonly number[]): Promise<number> {
    const removed = await database.transaction(async (trx) => {
      const events = await listPicturedEvents(trx, ids)
      const shots = await listFeedbackOfPrints(trx, ids)
      const prints = await deleteEndedPrints(trx, userId, ids)
      const gone = new Set(prints.map(({ id }) => id))
      const pictured = events.filter(({ print_id }) => print_id !== null && gone.has(print_id))
      await forgetEventPictures(
        trx,
        pictured.map(({ id }) => id),
      )
      return blobsOf(
        prints,
        shots.filter(({ print_id }) => gone.has(print_id)),
      )
    })
    await removePrintBlobs({ blobs, log }, removed)
    if (removed.printIds.length > 0) log.info({ print_ids: removed.printIds }, 'prints deleted')
    return removed.printIds.length
  }

  return { remove }
}

/** What is kept of all the prints of a printer, to be asked before their rows go with the printer's. */
export async function findPrinterBlobs(db: Kysely<Tables>, printerId: number): Promise<PrintBlobs> {
  return blobsOf(await listPrintsOfPrinter(db, printerId), await listFeedbackOfPrinter(db, printerId))
}

/** Removes what is kept. The rows are gone by then, so what cannot be removed is the operator's business and not the user's. */
export async function removePrintBlobs(
  { blobs, log }: Pick<PrintRemovalDeps, 'blobs' | 'log'>,
  { printIds, keys }: PrintBlobs,
): Promise<void> {
  const works = [
    ...printIds.map((id) => () => blobs.removeAll(`prints/${id}/`)),
    ...keys.map((key) => () => blobs.remove(key)),
  ]
  for (let start = 0; start < works.length; start += AT_ONCE) {
    const ended = await Promise.allSettled(works.slice(start, start + AT_ONCE).map((work) => work()))
    for (const result of ended) {
      if (result.status === 'rejected') log.error({ err: result.reason }, 'pictures of a print could not be removed')
    }
  }
}

type PrintKeys = Pick<PrintRow, 'id' | 'video_key' | 'tagged_video_key' | 'poster_key'>

function blobsOf(prints: readonly PrintKeys[], shots: readonly { print_id: number; image_key: string }[]): PrintBlobs {
  const named = [
    ...prints.flatMap((print) =>
      [print.video_key, print.tagged_video_key, print.poster_key].map((key) => [print.id, key] as const),
    ),
    ...shots.map(({ print_id, image_key }) => [print_id, image_key] as const),
  ]
  const elsewhere = named.flatMap(([id, key]) => (key === null || key.startsWith(`prints/${id}/`) ? [] : [key]))
  return { printIds: prints.map(({ id }) => id), keys: elsewhere }
}
