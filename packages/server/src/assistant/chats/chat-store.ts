import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { AssistantChatsTable, Tables } from '../../tables.js'

type Db = Kysely<Tables>

export type ChatRow = Selectable<AssistantChatsTable>

/** A user's chats, newest first. */
export function listChats(
  db: Db,
  userId: number,
  page: { readonly start: number; readonly limit: number },
): Promise<ChatRow[]> {
  const own = db.selectFrom('assistant_chats').selectAll().where('user_id', '=', userId)
  return own.orderBy('id', 'desc').offset(page.start).limit(page.limit).execute()
}

export async function countChats(db: Db, userId: number): Promise<number> {
  const query = db.selectFrom('assistant_chats').select((eb) => eb.fn.countAll<number | string>().as('count'))
  return Number((await query.where('user_id', '=', userId).executeTakeFirstOrThrow()).count)
}

export function insertChat(db: Db, chat: Insertable<AssistantChatsTable>): Promise<ChatRow> {
  return db.insertInto('assistant_chats').values(chat).returningAll().executeTakeFirstOrThrow()
}

/** The chat, when it is the user's. */
export function findVisibleChat(db: Db, userId: number, id: number): Promise<ChatRow | undefined> {
  const query = db.selectFrom('assistant_chats').selectAll().where('id', '=', id)
  return query.where('user_id', '=', userId).executeTakeFirst()
}

/** Changes a chat of the user's; undefined when there is none. */
export function updateVisibleChat(
  db: Db,
  userId: number,
  id: number,
  changes: Updateable<AssistantChatsTable>,
): Promise<ChatRow | undefined> {
  const query = db.updateTable('assistant_chats').set(changes).where('id', '=', id)
  return query.where('user_id', '=', userId).returningAll().executeTakeFirst()
}

/** Deletes a chat of the user's; says whether there was one. */
export async function deleteVisibleChat(db: Db, userId: number, id: number): Promise<boolean> {
  const query = db.deleteFrom('assistant_chats').where('id', '=', id).where('user_id', '=', userId)
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}
