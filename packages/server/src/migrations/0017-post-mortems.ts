import type { Kysely } from 'kysely'
import type { Types } from './types.js'

/** Why prints failed: what the assistant answered last, and the temperatures of each print, sparsely. */
export async function up({ schema }: Kysely<unknown>, _types: Types): Promise<void> {
  await schema
    .createTable('print_temperatures')
    .addColumn('print_id', 'integer', (c) => c.notNull().references('prints.id').onDelete('cascade'))
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('heaters', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('print_temperatures_pk', ['print_id', 'at'])
    .execute()

  await schema
    .createTable('post_mortems')
    .addColumn('print_id', 'integer', (c) => c.primaryKey().references('prints.id').onDelete('cascade'))
    .addColumn('cause', 'text', (c) => c.notNull())
    .addColumn('certainty', 'text', (c) => c.notNull())
    .addColumn('answer', 'text', (c) => c.notNull())
    .addColumn('advice', 'text', (c) => c.notNull())
    .addColumn('moments', 'text', (c) => c.notNull())
    .addColumn('missing', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
}
