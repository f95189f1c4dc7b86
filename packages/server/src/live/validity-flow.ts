import type { Kysely } from 'kysely'
import type { Caller } from '../http/api.js'
import { listValidTokens } from '../oauth/store.js'
import type { Tables } from '../tables.js'
import { listValidSessions } from '../users/store.js'

/** Looks up, by two reads however many there are, whether what let these callers in still counts. */
export async function validCallers(
  db: Kysely<Tables>,
  callers: readonly Caller[],
  now: number,
): Promise<(caller: Caller) => boolean> {
  const tokenIds = callers.flatMap(({ via }) => (via.type === 'token' ? [via.token_id] : []))
  const sessionIds = callers.flatMap(({ via }) => (via.type === 'session' ? [via.session_id] : []))
  const tokens = new Set(await listValidTokens(db, [...new Set(tokenIds)], now))
  const sessions = new Set(await listValidSessions(db, [...new Set(sessionIds)], now))
  return ({ via }) => (via.type === 'token' ? tokens.has(via.token_id) : sessions.has(via.session_id))
}
