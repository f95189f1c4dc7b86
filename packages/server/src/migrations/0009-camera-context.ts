import type { Kysely } from 'kysely'
import type { Types } from './types.js'

/** How each camera is looked at, and what was learned of it. */
export async function up({ schema }: Kysely<unknown>, _types: Types): Promise<void> {
  // JSON; null for the defaults.
  await schema.alterTable('cameras').addColumn('settings', 'text').execute()
  await schema
    .createTable('camera_learned')
    .addColumn('camera_id', 'integer', (c) => c.primaryKey().references('cameras.id').onDelete('cascade'))
    .addColumn('learned', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
}
