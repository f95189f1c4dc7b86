import type { CommandStatus } from '@printwarden/protocol'
import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { CommandsTable, Tables } from '../tables.js'

export type CommandRow = Selectable<CommandsTable>

/** The states of a command of which more is to be heard. */
const PENDING = ['sent', 'acked']

export async function insertCommand(db: Kysely<Tables>, row: Insertable<CommandsTable>): Promise<CommandRow> {
  return db.insertInto('commands').values(row).returningAll().executeTakeFirstOrThrow()
}

export async function findCommand(db: Kysely<Tables>, printerId: number, id: string): Promise<CommandRow | undefined> {
  const query = db.selectFrom('commands').selectAll().where('id', '=', id)
  return query.where('printer_id', '=', printerId).executeTakeFirst()
}

/** Moves a command on; undefined when it is no longer in one of the states `from`, so that a late step changes nothing. */
export async function advanceCommand(
  db: Kysely<Tables>,
  id: string,
  from: readonly CommandStatus[],
  changes: Updateable<CommandsTable>,
): Promise<CommandRow | undefined> {
  const query = db.updateTable('commands').set(changes).where('id', '=', id)
  return query.where('status', 'in', from).returningAll().executeTakeFirst()
}

/** Commands of which more is to be heard, of one printer or of all: what a restarted server goes on waiting for. */
export async function listPendingCommands(db: Kysely<Tables>, printerId?: number): Promise<CommandRow[]> {
  const query = db.selectFrom('commands').selectAll().where('status', 'in', PENDING)
  return (printerId === undefined ? query : query.where('printer_id', '=', printerId)).execute()
}

/** A command to print of which the printer shows nothing yet: one under way to its agent, or taken by it since `ackedSince`. */
export async function findBeginningPrint(
  db: Kysely<Tables>,
  printerId: number,
  ackedSince: number,
): Promise<CommandRow | undefined> {
  const query = db.selectFrom('commands').selectAll().where('printer_id', '=', printerId)
  const prints = query.where('cmd', 'in', ['print', 'print_file'])
  const beginning = prints.where((eb) =>
    eb.or([eb('status', '=', 'sent'), eb.and([eb('status', '=', 'acked'), eb('acked_at', '>', ackedSince)])]),
  )
  return beginning.limit(1).executeTakeFirst()
}

/** The last pause that the server asked for by itself. */
export async function findLastSystemPause(db: Kysely<Tables>, printerId: number): Promise<CommandRow | undefined> {
  const query = db.selectFrom('commands').selectAll().where('printer_id', '=', printerId)
  const pauses = query.where('cmd', '=', 'pause').where('initiator', '=', 'system')
  return pauses.orderBy('created_at', 'desc').limit(1).executeTakeFirst()
}

/** The newest command of one of these names since then that reached the agent and was not refused: it is behind what the printer did. */
export async function findCommandBehind(
  db: Kysely<Tables>,
  printerId: number,
  names: readonly string[],
  since: number,
): Promise<CommandRow | undefined> {
  const query = db.selectFrom('commands').selectAll().where('printer_id', '=', printerId)
  const those = query.where('cmd', 'in', names).where('created_at', '>=', since).where('status', '!=', 'failed')
  return those.orderBy('created_at', 'desc').limit(1).executeTakeFirst()
}

/** Notes the alert that a command of the server is about. */
export async function setCommandAlert(db: Kysely<Tables>, id: string, alertId: number): Promise<void> {
  await db.updateTable('commands').set({ alert_id: alertId }).where('id', '=', id).execute()
}

/** Forgets commands that ended long ago. */
export async function pruneCommands(db: Kysely<Tables>, createdBefore: number): Promise<void> {
  await db.deleteFrom('commands').where('created_at', '<', createdBefore).execute()
}
