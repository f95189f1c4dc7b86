import type { Kysely } from 'kysely'
import type { Types } from './types.js'

/**
 * The assistant: what each account may ask, with a book of every change of it; chats as clients keep them; and what users wrote to
 * support, which stays whether it could be sent or not.
 */
export async function up({ schema }: Kysely<unknown>, types: Types): Promise<void> {
  await schema
    .createTable('ai_credits')
    .addColumn('user_id', 'integer', (c) => c.primaryKey().references('users.id').onDelete('cascade'))
    // Null means the server's own setting, which may change.
    .addColumn('own_quota', 'integer')
    .addColumn('quota', 'integer', (c) => c.notNull())
    .addColumn('used', 'integer', (c) => c.notNull())
    .addColumn('granted', 'integer', (c) => c.notNull())
    .addColumn('month', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()

  await schema
    .createTable('ai_credit_entries')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('free', 'integer', (c) => c.notNull())
    .addColumn('granted', 'integer', (c) => c.notNull())
    .addColumn('about', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await schema.createIndex('ai_credit_entries_user').on('ai_credit_entries').columns(['user_id', 'id']).execute()

  // Debits whose call has not ended yet. Whoever deletes the row says how it ended, so that nothing is given back twice.
  await schema
    .createTable('ai_credit_holds')
    .addColumn('entry_id', 'integer', (c) => c.primaryKey().references('ai_credit_entries.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('month', 'integer', (c) => c.notNull())
    .addColumn('lease_until', 'bigint', (c) => c.notNull())
    .execute()
  await schema.createIndex('ai_credit_holds_lease').on('ai_credit_holds').column('lease_until').execute()

  await schema
    .createTable('assistant_chats')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('messages', 'text', (c) => c.notNull())
    .addColumn('machine_name', 'text')
    .addColumn('filament_name', 'text')
    .addColumn('print_process_name', 'text')
    .addColumn('slicing_settings_json', 'text')
    .addColumn('user_feedback', 'text')
    .addColumn('user_feedback_text', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await schema.createIndex('assistant_chats_user').on('assistant_chats').columns(['user_id', 'id']).execute()

  await schema
    .createTable('support_requests')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('diagnostics', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('sent_at', 'bigint')
    .execute()
  await schema.createIndex('support_requests_user').on('support_requests').columns(['user_id', 'created_at']).execute()
}
