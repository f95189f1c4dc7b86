import type { Kysely } from 'kysely'
import type { Types } from './types.js'

/**
 * Work that outlives a request, as rows: enqueued in the transaction of the data it belongs to. And what is known of a print's
 * time-lapse, on its way and when it is made.
 */
export async function up({ schema }: Kysely<unknown>, types: Types): Promise<void> {
  await schema
    .createTable('jobs')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull().unique())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('run_at', 'bigint', (c) => c.notNull())
    .addColumn('worker', 'text')
    .addColumn('lease_until', 'bigint')
    .addColumn('wanted_again', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('progress', types.number, (c) => c.notNull().defaultTo(0))
    .addColumn('error', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await schema.createIndex('jobs_due').on('jobs').columns(['state', 'run_at']).execute()

  const prints = () => schema.alterTable('prints')
  await prints().addColumn('timelapse_state', 'text').execute()
  await prints()
    .addColumn('timelapse_progress', types.number, (c) => c.notNull().defaultTo(0))
    .execute()
  await prints().addColumn('timelapse_reason', 'text').execute()
  await schema
    .alterTable('predictions')
    .addColumn('left_out', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
}
