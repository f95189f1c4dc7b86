import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Types } from './types.js'

/**
 * Names of any letters: PostgreSQL keeps at most 2704 bytes of a row in an index, and a name of 1000 Chinese characters has 3000. SQLite
 * knows no such bound.
 */
export async function up(db: Kysely<unknown>, types: Types): Promise<void> {
  if (types.engine === 'sqlite') return
  const { schema } = db

  // As bytes a backslash would begin an escape. Folders are looked up by user and place.
  await schema.dropIndex('g_code_folders_name').execute()
  await sql`create unique index g_code_folders_name on g_code_folders
    (user_id, coalesce(parent_folder_id, 0), sha256(replace(safe_name, '\\', '\\\\')::bytea))`.execute(db)

  // A signature is that of few files: which of them is meant is seen by the name in the row.
  await schema.dropIndex('g_code_files_signature').execute()
  await schema
    .createIndex('g_code_files_signature')
    .on('g_code_files')
    .columns(['user_id', 'agent_signature'])
    .execute()
}
