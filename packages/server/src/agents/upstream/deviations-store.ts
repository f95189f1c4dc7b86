import type { Insertable, Kysely, Selectable } from 'kysely'
import type { PrinterDeviationsTable, Tables } from '../../tables.js'

export type DeviationRow = Selectable<PrinterDeviationsTable>

/** Adds to what was counted before. */
export async function addDeviations(
  db: Kysely<Tables>,
  rows: readonly Insertable<PrinterDeviationsTable>[],
): Promise<void> {
  await db
    .insertInto('printer_deviations')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['printer_id', 'kind']).doUpdateSet((eb) => ({
        count: eb('printer_deviations.count', '+', eb.ref('excluded.count')),
        last_seen_at: eb.ref('excluded.last_seen_at'),
      })),
    )
    .execute()
}

export function listDeviations(db: Kysely<Tables>, printerId: number): Promise<DeviationRow[]> {
  const query = db.selectFrom('printer_deviations').selectAll().where('printer_id', '=', printerId)
  return query.orderBy('kind').execute()
}
