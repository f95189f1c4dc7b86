import type { Insertable, Kysely, Selectable } from 'kysely'
import type { OauthDeviceCodesTable, Tables } from '../tables.js'

type Db = Kysely<Tables>

export type DeviceRow = Selectable<OauthDeviceCodesTable>

/** Adds a code, unless its user code is taken; says whether it did. */
export async function insertDeviceCode(db: Db, code: Insertable<OauthDeviceCodesTable>): Promise<boolean> {
  const row = await db
    .insertInto('oauth_device_codes')
    .values(code)
    .onConflict((conflict) => conflict.column('user_code_hash').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Removes codes that ended before `before`, whoever asked for them. */
export async function deleteEndedDeviceCodes(db: Db, before: number): Promise<void> {
  await db.deleteFrom('oauth_device_codes').where('expires_at', '<', before).execute()
}

export async function countDeviceCodes(db: Db, clientId: number): Promise<number> {
  const row = await db
    .selectFrom('oauth_device_codes')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow()
  return row.count
}

export function findDeviceCode(db: Db, deviceCodeHash: string): Promise<DeviceRow | undefined> {
  return db
    .selectFrom('oauth_device_codes')
    .selectAll()
    .where('device_code_hash', '=', deviceCodeHash)
    .executeTakeFirst()
}

/** A code that waits for somebody to decide. */
export function findPendingUserCode(db: Db, userCodeHash: string, now: number): Promise<DeviceRow | undefined> {
  return db
    .selectFrom('oauth_device_codes')
    .selectAll()
    .where('user_code_hash', '=', userCodeHash)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Keeps what a user decided; says whether the code was still waiting. */
export async function decideDeviceCode(
  db: Db,
  id: number,
  decision: { readonly status: 'approved' | 'denied'; readonly user_id: number },
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oauth_device_codes')
    .set(decision)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Uses an approved code up. Of several who try at once, one is told that it did. */
export async function takeDeviceCode(db: Db, id: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oauth_device_codes')
    .set({ status: 'used' })
    .where('id', '=', id)
    .where('status', '=', 'approved')
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

export async function notePoll(db: Db, id: number, polledAt: number, intervalSeconds: number): Promise<void> {
  await db
    .updateTable('oauth_device_codes')
    .set({ polled_at: polledAt, interval_seconds: intervalSeconds })
    .where('id', '=', id)
    .execute()
}
