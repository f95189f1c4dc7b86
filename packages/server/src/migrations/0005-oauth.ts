import type { Kysely } from 'kysely'
import type { Types } from './types.js'

/** OAuth 2.0: what users allowed, authorization codes, refresh tokens, sign-in of devices, and when tokens were used last. */
export async function up(db: Kysely<unknown>, types: Types): Promise<void> {
  const { schema } = db
  // null: the operator's own.
  await schema
    .alterTable('oauth_clients')
    .addColumn('owner_id', 'integer', (c) => c.references('users.id').onDelete('cascade'))
    .execute()

  // One row for each time that a user let an app in. Its code, if it has one, is the row's own.
  await schema
    .createTable('oauth_grants')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('client_id', 'integer', (c) => c.notNull().references('oauth_clients.id').onDelete('cascade'))
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('revoked_at', 'bigint')
    .addColumn('redirect_uri', 'text')
    .addColumn('code_hash', 'text', (c) => c.unique())
    .addColumn('code_challenge', 'text')
    .addColumn('code_expires_at', 'bigint')
    .addColumn('code_used_at', 'bigint')
    .execute()
  await schema.createIndex('oauth_grants_user').on('oauth_grants').columns(['user_id', 'client_id']).execute()
  await schema.createIndex('oauth_grants_client').on('oauth_grants').column('client_id').execute()

  await schema
    .createTable('oauth_refresh_tokens')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('grant_id', 'integer', (c) => c.notNull().references('oauth_grants.id').onDelete('cascade'))
    .addColumn('parent_id', 'integer', (c) => c.references('oauth_refresh_tokens.id').onDelete('set null'))
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('rotated_at', 'bigint')
    .addColumn('retried_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .execute()
  await schema.createIndex('oauth_refresh_tokens_grant').on('oauth_refresh_tokens').column('grant_id').execute()
  await schema.createIndex('oauth_refresh_tokens_parent').on('oauth_refresh_tokens').column('parent_id').execute()

  await schema
    .alterTable('oauth_tokens')
    .addColumn('grant_id', 'integer', (c) => c.references('oauth_grants.id').onDelete('cascade'))
    .execute()
  await schema
    .alterTable('oauth_tokens')
    .addColumn('refresh_token_id', 'integer', (c) => c.references('oauth_refresh_tokens.id').onDelete('set null'))
    .execute()
  await schema.alterTable('oauth_tokens').addColumn('last_used_at', 'bigint').execute()
  await schema.createIndex('oauth_tokens_grant').on('oauth_tokens').column('grant_id').execute()
  await schema.createIndex('oauth_tokens_refresh').on('oauth_tokens').column('refresh_token_id').execute()

  // What a user allowed an app, so that the same is not asked again.
  await schema
    .createTable('oauth_consents')
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('client_id', 'integer', (c) => c.notNull().references('oauth_clients.id').onDelete('cascade'))
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('oauth_consents_pk', ['user_id', 'client_id'])
    .execute()

  await schema
    .createTable('oauth_device_codes')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('client_id', 'integer', (c) => c.notNull().references('oauth_clients.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.references('users.id').onDelete('cascade'))
    .addColumn('device_code_hash', 'text', (c) => c.notNull().unique())
    .addColumn('user_code_hash', 'text', (c) => c.notNull().unique())
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('interval_seconds', 'integer', (c) => c.notNull())
    .addColumn('polled_at', 'bigint')
    .execute()
  await schema.createIndex('oauth_device_codes_client').on('oauth_device_codes').column('client_id').execute()
}
