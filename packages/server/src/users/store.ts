import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { SessionsTable, Tables, UsersTable } from '../tables.js'

export type UserRow = Selectable<UsersTable>

type Db = Kysely<Tables>

export function findUser(db: Db, id: number): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Addresses are told apart without regard to case. */
export function findUserByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email', '=', email.toLowerCase()).executeTakeFirst()
}

/** Adds an account; undefined when the address is taken. */
export function insertUser(db: Db, user: Insertable<UsersTable>): Promise<UserRow | undefined> {
  return db
    .insertInto('users')
    .values({ ...user, email: user.email.toLowerCase() })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst()
}

export function updateUser(db: Db, id: number, changes: Updateable<UsersTable>): Promise<UserRow | undefined> {
  if (Object.keys(changes).length === 0) return findUser(db, id)
  return db.updateTable('users').set(changes).where('id', '=', id).returningAll().executeTakeFirst()
}

/** Moves `last_active_at`, at most once in `stepMs`. */
export async function touchUser(db: Db, id: number, now: number, stepMs: number): Promise<void> {
  await db
    .updateTable('users')
    .set({ last_active_at: now })
    .where('id', '=', id)
    .where((where) => where.or([where('last_active_at', 'is', null), where('last_active_at', '<', now - stepMs)]))
    .execute()
}

/** One more line of the history that the user has not seen. The user's own change of the number sets it back. */
export async function countUnseenEvent(db: Db, id: number): Promise<void> {
  await db
    .updateTable('users')
    .set((eb) => ({ unseen_printer_events: eb('unseen_printer_events', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** Whether anybody can administer this server yet. */
export async function hasAdministrator(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('id')
    .where('is_admin', '=', 1)
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** How many administrators besides this user could still sign in. */
export async function countOtherAdministrators(db: Db, id: number): Promise<number> {
  const row = await db
    .selectFrom('users')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('is_admin', '=', 1)
    .where('disabled_at', 'is', null)
    .where('id', '!=', id)
    .executeTakeFirstOrThrow()
  return row.count
}

/** An account with the number of its printers. */
export type AccountRow = UserRow & { readonly printer_count: number }

/** Every account, oldest first. */
export function listAccountRows(db: Db): Promise<AccountRow[]> {
  return accounts(db).orderBy('users.id').execute()
}

export function findAccountRow(db: Db, id: number): Promise<AccountRow | undefined> {
  return accounts(db).where('users.id', '=', id).executeTakeFirst()
}

function accounts(db: Db) {
  return db
    .selectFrom('users')
    .selectAll('users')
    .select((select) =>
      select
        .selectFrom('printers')
        .whereRef('printers.user_id', '=', 'users.id')
        .select((inner) => inner.fn.countAll<number>().as('count'))
        .$asScalar()
        .$castTo<number>()
        .as('printer_count'),
    )
}

/** Who a session belongs to. */
export interface SessionIdentity {
  readonly session_id: number
  readonly user_id: number
  readonly email: string
  readonly is_admin: number
  readonly disabled_at: number | null
  readonly expires_at: number
}

export function findSessionIdentity(db: Db, tokenHash: string): Promise<SessionIdentity | undefined> {
  return db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.id as session_id',
      'sessions.expires_at',
      'users.id as user_id',
      'users.email',
      'users.is_admin',
      'users.disabled_at',
    ])
    .where('sessions.token_hash', '=', tokenHash)
    .executeTakeFirst()
}

/** Which of these sessions still let somebody in. */
export async function listValidSessions(db: Db, ids: readonly number[], now: number): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select('sessions.id')
    .where('sessions.id', 'in', ids)
    .where('sessions.expires_at', '>', now)
    .where('users.disabled_at', 'is', null)
    .execute()
  return rows.map(({ id }) => id)
}

export async function insertSession(db: Db, session: Insertable<SessionsTable>): Promise<void> {
  // Old sessions of the same user go with the new one's coming, so nobody has to sweep.
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', session.user_id)
    .where('expires_at', '<=', session.created_at)
    .execute()
  await db.insertInto('sessions').values(session).execute()
}

export async function extendSession(db: Db, id: number, expiresAt: number): Promise<void> {
  await db.updateTable('sessions').set({ expires_at: expiresAt }).where('id', '=', id).execute()
}

export async function deleteSession(db: Db, id: number): Promise<void> {
  await db.deleteFrom('sessions').where('id', '=', id).execute()
}

export async function deleteSessionsOf(db: Db, userId: number): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
}

/** What the server remembers about itself. */
export async function readSetting(db: Db, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('server_settings').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value
}

export async function writeSetting(db: Db, key: string, value: string): Promise<void> {
  await db
    .insertInto('server_settings')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

export async function deleteSetting(db: Db, key: string): Promise<void> {
  await db.deleteFrom('server_settings').where('key', '=', key).execute()
}

/** Removes a setting if it still has this value; says whether it had. Of several who try at once, one is told so. */
export async function takeSetting(db: Db, key: string, value: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('server_settings')
    .where('key', '=', key)
    .where('value', '=', value)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
