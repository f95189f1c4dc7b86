import type { Kysely } from 'kysely'
import type { Types } from './types.js'

/** What is remembered of each camera through a restart, whose pictures a prediction is about, and what was told of the watching. */
export async function up({ schema }: Kysely<unknown>, _types: Types): Promise<void> {
  // Null for the primary camera: its state stays in the printer's row.
  await schema.alterTable('cameras').addColumn('smoothing', 'text').execute()
  await schema.alterTable('cameras').addColumn('watch', 'text').execute()
  // Null for the primary camera, as in rows from before.
  await schema.alterTable('predictions').addColumn('camera_id', 'integer').execute()
  // The reason that was told for nobody watching the print, until it is over.
  await schema.alterTable('printers').addColumn('watch_told', 'text').execute()
}
