import type { Kysely } from 'kysely'
import type { Tables } from '../tables.js'

type Db = Kysely<Tables>

/** A session as its user sees it. */
export interface SessionRow {
  readonly id: number
  readonly created_at: number
  readonly expires_at: number
  readonly user_agent: string | null
  readonly ip_address: string | null
}

/** A user's sessions that still count, the one used last first. */
export function listSessions(db: Db, userId: number, now: number): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .select(['id', 'created_at', 'expires_at', 'user_agent', 'ip_address'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('expires_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

/** Ends one session of a user, or all save one; the ids of those that ended. */
export async function endSessions(
  db: Db,
  userId: number,
  which: { readonly id: number } | { readonly except: number | undefined },
): Promise<number[]> {
  let query = db.deleteFrom('sessions').where('user_id', '=', userId)
  if ('id' in which) query = query.where('id', '=', which.id)
  else if (which.except !== undefined) query = query.where('id', '!=', which.except)
  const rows = await query.returning('id').execute()
  return rows.map(({ id }) => id)
}
