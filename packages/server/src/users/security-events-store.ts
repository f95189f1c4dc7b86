import type { SecurityEventType } from '@printwarden/protocol'
import type { Kysely, Selectable } from 'kysely'
import type { SecurityEventsTable, Tables } from '../tables.js'

export type SecurityEventRow = Selectable<SecurityEventsTable>

type Db = Kysely<Tables>

/** Older ones are removed when the next is written. */
export const EVENT_RETENTION_MS = 400 * 24 * 3_600_000

/** More than anybody reads; whoever guesses at an account must not fill the database. */
const MOST_EVENTS = 2000

const TEXT_MAX = 300

/** Where a request came from. */
export interface Whence {
  readonly ip: string | null
  readonly userAgent: string | null
}

/** What happened to whose account. */
export interface NewSecurityEvent {
  readonly userId: number
  readonly type: SecurityEventType
  readonly at: number
  readonly whence?: Whence | undefined
  /** What it was about, such as an app's name. */
  readonly subject?: string | null | undefined
}

/** Notes something that a user should know of. Inside a transaction it is kept exactly when the change is. */
export async function noteSecurityEvent(db: Db, event: NewSecurityEvent): Promise<void> {
  const { userId: user_id, type, at, whence, subject } = event
  const { id } = await db
    .insertInto('security_events')
    .values({
      ...{ user_id, type, created_at: at },
      ip_address: whence?.ip ?? null,
      user_agent: whence?.userAgent?.slice(0, TEXT_MAX) ?? null,
      subject: subject?.slice(0, TEXT_MAX) ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const oldestKept = db
    .selectFrom('security_events')
    .select('id')
    .where('user_id', '=', user_id)
    .where('id', '<=', id)
    .orderBy('id', 'desc')
    .offset(MOST_EVENTS)
    .limit(1)
  await db
    .deleteFrom('security_events')
    .where('user_id', '=', user_id)
    .where((eb) => eb.or([eb('created_at', '<', at - EVENT_RETENTION_MS), eb('id', '<=', oldestKept)]))
    .execute()
}

/** A user's events, newest first; from below the id `before` on if it is given. */
export function listSecurityEvents(
  db: Db,
  userId: number,
  { limit, before }: { readonly limit: number; readonly before?: number | undefined },
): Promise<SecurityEventRow[]> {
  const all = db.selectFrom('security_events').selectAll().where('user_id', '=', userId)
  return (before === undefined ? all : all.where('id', '<', before)).orderBy('id', 'desc').limit(limit).execute()
}

export async function countSecurityEvents(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('security_events')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}
