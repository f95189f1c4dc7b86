import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Types } from './types.js'

/** Linking of agents, shared printers, notification settings, mobile devices. All of it goes with its user or printer. */
export async function up(db: Kysely<unknown>, types: Types): Promise<void> {
  const { schema } = db

  await schema
    .createTable('link_codes')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('printer_id', 'integer', (c) => c.references('printers.id').onDelete('cascade'))
    .addColumn('code', 'text', (c) => c.notNull())
    // The code while it is good: so no two good ones are the same.
    .addColumn('live_code', 'text', (c) => c.unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expired_at', 'bigint', (c) => c.notNull())
    .addColumn('verified_at', 'bigint')
    .execute()
  await sql`create unique index link_codes_one_live on link_codes (user_id, coalesce(printer_id, 0)) where live_code is not null`.execute(
    db,
  )
  // For what goes with a deleted user, printer or code.
  await schema.createIndex('link_codes_user').on('link_codes').column('user_id').execute()
  await schema.createIndex('link_codes_printer').on('link_codes').column('printer_id').execute()

  await schema
    .createTable('link_passcodes')
    .addColumn('passcode', 'text', (c) => c.primaryKey())
    .addColumn('link_code_id', 'integer', (c) => c.references('link_codes.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute()
  await schema.createIndex('link_passcodes_code').on('link_passcodes').column('link_code_id').execute()

  await schema
    .createTable('agent_links')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('live_code', 'text', (c) => c.unique())
    .addColumn('secret_hash', 'text', (c) => c.notNull().unique())
    .addColumn('device_name', 'text', (c) => c.notNull())
    .addColumn('agent_version', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('printer_id', 'integer', (c) => c.references('printers.id').onDelete('cascade'))
    .execute()
  await schema.createIndex('agent_links_printer').on('agent_links').column('printer_id').execute()

  await schema
    .createTable('shared_resources')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('printer_id', 'integer', (c) => c.notNull().unique().references('printers.id').onDelete('cascade'))
    .addColumn('share_token_encrypted', 'text', (c) => c.notNull())
    .addColumn('share_token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()

  await schema
    .createTable('notification_settings')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('config_encrypted', 'text')
    .addColumn('enabled', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('notify_on_failure_alert', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('notify_on_print_done', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('notify_on_print_cancelled', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('notify_on_filament_change', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('notify_on_heater_status', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('notify_on_print_start', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('notify_on_print_pause', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('notify_on_print_resume', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('notification_settings_channel', ['user_id', 'name'])
    .execute()

  await schema
    .createTable('mobile_devices')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('platform', 'text', (c) => c.notNull())
    .addColumn('app_version', 'text', (c) => c.notNull())
    .addColumn('device_token', 'text', (c) => c.notNull())
    .addColumn('preferred_timezone', 'text')
    .addColumn('deactivated_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('mobile_devices_token', ['user_id', 'device_token'])
    .execute()

  await notifyByEmail(db, types)
}

/** Everybody has a setting for e-mail, from the start of the account on: however accounts come to be. */
async function notifyByEmail(db: Kysely<unknown>, types: Types): Promise<void> {
  await sql`insert into notification_settings (user_id, name, created_at, updated_at)
    select id, 'email', date_joined, date_joined from users`.execute(db)
  const insertion = sql`insert into notification_settings (user_id, name, created_at, updated_at)
    values (new.id, 'email', new.date_joined, new.date_joined)`
  if (types.engine === 'sqlite') {
    await sql`create trigger users_notified_by_email after insert on users begin ${insertion}; end`.execute(db)
    return
  }
  await sql`create function notify_user_by_email() returns trigger language plpgsql as $$
    begin ${insertion}; return null; end $$`.execute(db)
  await sql`create trigger users_notified_by_email after insert on users
    for each row execute function notify_user_by_email()`.execute(db)
}
