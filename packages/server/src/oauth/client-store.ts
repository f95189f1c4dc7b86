import type { Insertable, Kysely, Updateable } from 'kysely'
import type { OauthClientsTable, Tables } from '../tables.js'
import type { ClientRow } from './store.js'

type Db = Kysely<Tables>

/** A client with how much it is used. */
export type ClientUse = ClientRow & {
  /** E-mail address of who registered it. */
  readonly owner: string | null
  /** How many people it is connected to. */
  readonly user_count: number
  readonly last_used_at: number | null
}

export function findClient(db: Db, clientId: string): Promise<ClientRow | undefined> {
  return db.selectFrom('oauth_clients').selectAll().where('client_id', '=', clientId).executeTakeFirst()
}

/** Adds a client; undefined when its `client_id` is taken. */
export function insertClient(db: Db, client: Insertable<OauthClientsTable>): Promise<ClientRow | undefined> {
  return db
    .insertInto('oauth_clients')
    .values(client)
    .onConflict((conflict) => conflict.column('client_id').doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function updateClient(db: Db, id: number, changes: Updateable<OauthClientsTable>): Promise<void> {
  if (Object.keys(changes).length === 0) return
  await db.updateTable('oauth_clients').set(changes).where('id', '=', id).execute()
}

/** Removes a client and, with it, all that was issued to it. */
export async function deleteClient(db: Db, id: number): Promise<void> {
  await db.deleteFrom('oauth_clients').where('id', '=', id).execute()
}

/** How many apps a user has registered. */
export async function countClientsOf(db: Db, ownerId: number): Promise<number> {
  const row = await db
    .selectFrom('oauth_clients')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('owner_id', '=', ownerId)
    .executeTakeFirstOrThrow()
  return row.count
}

/** The clients that a user registered, or every client when no owner is given; oldest first. */
export function listClientUses(db: Db, ownerId: number | undefined): Promise<ClientUse[]> {
  const all = uses(db).orderBy('oauth_clients.id')
  return (ownerId === undefined ? all : all.where('oauth_clients.owner_id', '=', ownerId)).execute()
}

/** One client by its row, if it is the owner's; any client when no owner is given. */
export function findClientUse(
  db: Db,
  key: { readonly id: number } | { readonly client_id: string },
  ownerId: number | undefined,
): Promise<ClientUse | undefined> {
  const one =
    'id' in key
      ? uses(db).where('oauth_clients.id', '=', key.id)
      : uses(db).where('oauth_clients.client_id', '=', key.client_id)
  return (ownerId === undefined ? one : one.where('oauth_clients.owner_id', '=', ownerId)).executeTakeFirst()
}

function uses(db: Db) {
  return db
    .selectFrom('oauth_clients')
    .leftJoin('users', 'users.id', 'oauth_clients.owner_id')
    .selectAll('oauth_clients')
    .select('users.email as owner')
    .select((select) => [
      select
        .selectFrom('oauth_grants')
        .whereRef('oauth_grants.client_id', '=', 'oauth_clients.id')
        .where('oauth_grants.revoked_at', 'is', null)
        .where((eb) => eb.or([eb('code_hash', 'is', null), eb('code_used_at', 'is not', null)]))
        .select((inner) => inner.fn.count<number>('oauth_grants.user_id').distinct().as('count'))
        .$asScalar()
        .$castTo<number>()
        .as('user_count'),
      select
        .selectFrom('oauth_tokens')
        .whereRef('oauth_tokens.client_id', '=', 'oauth_clients.id')
        .select((inner) => inner.fn.max('oauth_tokens.last_used_at').as('last'))
        .$asScalar()
        .$castTo<number | null>()
        .as('last_used_at'),
    ])
}
