import type { Kysely } from 'kysely'
import type { Types } from './types.js'

/** The cameras of a printer, by the names that its agent gives them. What is set and learned for one camera belongs to its row. */
export async function up({ schema }: Kysely<unknown>, types: Types): Promise<void> {
  await schema
    .createTable('cameras')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('printer_id', 'integer', (c) => c.notNull().references('printers.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('is_primary', 'integer', (c) => c.notNull())
    .addColumn('detection_enabled', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('cameras_name', ['printer_id', 'name'])
    .execute()
}
