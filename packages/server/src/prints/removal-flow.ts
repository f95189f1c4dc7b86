import type { BlobStore, Database, Log } from '../ports.js'
import { forgetEventPictures, listPicturedEvents } from './events-store.js'
import { listFeedbackOfPrints } from './feedback-store.js'
import { deleteEndedPrints, type PrintRow } from './store.js'

/** How many prints' pictures are removed at a time. */
const AT_ONCE = 8

export interface PrintRemovalDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'remove' | 'removeAll'>
  readonly log: Log
}

export type PrintRemovalFlow = ReturnType<typeof printRemovalFlow>

/** Deleting prints: the rows first, all or none, then their pictures and videos. */
export function printRemovalFlow({ database, blobs, log }: PrintRemovalDeps) {
  /** Deletes those of the user's prints that have ended, and says how many there were. Others are left as they are. */
  async function remove(userId: number, ids: readonly number[]): Promise<number> {
    const { prints, keys } = await database.transaction(async (trx) => {
      const events = await listPicturedEvents(trx, ids)
      const shots = await listFeedbackOfPrints(trx, ids)
      const deleted = await deleteEndedPrints(trx, userId, ids)
      const gone = new Set(deleted.map(({ id }) => id))
      const pictured = events.filter(({ print_id }) => print_id !== null && gone.has(print_id))
      await forgetEventPictures(
        trx,
        pictured.map(({ id }) => id),
      )
      const shotKeys = shots.filter(({ print_id }) => gone.has(print_id)).map(({ image_key }) => image_key)
      return { prints: deleted, keys: [...deleted.flatMap(keysOf), ...shotKeys] }
    })
    await inTurns(prints, async ({ id }) => blobs.removeAll(`prints/${id}/`))
    await inTurns(keys, async (key) => blobs.remove(key))
    if (prints.length > 0) log.info({ print_ids: prints.map(({ id }) => id) }, 'prints deleted')
    return prints.length
  }

  /** The rows are gone by now, so a picture that cannot be removed is the operator's business and not the user's. */
  async function inTurns<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    for (let start = 0; start < items.length; start += AT_ONCE) {
      const ended = await Promise.allSettled(items.slice(start, start + AT_ONCE).map(work))
      for (const result of ended) {
        if (result.status === 'rejected') log.error({ err: result.reason }, 'pictures of a print could not be removed')
      }
    }
  }

  return { remove }
}

/** What a print names itself. Nearly all of it lies in the print's own folder, which goes as a whole. */
const keysOf = (print: PrintRow): string[] =>
  [print.video_key, print.tagged_video_key, print.poster_key].filter((key) => key !== null)
