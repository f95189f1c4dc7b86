import type { Client } from 'pg'
import type { Column, ColumnKind, TableShape } from '../cli/copying/shape.js'
import { UNFINISHED_COPY } from './database-postgres-turn.js'

const KINDS: Readonly<Record<string, ColumnKind>> = { int8: 'whole', float8: 'number', text: 'text' }

/** Our tables, without those of the migrator and of the copy itself. */
const OURS = `c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
  and c.relname !~ '^kysely_' and c.relname <> '${UNFINISHED_COPY}'`

const SHAPES = `select c.relname as name,
    (select json_agg(json_build_array(a.attname, t.typname) order by a.attnum) from pg_attribute a
      join pg_type t on t.oid = a.atttypid where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select json_agg(a.attname order by k.place) from pg_constraint p
      cross join unnest(p.conkey) with ordinality k (attnum, place)
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
      where p.conrelid = c.oid and p.contype = 'p') as key,
    exists (select from pg_attribute a where a.attrelid = c.oid and a.attidentity <> '') as is_counted,
    (select json_agg(distinct p.confrelid::regclass::text) from pg_constraint p
      where p.conrelid = c.oid and p.contype = 'f') as parents
  from pg_class c where ${OURS} order by c.relname`

interface ShapeRow {
  readonly name: string
  readonly columns: string
  readonly key: string | null
  readonly is_counted: string
  readonly parents: string | null
}

export async function readShapes(client: Client): Promise<TableShape[]> {
  const { rows } = await client.query<ShapeRow>(SHAPES)
  return rows.map(({ name, columns, key, is_counted, parents }) => ({
    name,
    columns: (JSON.parse(columns) as [string, string][]).map(([column, type]) => columnOf(name, column, type)),
    key: JSON.parse(key ?? '[]') as string[],
    isCounted: is_counted === 't',
    parents: JSON.parse(parents ?? '[]') as string[],
  }))
}

function columnOf(table: string, name: string, type: string): Column {
  const kind = KINDS[type]
  if (kind === undefined) throw new Error(`the column ${table}.${name} has the type ${type}, which is not copied`)
  return { name, kind }
}

export async function readCount(client: Client, { name }: TableShape): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`select count(*) from ${client.escapeIdentifier(name)}`)
  return rows[0]?.count ?? 0
}

/** The last id of each table that counts; 0 where none was handed out. */
export async function readLastIds(client: Client): Promise<Map<string, number>> {
  const { rows } = await client.query<{ name: string; last: number }>(
    `select c.relname as name, coalesce(pg_sequence_last_value(pg_get_serial_sequence(c.relname, 'id')::regclass), 0) as last
      from pg_class c where ${OURS} and exists (select from pg_attribute a where a.attrelid = c.oid and a.attidentity <> '')`,
  )
  return new Map(rows.map(({ name, last }) => [name, last]))
}

/** What would be looked at for each row that is loaded. */
export interface Rules {
  /** Makes it as it was, which checks all rows at once. */
  putBack(): Promise<void>
}

/** Takes references, indexes and triggers off all tables, and empties them, in the transaction that is open. */
export async function takeRules(client: Client): Promise<Rules> {
  const ask = async (sql: string): Promise<string[]> => {
    const { rows } = await client.query<{ statement: string }>(sql)
    return rows.map(({ statement }) => statement)
  }
  const references = await ask(
    `select format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(p.oid)) as statement
      from pg_constraint p join pg_class c on c.oid = p.conrelid where ${OURS} and p.contype = 'f' order by conname`,
  )
  const indexes = await ask(
    `select pg_get_indexdef(i.indexrelid) as statement from pg_index i join pg_class c on c.oid = i.indrelid
      where ${OURS} and not exists (select from pg_constraint p where p.conindid = i.indexrelid and p.contype <> 'f') order by 1`,
  )
  const drops = await ask(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement
      from pg_constraint p join pg_class c on c.oid = p.conrelid where ${OURS} and p.contype = 'f'
    union all
    select format('drop index %s', i.indexrelid::regclass) from pg_index i join pg_class c on c.oid = i.indrelid
      where ${OURS} and not exists (select from pg_constraint p where p.conindid = i.indexrelid and p.contype <> 'f')`,
  )
  const triggered = `from pg_class c where ${OURS}
    and exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal)`
  const silence = await ask(
    `select format('alter table %s disable trigger user', c.oid::regclass) as statement ${triggered}`,
  )
  const wake = await ask(
    `select format('alter table %s enable trigger user', c.oid::regclass) as statement ${triggered}`,
  )
  const empty = await ask(
    `select 'truncate ' || string_agg(c.oid::regclass::text, ', ') as statement from pg_class c where ${OURS}`,
  )
  // Hundreds of short statements: sent together they cost one way to the server and back.
  await client.query([...drops, ...silence, ...empty].join(';\n'))
  return {
    async putBack() {
      await client.query([...indexes, ...references, ...wake].join(';\n'))
    },
  }
}
