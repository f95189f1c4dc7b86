import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Client, DatabaseError } from 'pg'
import type { Database } from '../ports.js'
import { openEmbeddedDatabase } from './database-embedded.js'
import { openPostgresDatabase } from './database-postgres.js'

// Which engine the tests of stores and features run on: the embedded one, or the PostgreSQL server that this variable names.

/** Where tests may make databases; absent for the embedded engine. */
export const TEST_POSTGRES_URL = process.env['PRINTWARDEN_TEST_POSTGRES_URL']

/** The Redis server of tests; only the extended suite has one. */
export const TEST_REDIS_URL = process.env['PRINTWARDEN_TEST_REDIS_URL']

const silent = { error() {}, warn() {}, info() {}, debug() {} }
const TEMPLATE = 'printwarden_template'
const TEMPLATE_LOCK = 7_700_001
const NO_SUCH_DATABASE = '3D000'

/** An empty database, brought up to date. In the file `test.db` of `folder`, or on PostgreSQL, where closing removes it. */
export async function openTestDatabase(folder: string): Promise<Database> {
  if (TEST_POSTGRES_URL !== undefined) return repeating(await openCopy(TEST_POSTGRES_URL))
  const database = await openEmbeddedDatabase(join(folder, 'test.db'))
  await database.migrate()
  return database
}

class TakenBack extends Error {}

/**
 * Runs the work of each transaction twice and takes the first run back, as a conflict would: work that changes anything but the
 * database is found by every test that meets it.
 */
function repeating(database: Database): Database {
  return {
    ...database,
    async transaction(work) {
      const first = database.transaction(async (trx) => {
        await work(trx)
        throw new TakenBack()
      })
      await first.catch((error: unknown) => {
        if (!(error instanceof TakenBack)) throw error
      })
      return database.transaction(work)
    },
  }
}

/** Migrating takes longer than copying, so it is done once, by whichever test is first. */
async function openCopy(server: string): Promise<Database> {
  try {
    return await openFresh(server, TEMPLATE)
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === NO_SUCH_DATABASE)) throw error
    await makeTemplate(server)
    return openFresh(server, TEMPLATE)
  }
}

/** A new database of that server, without tables unless it is a copy of `template`. Closing removes it. */
export async function openFresh(server: string, template = 'template0'): Promise<Database & { readonly url: string }> {
  const name = `printwarden_${randomBytes(8).toString('hex')}`
  await ask(server, `create database ${name} template ${template}`)
  const url = urlOf(server, name)
  const database = await openPostgresDatabase(url, silent)
  return {
    ...database,
    url,
    async close() {
      await database.close()
      await ask(server, `drop database if exists ${name} with (force)`)
    },
  }
}

function urlOf(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

async function makeTemplate(server: string): Promise<void> {
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const made = await client.query('select 1 from pg_database where datname = $1', [TEMPLATE])
    if (made.rowCount !== 0) return
    await client.query(`create database ${TEMPLATE}_new`)
    const database = await openPostgresDatabase(urlOf(server, `${TEMPLATE}_new`), silent)
    await database.migrate()
    await database.close()
    await client.query(`alter database ${TEMPLATE}_new rename to ${TEMPLATE}`)
  } finally {
    await client.end()
  }
}

async function ask(server: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
