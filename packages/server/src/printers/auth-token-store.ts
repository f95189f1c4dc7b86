import type { Kysely } from 'kysely'
import type { Tables } from '../tables.js'

type Db = Kysely<Tables>

/** Remembers that a token was shown these printers' auth_tokens; the printers for which that is new. */
export async function insertReads(
  db: Db,
  tokenId: number,
  printerIds: readonly number[],
  now: number,
): Promise<number[]> {
  const rows = await db
    .insertInto('auth_token_readers')
    .values(printerIds.map((printer_id) => ({ printer_id, token_id: tokenId, read_at: now })))
    .onConflict((conflict) => conflict.columns(['printer_id', 'token_id']).doNothing())
    .returning('printer_id')
    .execute()
  return rows.map(({ printer_id }) => printer_id)
}

/** Replaces a printer's auth_token: who read the old one knows nothing of the new one. */
export async function replaceAuthToken(
  db: Db,
  printerId: number,
  columns: { readonly auth_token_encrypted: string; readonly auth_token_hash: string },
): Promise<void> {
  await db.updateTable('printers').set(columns).where('id', '=', printerId).execute()
  await db.deleteFrom('auth_token_readers').where('printer_id', '=', printerId).execute()
}

/** A printer whose auth_token somebody may know who should not. */
export interface ExposedPrinter {
  readonly id: number
  readonly name: string
}

/** The user's printers whose auth_token was shown to a token that was revoked since. */
export function listExposedPrinters(db: Db, userId: number): Promise<ExposedPrinter[]> {
  return db
    .selectFrom('printers')
    .select(['printers.id', 'printers.name'])
    .where('printers.user_id', '=', userId)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('auth_token_readers')
          .innerJoin('oauth_tokens', 'oauth_tokens.id', 'auth_token_readers.token_id')
          .select('auth_token_readers.token_id')
          .whereRef('auth_token_readers.printer_id', '=', 'printers.id')
          .where('oauth_tokens.revoked_at', 'is not', null),
      ),
    )
    .orderBy('printers.id')
    .execute()
}
