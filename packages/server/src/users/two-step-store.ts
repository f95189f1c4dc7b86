import type { Kysely } from 'kysely'
import type { Tables } from '../tables.js'

type Db = Kysely<Tables>

/** Keeps a secret that its user has yet to prove. An account that has two steps already keeps the secret it has. */
export async function keepUnprovenSecret(db: Db, userId: number, encrypted: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ totp_secret_encrypted: encrypted, totp_last_step: null })
    .where('id', '=', userId)
    .where('totp_confirmed_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Makes the secret count, once; `encrypted` is the one that was proven. */
export async function confirmSecret(
  db: Db,
  userId: number,
  { encrypted, step, now }: { readonly encrypted: string; readonly step: number; readonly now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ totp_confirmed_at: now, totp_last_step: step })
    .where('id', '=', userId)
    .where('totp_confirmed_at', 'is', null)
    .where('totp_secret_encrypted', '=', encrypted)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Uses the code of a time step up. A step that was used, or an older one, is refused; of several at once one is let in. */
export async function takeStep(db: Db, userId: number, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ totp_last_step: step })
    .where('id', '=', userId)
    .where('totp_confirmed_at', 'is not', null)
    .where((eb) => eb.or([eb('totp_last_step', 'is', null), eb('totp_last_step', '<', step)]))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Takes the second step away, with its recovery codes; says whether there was one. */
export async function removeSecret(db: Db, userId: number): Promise<boolean> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ totp_secret_encrypted: null, totp_confirmed_at: null, totp_last_step: null })
    .where('id', '=', userId)
    .where('totp_confirmed_at', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** New recovery codes; the ones before them end. */
export async function replaceRecoveryCodes(db: Db, userId: number, hashes: readonly string[]): Promise<void> {
  await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await db
    .insertInto('recovery_codes')
    .values(hashes.map((code_hash) => ({ user_id: userId, code_hash })))
    .execute()
}

/** Uses a recovery code up. Of several who try at once, one is let in. */
export async function takeRecoveryCode(db: Db, userId: number, codeHash: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('recovery_codes')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('code_hash', '=', codeHash)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function countRecoveryCodes(db: Db, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('recovery_codes')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}
