import type { PrinterEventType } from '@printwarden/protocol'
import type { Insertable, Kysely, Selectable } from 'kysely'
import type { PrintRow } from '../../prints/store.js'
import type { PostMortemsTable, Tables } from '../../tables.js'
import { endOf, type PastEvent, type PastScore } from './print-past.js'

export type PostMortemRow = Selectable<PostMortemsTable>

/** What was answered last about a print. */
export async function findPostMortem(db: Kysely<Tables>, printId: number): Promise<PostMortemRow | undefined> {
  return db.selectFrom('post_mortems').selectAll().where('print_id', '=', printId).executeTakeFirst()
}

/** Keeps an answer in place of the one before. */
export async function putPostMortem(db: Kysely<Tables>, row: Insertable<PostMortemsTable>): Promise<void> {
  const { print_id: _, ...changes } = row
  const query = db.insertInto('post_mortems').values(row)
  await query.onConflict((conflict) => conflict.column('print_id').doUpdateSet(changes)).execute()
}

/** Some weeks of pictures every ten seconds. */
const MAX_SCORES = 200_000

/** The gauge at each picture of a print that was looked at, of all cameras, in order of time; of very many the last ones. */
export async function listScores(db: Kysely<Tables>, printId: number, most = MAX_SCORES): Promise<PastScore[]> {
  const query = db.selectFrom('predictions').select(['frame_at', 'normalized_p', 'camera_id'])
  const rows = await query.where('print_id', '=', printId).orderBy('frame_at', 'desc').limit(most).execute()
  return rows.toReversed()
}

const MAX_EVENTS = 500
/** A host may tell of an error, and a print's start be corrected, a little before or after. */
const AROUND_MS = 60_000
/** Alerts and ends that an agent told late. */
const LATE_MS = 3_600_000
/** What is told while nothing prints, too. Other lines of no print are of one that was deleted, which may have been next to this one. */
const ALSO_OF_NO_PRINT: readonly PrinterEventType[] = ['PRINTER_ERROR', 'FILAMENT_CHANGE', 'COMMAND_GIVEN']

/** The lines of the printer's history about a print, and those about nothing while it ran; the last ones, in order of time. */
export async function listPastEvents(db: Kysely<Tables>, print: PrintRow): Promise<PastEvent[]> {
  const endedAt = endOf({ print })
  const rows = await db
    .selectFrom('printer_events')
    .select(['event_type', 'event_class', 'event_title', 'event_text', 'created_at'])
    .where('printer_id', '=', print.printer_id)
    .where('created_at', '>=', print.started_at - AROUND_MS)
    .where('created_at', '<=', endedAt + LATE_MS)
    .where((eb) =>
      eb.or([
        eb('print_id', '=', print.id),
        eb.and([
          eb('print_id', 'is', null),
          eb('event_type', 'in', ALSO_OF_NO_PRINT),
          eb('created_at', '<=', endedAt + AROUND_MS),
        ]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_EVENTS)
    .execute()
  return rows.toReversed()
}
