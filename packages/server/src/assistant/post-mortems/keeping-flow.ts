import { ApiError } from '../../errors.js'
import type { BlobStore, Clock, Database, Log } from '../../ports.js'
import { findPrint, type PrintRow } from '../../prints/store.js'
import type { Moment } from './evidence.js'
import type { DrawnPicture } from './past-flow.js'
import { findPostMortem, type PostMortemRow, putPostMortem } from './post-mortem-store.js'
import { type KeptMoment, keptMoments } from './post-mortem-view.js'

export interface KeepingFlowDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'put' | 'remove' | 'removeAll'>
  readonly clock: Clock
  readonly log: Log
}

/** An answer that is to be kept. */
export interface NewPostMortem {
  readonly cause: string
  readonly certainty: 'likely' | 'possible' | 'unclear'
  readonly answer: string
  readonly advice: readonly string[]
  /** Those that the answer cites. */
  readonly moments: readonly Moment<DrawnPicture>[]
  readonly missing: readonly string[]
  readonly model: string
}

/** Where the pictures of a print's answer lie: copies, since frames go when the time-lapse is made. They go with the print. */
const picturesPrefix = (printId: number): string => `prints/${printId}/post-mortem/`

export type KeepingFlow = ReturnType<typeof keepingFlow>

/** Keeps answers, one for each print, with the pictures that they cite. */
export function keepingFlow({ database, blobs, clock, log }: KeepingFlowDeps) {
  /** Keeps an answer in place of the one before. @throws {ApiError} not_found when the print was deleted meanwhile */
  async function keep(print: PrintRow, made: NewPostMortem): Promise<PostMortemRow> {
    const now = clock.now()
    const moments: KeptMoment[] = []
    try {
      for (const moment of made.moments) moments.push(await keptMoment(print.id, now, moment))
      const { cause, certainty, answer, model } = made
      const row = {
        ...{ print_id: print.id, cause, certainty, answer, model, created_at: now },
        advice: JSON.stringify(made.advice),
        moments: JSON.stringify(moments),
        missing: JSON.stringify(made.missing),
      }
      await removePictures(print.id, await replace(row), moments)
      return row
    } catch (error) {
      // The answer before stays, and nothing names these.
      await removePictures(print.id, moments, [])
      throw error
    }
  }

  /** Hands back the moments of the answer before. */
  async function replace(row: PostMortemRow): Promise<readonly KeptMoment[]> {
    const before = await database.transaction(async (trx) => {
      if ((await findPrint(trx, row.print_id)) === undefined) return 'gone'
      const replaced = await findPostMortem(trx, row.print_id)
      const unused = replaced === undefined ? [] : keptMoments(replaced)
      await putPostMortem(trx, row)
      return unused
    })
    if (before !== 'gone') return before
    await blobs.removeAll(picturesPrefix(row.print_id))
    throw new ApiError('not_found')
  }

  async function keptMoment(printId: number, now: number, moment: Moment<DrawnPicture>): Promise<KeptMoment> {
    const { picture, at, number, kind, seconds, text } = moment
    const shown = { number, kind, at: new Date(at).toISOString(), seconds, text }
    if (picture === null) return { ...shown, picture_key: null }
    const picture_key = `${picturesPrefix(printId)}${now}-${number}.jpg`
    await blobs.put(picture_key, picture.bytes, 'image/jpeg')
    return { ...shown, picture_key }
  }

  /** Pictures that no answer shows any more. One that cannot be removed goes with the print. */
  async function removePictures(
    print_id: number,
    unused: readonly KeptMoment[],
    used: readonly KeptMoment[],
  ): Promise<void> {
    const kept = new Set(used.map(({ picture_key }) => picture_key))
    for (const { picture_key } of unused) {
      if (picture_key === null || kept.has(picture_key)) continue
      await blobs.remove(picture_key).catch((err: unknown) => {
        log.warn({ err, print_id }, 'a picture of no answer could not be removed')
      })
    }
  }

  return { keep }
}
