import type { Kysely } from 'kysely'
import type { Tables } from '../tables.js'

type Db = Kysely<Tables>

/** The scopes that a user allowed an app before; undefined when there was no such time. */
export async function findConsent(db: Db, userId: number, clientId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('oauth_consents')
    .select('scope')
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .executeTakeFirst()
  return row?.scope
}

export async function saveConsent(
  db: Db,
  consent: { user_id: number; client_id: number; scope: string; created_at: number },
): Promise<void> {
  const { scope, created_at } = consent
  await db
    .insertInto('oauth_consents')
    .values(consent)
    .onConflict((conflict) => conflict.columns(['user_id', 'client_id']).doUpdateSet({ scope, created_at }))
    .execute()
}

/** Forgets what was allowed an app, by one user or by everybody. */
export async function deleteConsents(db: Db, clientId: number, userId: number | undefined): Promise<void> {
  const query = db.deleteFrom('oauth_consents').where('client_id', '=', clientId)
  await (userId === undefined ? query : query.where('user_id', '=', userId)).execute()
}
