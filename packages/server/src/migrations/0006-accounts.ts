import type { Kysely } from 'kysely'
import type { Types } from './types.js'

/** Accounts: sign-in in two steps, links by mail, where sessions come from, security events, and who read a printer's token. */
export async function up(db: Kysely<unknown>, types: Types): Promise<void> {
  const { schema } = db
  // The secret is there before the user has proven to hold it; `totp_confirmed_at` says that it counts.
  await schema.alterTable('users').addColumn('totp_secret_encrypted', 'text').execute()
  await schema.alterTable('users').addColumn('totp_confirmed_at', 'bigint').execute()
  // The time step of the newest code that was used: no code counts twice.
  await schema.alterTable('users').addColumn('totp_last_step', 'bigint').execute()

  await schema.alterTable('sessions').addColumn('ip_address', 'text').execute()

  await schema
    .createTable('recovery_codes')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('code_hash', 'text', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .execute()
  await schema.createIndex('recovery_codes_user').on('recovery_codes').columns(['user_id', 'code_hash']).execute()

  await schema
    .createTable('account_links')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('purpose', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    // Whose account it changes; null for an invitation, whose account is yet to be made.
    .addColumn('user_id', 'integer', (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('created_by', 'integer', (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('email', 'text')
    .addColumn('is_admin', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint')
    .execute()
  await schema.createIndex('account_links_user').on('account_links').column('user_id').execute()
  await schema.createIndex('account_links_expiry').on('account_links').column('expires_at').execute()

  await schema
    .createTable('security_events')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('ip_address', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('subject', 'text')
    .execute()
  await schema.createIndex('security_events_user').on('security_events').columns(['user_id', 'id']).execute()

  // Which access tokens were shown a printer's auth_token (decision 15).
  await schema
    .createTable('auth_token_readers')
    .addColumn('printer_id', 'integer', (c) => c.notNull().references('printers.id').onDelete('cascade'))
    .addColumn('token_id', 'integer', (c) => c.notNull().references('oauth_tokens.id').onDelete('cascade'))
    .addColumn('read_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('auth_token_readers_pk', ['printer_id', 'token_id'])
    .execute()
  await schema.createIndex('auth_token_readers_token').on('auth_token_readers').column('token_id').execute()
}
