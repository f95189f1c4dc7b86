import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Types } from './types.js'

/** Stored G-code: folders, files, and the blobs that are to be removed. */
export async function up(db: Kysely<unknown>, types: Types): Promise<void> {
  const { schema } = db

  await schema
    .createTable('g_code_folders')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('parent_folder_id', 'integer', (c) => c.references('g_code_folders.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('safe_name', 'text', (c) => c.notNull())
    .addColumn('search_name', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await schema.createIndex('g_code_folders_parent').on('g_code_folders').column('parent_folder_id').execute()
  // No folder has the id 0; without it two folders in no other could share a name, since null equals nothing.
  await sql`create unique index g_code_folders_name on g_code_folders (user_id, coalesce(parent_folder_id, 0), safe_name)`.execute(
    db,
  )

  await schema
    .createTable('g_code_files')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('parent_folder_id', 'integer', (c) => c.references('g_code_folders.id').onDelete('set null'))
    .addColumn('resident_printer_id', 'integer', (c) => c.references('printers.id').onDelete('cascade'))
    .addColumn('filename', 'text', (c) => c.notNull())
    .addColumn('safe_filename', 'text', (c) => c.notNull())
    .addColumn('search_name', 'text', (c) => c.notNull())
    .addColumn('printer_path', 'text')
    .addColumn('blob_key', 'text')
    .addColumn('thumbnail_keys', 'text', (c) => c.notNull().defaultTo('[]'))
    .addColumn('num_bytes', 'bigint')
    .addColumn('sha256', 'text')
    .addColumn('agent_signature', 'text')
    .addColumn('metadata_json', 'text')
    .addColumn('filament_total', types.number)
    .addColumn('estimated_time', types.number)
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('deleted_at', 'bigint')
    .addColumn('deleted_by_cascade', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await sql`create index g_code_files_listed on g_code_files (user_id, created_at, id) where deleted_at is null`.execute(
    db,
  )
  await schema
    .createIndex('g_code_files_folder')
    .on('g_code_files')
    .columns(['parent_folder_id', 'created_at', 'id'])
    .execute()
  await schema.createIndex('g_code_files_printer').on('g_code_files').column('resident_printer_id').execute()
  await schema
    .createIndex('g_code_files_signature')
    .on('g_code_files')
    .columns(['user_id', 'agent_signature', 'safe_filename'])
    .execute()
  await schema.createIndex('prints_g_code_file').on('prints').columns(['g_code_file_id', 'started_at']).execute()

  await schema
    .createTable('doomed_blobs')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('due_at', 'bigint', (c) => c.notNull())
    .execute()
  await schema.createIndex('doomed_blobs_due').on('doomed_blobs').column('due_at').execute()
}
