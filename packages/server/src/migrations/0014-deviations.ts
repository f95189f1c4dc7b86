import type { Kysely } from 'kysely'

/** In what each printer's agent departs from the protocol, and how often. One row a kind; the kinds are a closed list. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('printer_deviations')
    .addColumn('printer_id', 'integer', (c) => c.notNull().references('printers.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('count', 'bigint', (c) => c.notNull())
    .addColumn('first_seen_at', 'bigint', (c) => c.notNull())
    .addColumn('last_seen_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('printer_deviations_pk', ['printer_id', 'kind'])
    .execute()
}
