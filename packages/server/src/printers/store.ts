import type { ExpressionBuilder, Insertable, Kysely, Selectable, Updateable } from 'kysely'
import { compiledQueries } from '../compiled-query.js'
import { joinedColumns, type JoinedPrint, type PrintRecord, printsJoined } from '../prints/store.js'
import type { PrintersTable, Tables } from '../tables.js'

/** A printer as the database has it. */
export type PrinterRow = Selectable<PrintersTable>

export async function findPrinter(db: Kysely<Tables>, id: number): Promise<PrinterRow | undefined> {
  return db.selectFrom('printers').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The printer, when it is the user's. Archived ones too. */
export async function findVisiblePrinter(
  db: Kysely<Tables>,
  userId: number,
  id: number,
): Promise<PrinterRow | undefined> {
  const [printer] = await visiblePrinter(db, '', [userId, id], ([user, printerId]) =>
    db.selectFrom('printers').selectAll().where('id', '=', printerId).where('user_id', '=', user),
  )
  return printer
}

const visiblePrinter = compiledQueries<PrinterRow>()

/** The printer whose `auth_token` has this keyed hash. */
export async function findPrinterByTokenHash(db: Kysely<Tables>, hash: string): Promise<PrinterRow | undefined> {
  return db.selectFrom('printers').selectAll().where('auth_token_hash', '=', hash).executeTakeFirst()
}

/** The query behind `listPrinters`, so that a test can ask the engine for its plan. */
export function printersQuery(db: Kysely<Tables>, userId: number, { withArchived }: { withArchived: boolean }) {
  const query = db.selectFrom('printers').selectAll('printers').where('printers.user_id', '=', userId)
  return (withArchived ? query : query.where('printers.archived_at', 'is', null)).orderBy('printers.id')
}

/** The user's printers in the order in which they were added. */
export async function listPrinters(
  db: Kysely<Tables>,
  userId: number,
  options: { withArchived: boolean },
): Promise<PrinterRow[]> {
  return printersOfUser(db, options.withArchived ? 'all' : 'current', [userId], ([user]) =>
    printersQuery(db, user, options),
  )
}

const printersOfUser = compiledQueries<PrinterRow>()

type PrinterWithPrint = PrinterRow & JoinedPrint

/** The query behind `listPrintersWithPrints`, so that a test can ask the engine for its plan. */
export function printersWithPrintsQuery(db: Kysely<Tables>, userId: number, options: { withArchived: boolean }) {
  return printersQuery(db, userId, options)
    .leftJoin('prints', 'prints.id', 'printers.current_print_id')
    .select((eb) => joinedColumns(eb as ExpressionBuilder<Tables, 'prints'>))
    .$castTo<PrinterWithPrint>()
}

/** The user's printers in the order in which they were added, and the current prints of those that have one. */
export async function listPrintersWithPrints(
  db: Kysely<Tables>,
  userId: number,
  options: { withArchived: boolean },
): Promise<{ printers: PrinterRow[]; prints: PrintRecord[] }> {
  const printers = await printersWithPrints(db, options.withArchived ? 'all' : 'current', [userId], ([user]) =>
    printersWithPrintsQuery(db, user, options),
  )
  return { printers, prints: await printsJoined(db, printers) }
}

const printersWithPrints = compiledQueries<PrinterWithPrint>()

export async function insertPrinter(db: Kysely<Tables>, row: Insertable<PrintersTable>): Promise<PrinterRow> {
  return db.insertInto('printers').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Changes some columns; undefined when there is no such printer. */
export async function updatePrinter(
  db: Kysely<Tables>,
  id: number,
  changes: Updateable<PrintersTable>,
): Promise<PrinterRow | undefined> {
  if (Object.keys(changes).length === 0) return findPrinter(db, id)
  return db.updateTable('printers').set(changes).where('id', '=', id).returningAll().executeTakeFirst()
}

/** The same where the printer is the user's: undefined when it is not. */
export async function updateVisiblePrinter(
  db: Kysely<Tables>,
  userId: number,
  id: number,
  changes: Updateable<PrintersTable>,
): Promise<PrinterRow | undefined> {
  if (Object.keys(changes).length === 0) return findVisiblePrinter(db, userId, id)
  const query = db.updateTable('printers').set(changes).where('id', '=', id).where('user_id', '=', userId)
  return query.returningAll().executeTakeFirst()
}

/** Keeps what the agent told about itself. `settings` is the whole merged object as JSON text. */
export async function setPrinterAgent(
  db: Kysely<Tables>,
  id: number,
  agent: Pick<PrinterRow, 'agent_name' | 'agent_version' | 'settings'>,
): Promise<void> {
  await db.updateTable('printers').set(agent).where('id', '=', id).execute()
}

export async function setCurrentPrint(db: Kysely<Tables>, printerId: number, printId: number | null): Promise<void> {
  await db.updateTable('printers').set({ current_print_id: printId }).where('id', '=', printerId).execute()
}

/** Keeps a checkpoint of the smoothing state, as JSON text. */
export async function setSmoothing(db: Kysely<Tables>, printerId: number, smoothing: string | null): Promise<void> {
  await db.updateTable('printers').set({ smoothing }).where('id', '=', printerId).execute()
}

/** Deletes the printer with its prints, events, predictions and commands. Says whether there was one. */
export async function deletePrinter(db: Kysely<Tables>, id: number): Promise<boolean> {
  const result = await db.deleteFrom('printers').where('id', '=', id).executeTakeFirst()
  return Number(result.numDeletedRows) > 0
}
