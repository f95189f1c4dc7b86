import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { Pool, type ClientConfig, type PoolClient, type QueryResult } from 'pg'
import { ApiError } from '../errors.js'
import type { Log } from '../ports.js'
import { isAnswer, isOutdatedPlan, isStandby, noChanges, refusalOf } from './database-postgres-errors.js'
import { StatementNames } from './database-postgres-names.js'
import { postgresValues } from './database-postgres-values.js'

/** Long, since a process that starts on a small machine is busy with itself for seconds. */
const CONNECT_TIMEOUT_MS = 20_000
const IDLE_MS = 30_000
/** After a while a connection is made anew: what its server's name stands for may have changed. */
const LIFETIME_S = 30 * 60

export interface PoolOptions {
  readonly size: number
  /** For one statement; 0 is no limit. */
  readonly statementMs: number
  readonly isReadOnly?: boolean
}

/** How a connection is made. The URL's password stands in no error. */
export function clientConfig(url: string, statementMs: number): ClientConfig {
  return {
    connectionString: url,
    application_name: 'printwarden',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: postgresValues,
    statement_timeout: statementMs,
    // A transaction of ours waits for nothing but the database. What is left open by a bug must not hold rows for ever.
    idle_in_transaction_session_timeout: 30_000,
    // For a server that says nothing any more: its own limit comes first where it lives.
    ...(statementMs === 0 ? {} : { query_timeout: statementMs + 5_000 }),
  }
}

/** Connections for Kysely, whose errors are ours. A connection that was lost is replaced by the next statement that needs one. */
export function openPool(url: string, log: Log, { size, statementMs, isReadOnly = false }: PoolOptions): PostgresPool {
  const pool = new Pool({
    ...clientConfig(url, statementMs),
    ...{ max: size, idleTimeoutMillis: IDLE_MS, maxLifetimeSeconds: LIFETIME_S },
  })
  // Without a listener the end of an idle connection would end the process.
  pool.on('error', (err) => log.warn({ err }, 'a connection to the database was lost'))
  // Nor has the pool one for a connection that is lent. Lost between two statements, its next one says so.
  pool.on('connect', (client) => client.on('error', () => {}))
  // Only where nothing is a part of a transaction, which a plan that is outdated would end.
  const names = isReadOnly ? new StatementNames() : undefined
  // The same object each time, by which Kysely knows the connection again.
  const known = new WeakMap<PoolClient, PostgresPoolClient>()
  return {
    async connect() {
      try {
        const client = await pool.connect()
        const before = known.get(client)
        if (before !== undefined) return before
        try {
          await refuseStandby(client)
          if (isReadOnly) await client.query('set default_transaction_read_only = on')
        } catch (error) {
          client.release(true)
          throw error
        }
        const speaking = speakingOurErrors(client, names, isReadOnly)
        known.set(client, speaking)
        return speaking
      } catch (error) {
        throw error instanceof ApiError ? error : refusalOf(error)
      }
    },
    end: () => pool.end(),
  }
}

/** While another server takes over, the name may still lead to the one before: reads would answer what was true once. */
async function refuseStandby(client: PoolClient): Promise<void> {
  const { rows } = await client.query('select 1 where pg_is_in_recovery()')
  if (rows.length > 0) throw noChanges()
}

function speakingOurErrors(
  client: PoolClient,
  names: StatementNames | undefined,
  isReadOnly: boolean,
): PostgresPoolClient {
  // Once it is not, the connection is not lent again.
  let isInStep = true
  const query = async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await ask(client, names, sql, parameters)
    } catch (error) {
      const hasMoved = !isReadOnly && isStandby(error)
      isInStep &&= isAnswer(error) && !hasMoved
      throw hasMoved ? noChanges({ cause: error }) : refusalOf(error)
    }
  }
  // Kysely's type has a second way to ask, by cursor, which is never used.
  return {
    query: query as unknown as PostgresPoolClient['query'],
    // What was not waited for may still be done, a `begin` too: then the statements of whoever came next would be part of it.
    release: () => client.release(!isInStep),
  }
}

async function ask(
  client: PoolClient,
  names: StatementNames | undefined,
  text: string,
  parameters: readonly unknown[],
): Promise<QueryResult> {
  const values = [...parameters]
  const name = names?.nameOf(text)
  if (name === undefined) return client.query(text, values)
  try {
    return await client.query({ name, text, values })
  } catch (error) {
    // A newer node has changed the schema.
    if (!isOutdatedPlan(error)) throw error
    names?.forgetAll()
    return client.query(text, values)
  }
}
