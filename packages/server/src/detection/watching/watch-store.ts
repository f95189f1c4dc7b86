import type { Kysely, Selectable } from 'kysely'
import type { CommandsTable, PrintersTable, Tables } from '../../tables.js'

/** Keeps a checkpoint of what is known of a camera, as JSON text. */
export async function setCameraWatch(db: Kysely<Tables>, id: number, watch: string): Promise<void> {
  await db.updateTable('cameras').set({ watch }).where('id', '=', id).execute()
}

/** A printer with a print that is not over, and what decides whether that is watched. */
export type PrintingPrinter = Pick<
  Selectable<PrintersTable>,
  'id' | 'user_id' | 'name' | 'watching_enabled' | 'watch_told' | 'action_on_failure'
> & {
  readonly print_id: number
  readonly filename: string
  readonly started_at: number
  readonly alert_muted_at: number | null
  readonly alerted_at: number | null
  readonly alert_acknowledged_at: number | null
  readonly paused_at: number | null
  readonly auto_paused_at: number | null
  readonly rearmed_at: number | null
}

/** Every printer with a current print. */
export async function listPrinting(db: Kysely<Tables>): Promise<PrintingPrinter[]> {
  return db
    .selectFrom('printers')
    .innerJoin('prints', 'prints.id', 'printers.current_print_id')
    .select([
      'printers.id',
      'printers.user_id',
      'printers.name',
      'printers.watching_enabled',
      'printers.watch_told',
      'printers.action_on_failure',
      'prints.id as print_id',
      'prints.filename',
      'prints.started_at',
      'prints.alert_muted_at',
      'prints.alerted_at',
      'prints.alert_acknowledged_at',
      'prints.paused_at',
      'prints.auto_paused_at',
      'prints.rearmed_at',
    ])
    .execute()
}

/** Moves on what was told; false when another node has done so. */
export async function moveWatchTold(
  db: Kysely<Tables>,
  printerId: number,
  from: string | null,
  to: string | null,
): Promise<boolean> {
  const query = db.updateTable('printers').set({ watch_told: to }).where('id', '=', printerId)
  const { numUpdatedRows } = await query.where('watch_told', from === null ? 'is' : '=', from).executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Forgets what was told of prints that are over. */
export async function clearWatchTold(db: Kysely<Tables>): Promise<void> {
  const query = db.updateTable('printers').set({ watch_told: null }).where('watch_told', 'is not', null)
  await query.where('current_print_id', 'is', null).execute()
}

/** The cancels that the server asked for by itself since `since`, the last one first. */
export async function listSystemCancels(
  db: Kysely<Tables>,
  printerId: number,
  since: number,
): Promise<Selectable<CommandsTable>[]> {
  const query = db.selectFrom('commands').selectAll().where('printer_id', '=', printerId)
  const cancels = query.where('cmd', '=', 'cancel').where('initiator', '=', 'system').where('created_at', '>=', since)
  return cancels.orderBy('created_at', 'desc').execute()
}

/** The last cancel that the server asked for by itself since `since`. */
export async function findSystemCancel(
  db: Kysely<Tables>,
  printerId: number,
  since: number,
): Promise<Selectable<CommandsTable> | undefined> {
  return (await listSystemCancels(db, printerId, since))[0]
}

/** Cameras that are to be looked at, of printers in use, whose pictures have been seen. */
export async function listWatchedCameras(db: Kysely<Tables>) {
  return db
    .selectFrom('cameras')
    .innerJoin('printers', 'printers.id', 'cameras.printer_id')
    .select(['cameras.id', 'cameras.printer_id', 'printers.current_print_id'])
    .where('cameras.detection_enabled', '=', 1)
    .where('printers.watching_enabled', '=', 1)
    .where('printers.archived_at', 'is', null)
    .execute()
}
