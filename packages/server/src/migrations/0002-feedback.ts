import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Types } from './types.js'

/** Feedback on single shots of a print, and what keeps lists and statistics of a million prints fast. */
export async function up(db: Kysely<unknown>, types: Types): Promise<void> {
  await createFeedback(db, types)
  await createIndexes(db)
  await createCounts(db)
  await (types.engine === 'sqlite' ? countBySqlite(db) : countByPostgres(db))
}

async function createFeedback({ schema }: Kysely<unknown>, types: Types): Promise<void> {
  await schema
    .createTable('print_shot_feedbacks')
    .addColumn('id', types.id, types.primaryKey)
    .addColumn('print_id', 'integer', (c) => c.notNull().references('prints.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
    .addColumn('image_key', 'text', (c) => c.notNull())
    .addColumn('answer', 'text')
    .addColumn('answered_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await schema
    .createIndex('print_shot_feedbacks_print')
    .on('print_shot_feedbacks')
    .columns(['print_id', 'answer'])
    .execute()
  await schema.createIndex('print_shot_feedbacks_user').on('print_shot_feedbacks').columns(['user_id', 'id']).execute()
}

async function createIndexes({ schema }: Kysely<unknown>): Promise<void> {
  // In the order of the list, with every column that a filter or a total reads: neither has to look at the prints themselves.
  await schema.dropIndex('prints_user_started').execute()
  await schema
    .createIndex('prints_user_started')
    .on('prints')
    .columns([
      ...['user_id', 'started_at', 'id', 'printer_id', 'cancelled_at', 'finished_at', 'failed_at'],
      ...['alert_overwrite', 'print_time', 'filament_used'],
    ])
    .execute()
  await schema
    .createIndex('prints_user_printer')
    .on('prints')
    .columns(['user_id', 'printer_id', 'started_at', 'id'])
    .execute()
  // Failed prints are rare: without an index of their own, their first page would be looked for in all prints.
  await schema
    .createIndex('prints_user_failed')
    .on('prints')
    .columns(['user_id', 'started_at', 'id'])
    .where(sql.ref('failed_at'), 'is not', null)
    .execute()
  // Deleting a print sets the events' reference to null, for which they must be found.
  await schema.createIndex('printer_events_print').on('printer_events').column('print_id').execute()
}

/** How each kind of print is told apart, by the column that counts it. */
const KINDS: Readonly<Record<string, (row: string) => string>> = {
  total: () => '1',
  cancelled: (row) => `case when ${row}.cancelled_at is null then 0 else 1 end`,
  finished: (row) => `case when ${row}.finished_at is null then 0 else 1 end`,
  failed: (row) => `case when ${row}.failed_at is null then 0 else 1 end`,
  need_alert_overwrite: (row) => `case when ${row}.alert_overwrite is null then 1 else 0 end`,
}

const COLUMNS = Object.keys(KINDS).join(', ')

/** A list tells how long it is in all. Counting a million prints each time would cost more than the page itself. */
async function createCounts(db: Kysely<unknown>): Promise<void> {
  let table = db.schema
    .createTable('print_counts')
    .addColumn('printer_id', 'integer', (c) => c.primaryKey().references('printers.id').onDelete('cascade'))
    .addColumn('user_id', 'integer', (c) => c.notNull().references('users.id').onDelete('cascade'))
  for (const kind of Object.keys(KINDS)) table = table.addColumn(kind, 'integer', (c) => c.notNull())
  await table.execute()
  await db.schema.createIndex('print_counts_user').on('print_counts').column('user_id').execute()
  const sums = Object.values(KINDS).map((of) => `sum(${of('prints')})`)
  await sql
    .raw(
      `insert into print_counts (printer_id, user_id, ${COLUMNS})
       select printer_id, user_id, ${sums.join(', ')} from prints group by printer_id, user_id`,
    )
    .execute(db)
}

/** Counts the row `new`. */
const ADD = `insert into print_counts (printer_id, user_id, ${COLUMNS})
  values (new.printer_id, new.user_id, ${Object.values(KINDS)
    .map((of) => of('new'))
    .join(', ')})
  on conflict (printer_id) do update set ${Object.keys(KINDS)
    .map((kind) => `${kind} = print_counts.${kind} + excluded.${kind}`)
    .join(', ')};`

/** Takes the row `old` out of the count. The count of a printer that is being deleted may be gone already. */
const REMOVE = `update print_counts set ${Object.entries(KINDS)
  .map(([kind, of]) => `${kind} = ${kind} - ${of('old')}`)
  .join(', ')} where printer_id = old.printer_id;`

const COUNTED_COLUMNS = 'printer_id, user_id, cancelled_at, finished_at, failed_at, alert_overwrite'

async function countBySqlite(db: Kysely<unknown>): Promise<void> {
  const triggers = {
    prints_counted_insert: `insert on prints begin ${ADD} end`,
    prints_counted_delete: `delete on prints begin ${REMOVE} end`,
    prints_counted_update: `update of ${COUNTED_COLUMNS} on prints begin ${REMOVE} ${ADD} end`,
  }
  for (const [name, rest] of Object.entries(triggers)) await sql.raw(`create trigger ${name} after ${rest}`).execute(db)
}

async function countByPostgres(db: Kysely<unknown>): Promise<void> {
  const count = (name: string, steps: string): string =>
    `create function ${name}() returns trigger language plpgsql as $$ begin ${steps} return null; end $$`
  const trigger = (name: string, on: string): string =>
    `create trigger ${name} after ${on} on prints for each row execute function ${name}()`
  const statements = [
    count('prints_counted_insert', ADD),
    count('prints_counted_delete', REMOVE),
    count('prints_counted_update', `${REMOVE} ${ADD}`),
    trigger('prints_counted_insert', 'insert'),
    trigger('prints_counted_delete', 'delete'),
    trigger('prints_counted_update', `update of ${COUNTED_COLUMNS}`),
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
