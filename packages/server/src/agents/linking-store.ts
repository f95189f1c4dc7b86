import type { Insertable, Kysely, Selectable } from 'kysely'
import type { AgentLinksTable, LinkCodesTable, Tables } from '../tables.js'

// Codes, passcodes and waiting agents. What can happen once is one conditional statement, so that of two at a time one succeeds.

type Db = Kysely<Tables>

export type LinkCodeRow = Selectable<LinkCodesTable>
export type AgentLinkRow = Selectable<AgentLinksTable>

/** Ends the codes whose time is over, so that their digits can be given again, and forgets those that ended before `before`. */
export async function expireLinkCodes(db: Db, now: number, before: number): Promise<void> {
  await db
    .updateTable('link_codes')
    .set({ live_code: null })
    .where('live_code', 'is not', null)
    .where('expired_at', '<=', now)
    .execute()
  await db.deleteFrom('link_codes').where('expired_at', '<', before).execute()
}

/** The code that is good now for this printer of the user's, or for a new one. */
export function findLiveLinkCode(
  db: Db,
  userId: number,
  printerId: number | null,
  now: number,
): Promise<LinkCodeRow | undefined> {
  return db
    .selectFrom('link_codes')
    .selectAll()
    .where('user_id', '=', userId)
    .where('printer_id', printerId === null ? 'is' : '=', printerId)
    .where('live_code', 'is not', null)
    .where('expired_at', '>', now)
    .executeTakeFirst()
}

/** Adds a code; undefined when its digits are in use, or the user got one at the same moment. */
export function insertLinkCode(db: Db, row: Insertable<LinkCodesTable>): Promise<LinkCodeRow | undefined> {
  return db
    .insertInto('link_codes')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst()
}

export function findLinkCode(db: Db, userId: number, id: number): Promise<LinkCodeRow | undefined> {
  const query = db.selectFrom('link_codes').selectAll().where('id', '=', id)
  return query.where('user_id', '=', userId).executeTakeFirst()
}

/** Uses a good code up; undefined when there is none, or its user was disabled. */
export function takeLinkCode(db: Db, code: string, now: number): Promise<LinkCodeRow | undefined> {
  return db
    .updateTable('link_codes')
    .set({ live_code: null, verified_at: now, expired_at: now })
    .where('live_code', '=', code)
    .where('expired_at', '>', now)
    .where('user_id', 'in', (from) => from.selectFrom('users').select('id').where('disabled_at', 'is', null))
    .returningAll()
    .executeTakeFirst()
}

export async function setLinkedPrinter(db: Db, id: number, printerId: number): Promise<void> {
  await db.updateTable('link_codes').set({ printer_id: printerId }).where('id', '=', id).execute()
}

/** The user's code with these digits, if it is good now. */
export function findOwnLiveCode(db: Db, userId: number, code: string, now: number): Promise<LinkCodeRow | undefined> {
  return db
    .selectFrom('link_codes')
    .selectAll()
    .where('live_code', '=', code)
    .where('user_id', '=', userId)
    .where('expired_at', '>', now)
    .executeTakeFirst()
}

/** Forgets passcodes whose time is over; says how many are left. */
export async function countLivePasscodes(db: Db, now: number): Promise<number> {
  await db.deleteFrom('link_passcodes').where('expires_at', '<=', now).execute()
  return count(db, 'link_passcodes')
}

/** Adds a passcode; false when it is in use. */
export async function insertPasscode(
  db: Db,
  row: { passcode: string; created_at: number; expires_at: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('link_passcodes')
    .values({ ...row, link_code_id: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** A passcode that is good now, with the code that a user gave it if that is still good. */
export function findPasscode(
  db: Db,
  passcode: string,
  now: number,
): Promise<{ passcode: string; live_code: string | null } | undefined> {
  return db
    .selectFrom('link_passcodes')
    .leftJoin('link_codes', (join) =>
      join.onRef('link_codes.id', '=', 'link_passcodes.link_code_id').on('link_codes.expired_at', '>', now),
    )
    .select(['link_passcodes.passcode', 'link_codes.live_code'])
    .where('link_passcodes.passcode', '=', passcode)
    .where('link_passcodes.expires_at', '>', now)
    .executeTakeFirst()
}

/** Gives a code to the agent that shows this passcode; false when there is no such passcode, or it has a code already. */
export async function claimPasscode(
  db: Db,
  passcode: string,
  { codeId, now, expiresAt }: { codeId: number; now: number; expiresAt: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('link_passcodes')
    .set({ link_code_id: codeId, expires_at: expiresAt })
    .where('passcode', '=', passcode)
    .where('link_code_id', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Forgets agents that have waited too long; says how many are left. */
export async function countWaitingAgents(db: Db, now: number): Promise<number> {
  await db.deleteFrom('agent_links').where('expires_at', '<=', now).execute()
  return count(db, 'agent_links')
}

/** Adds an agent that waits; false when its code is in use. */
export async function insertAgentLink(db: Db, row: Insertable<AgentLinksTable>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('agent_links')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Uses up the code that an agent shows; undefined when there is none. The agent has until `expiresAt` to fetch its token. */
export function takeAgentLinkCode(
  db: Db,
  code: string,
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<AgentLinkRow | undefined> {
  return db
    .updateTable('agent_links')
    .set({ live_code: null, expires_at: expiresAt })
    .where('live_code', '=', code)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst()
}

export async function setAgentLinkPrinter(db: Db, id: number, printerId: number): Promise<void> {
  await db.updateTable('agent_links').set({ printer_id: printerId }).where('id', '=', id).execute()
}

/** An agent that waits, by its secret. */
export function findAgentLink(db: Db, secretHash: string, now: number): Promise<AgentLinkRow | undefined> {
  const query = db.selectFrom('agent_links').selectAll().where('secret_hash', '=', secretHash)
  return query.where('expires_at', '>', now).executeTakeFirst()
}

/** Ends the waiting of an agent that has a printer now. Of several who ask at once, one is told true. */
export async function takeAgentLink(db: Db, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('agent_links')
    .where('id', '=', id)
    .where('printer_id', 'is not', null)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

async function count(db: Db, table: 'link_passcodes' | 'agent_links'): Promise<number> {
  const row = await db
    .selectFrom(table)
    .select((s) => s.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}
