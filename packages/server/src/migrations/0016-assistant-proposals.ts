import type { Kysely } from 'kysely'
import type { Types } from './types.js'

/** What the assistant proposed to do, and what became of it. A proposal goes with its user and its printer. */
export async function up({ schema }: Kysely<unknown>, types: Types): Promise<void> {
  await schema
    .createTable('assistant_proposals')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('printer_id', 'integer', (c) => c.notNull().references('printers.id').onDelete('cascade'))
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('print_id', 'integer', (c) => c.references('prints.id').onDelete('set null'))
    .addColumn('g_code_file_id', 'integer', (c) => c.references('g_code_files.id').onDelete('set null'))
    .addColumn('filename', 'text')
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('decided_at', 'bigint')
    .execute()
  await schema.createIndex('assistant_proposals_user').on('assistant_proposals').columns(['user_id', 'id']).execute()
  // For what goes with a printer, a print or a file.
  await schema.createIndex('assistant_proposals_printer').on('assistant_proposals').column('printer_id').execute()
  await schema.createIndex('assistant_proposals_print').on('assistant_proposals').column('print_id').execute()
  await schema.createIndex('assistant_proposals_file').on('assistant_proposals').column('g_code_file_id').execute()
}
