import type { Insertable, Kysely, Selectable } from 'kysely'
import type { MobileDevicesTable, Tables } from '../tables.js'

export type MobileDeviceRow = Selectable<MobileDevicesTable>

export function listMobileDevices(db: Kysely<Tables>, userId: number): Promise<MobileDeviceRow[]> {
  return db.selectFrom('mobile_devices').selectAll().where('user_id', '=', userId).orderBy('id').execute()
}

export function findMobileDevice(db: Kysely<Tables>, userId: number, id: number): Promise<MobileDeviceRow | undefined> {
  const query = db.selectFrom('mobile_devices').selectAll().where('id', '=', id)
  return query.where('user_id', '=', userId).executeTakeFirst()
}

/** Keeps a device. One with the same token is brought up to date, and is active again. */
export function saveMobileDevice(db: Kysely<Tables>, device: Insertable<MobileDevicesTable>): Promise<MobileDeviceRow> {
  const { platform, app_version, preferred_timezone, updated_at } = device
  return db
    .insertInto('mobile_devices')
    .values(device)
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'device_token'])
        .doUpdateSet({ platform, app_version, preferred_timezone, updated_at, deactivated_at: null }),
    )
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Forgets all but the `kept` devices that were registered last. */
export async function pruneMobileDevices(db: Kysely<Tables>, userId: number, kept: number): Promise<void> {
  await db
    .deleteFrom('mobile_devices')
    .where('user_id', '=', userId)
    .where('id', 'not in', (from) =>
      from
        .selectFrom('mobile_devices')
        .select('id')
        .where('user_id', '=', userId)
        .orderBy('updated_at', 'desc')
        .orderBy('id', 'desc')
        .limit(kept),
    )
    .execute()
}
