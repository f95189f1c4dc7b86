import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Client } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { copyLine, type Row } from '../cli/copying/rows.js'
import type { TableShape } from '../cli/copying/shape.js'
import { BATCH_ROWS, type CopyTarget, pagesOf } from '../cli/copying/side.js'
import type { Log } from '../ports.js'
import { claimEmpty, takeCopyLock } from './database-copy-postgres-claim.js'
import { type Rules, readCount, readLastIds, readShapes, takeRules } from './database-copy-postgres-schema.js'
import { migratePostgres, placeOf, requireReachable } from './database-postgres.js'
import { clientConfig } from './database-postgres-pool.js'
import { UNFINISHED_COPY } from './database-postgres-turn.js'

/**
 * The PostgreSQL database of `url` as the target of a copy. Everything is loaded in one transaction: whatever happens before its end, the
 * database stays empty, and marked so that no server starts on it.
 *
 * @throws when it cannot be reached
 */
export async function openPostgresCopyTarget(url: string, log: Log): Promise<CopyTarget> {
  await requireReachable(url)
  const client = new Client({
    ...clientConfig(url, 0),
    application_name: 'printwarden copy',
    // The source may take its time between two tables.
    idle_in_transaction_session_timeout: 0,
  })
  // What is under way fails with it and says why.
  client.on('error', () => {})
  await client.connect()
  let rules: Rules | undefined

  return {
    place: placeOf(url),
    shapes: () => readShapes(client),
    count: (shape) => readCount(client, shape),
    rows: (shape) => readRows(client, shape),
    lastIds: () => readLastIds(client),
    async claim() {
      await takeCopyLock(client, placeOf(url))
      await claimEmpty(url, log, () => migratePostgres(url, log))
    },
    async begin() {
      await client.query('begin')
      rules = await takeRules(client)
    },
    async load(shape, batches) {
      const columns = shape.columns.map(({ name }) => client.escapeIdentifier(name)).join(', ')
      // Frozen: nobody else has seen the table since it was emptied, so its rows need no second visit by a vacuum.
      const copy = `copy ${client.escapeIdentifier(shape.name)} (${columns}) from stdin (freeze)`
      await pipeline(Readable.from(copyTexts(batches)), client.query(copyFrom(copy)))
    },
    async settle(lastIds) {
      await rules?.putBack()
      const counted = [...lastIds].filter(([, last]) => last > 0)
      await client.query(
        `select setval(pg_get_serial_sequence(name, 'id'), last::bigint)
          from json_to_recordset($1) as counted (name text, last text)`,
        [JSON.stringify(counted.map(([name, last]) => ({ name, last })))],
      )
    },
    async finish() {
      await client.query(`drop table ${UNFINISHED_COPY}`)
      await client.query('commit')
      // Without it the first questions are planned as if there were no rows.
      await client.query('analyze')
    },
    close: () => client.end(),
  }
}

async function* copyTexts(batches: AsyncIterable<readonly Row[]>): AsyncGenerator<string> {
  for await (const rows of batches) yield rows.map(copyLine).join('')
}

function readRows(client: Client, shape: TableShape): AsyncGenerator<unknown[][]> {
  const { name, columns, key } = shape
  const list = (names: readonly string[]): string => names.map((one) => client.escapeIdentifier(one)).join(', ')
  const selected = `select ${list(columns.map((column) => column.name))} from ${client.escapeIdentifier(name)}`
  const order = `order by ${list(key)} limit ${BATCH_ROWS}`
  const later = `where (${list(key)}) > (${key.map((_, index) => `$${index + 1}`).join(', ')})`
  return pagesOf(shape, async (after) => {
    const text = `${selected} ${after === undefined ? '' : later} ${order}`
    const { rows } = await client.query<unknown[]>({ text, values: [...(after ?? [])], rowMode: 'array' })
    return rows
  })
}
