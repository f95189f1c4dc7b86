import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { NotificationSettingsTable, Tables } from '../tables.js'

export type NotificationSettingRow = Selectable<NotificationSettingsTable>

type Db = Kysely<Tables>

/** The user's settings in the order in which they were made; the first is `email`, which a trigger adds to each new user. */
export function listNotificationSettings(db: Db, userId: number): Promise<NotificationSettingRow[]> {
  return db.selectFrom('notification_settings').selectAll().where('user_id', '=', userId).orderBy('id').execute()
}

export function findNotificationSetting(
  db: Db,
  userId: number,
  id: number,
): Promise<NotificationSettingRow | undefined> {
  const query = db.selectFrom('notification_settings').selectAll().where('id', '=', id)
  return query.where('user_id', '=', userId).executeTakeFirst()
}

/** Adds a channel; undefined when the user has it already. */
export function insertNotificationSetting(
  db: Db,
  row: Insertable<NotificationSettingsTable>,
): Promise<NotificationSettingRow | undefined> {
  return db
    .insertInto('notification_settings')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'name']).doNothing())
    .returningAll()
    .executeTakeFirst()
}

export function updateNotificationSetting(
  db: Db,
  userId: number,
  id: number,
  changes: Updateable<NotificationSettingsTable>,
): Promise<NotificationSettingRow | undefined> {
  const query = db.updateTable('notification_settings').set(changes).where('id', '=', id)
  return query.where('user_id', '=', userId).returningAll().executeTakeFirst()
}

export async function deleteNotificationSetting(db: Db, userId: number, id: number): Promise<boolean> {
  const query = db.deleteFrom('notification_settings').where('id', '=', id)
  const { numDeletedRows } = await query.where('user_id', '=', userId).executeTakeFirst()
  return numDeletedRows > 0n
}
