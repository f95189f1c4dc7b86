import type { Kysely } from 'kysely'
import type { Types } from './types.js'

/** What was brought over from other servers: which thing there is which here, so that an import that is begun again goes on. */
export async function up({ schema }: Kysely<unknown>, types: Types): Promise<void> {
  await schema
    .createTable('imported_items')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('source_id', 'bigint', (c) => c.notNull())
    // No references: what a user deletes here must not come back with the next import.
    .addColumn('part_of', 'integer')
    .addColumn('target_id', 'integer')
    .addColumn('record', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('done_at', 'bigint')
    .addUniqueConstraint('imported_items_identity', ['user_id', 'source', 'kind', 'source_id'])
    .execute()
  await schema.createIndex('imported_items_part').on('imported_items').column('part_of').execute()
  await schema.createIndex('imported_items_target').on('imported_items').columns(['kind', 'target_id']).execute()
}
