import { Kysely, PostgresDialect, sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import type { Database } from '../ports.js'
import { databaseContract } from './database.contract.js'
import { openPostgresDatabase } from './database-postgres.js'
import { openPool } from './database-postgres-pool.js'
import { openFakeWay } from './fake-way.js'
import { openFresh, openTestDatabase, TEST_POSTGRES_URL } from './testing.js'

if (TEST_POSTGRES_URL === undefined) throw new Error('PRINTWARDEN_TEST_POSTGRES_URL names no PostgreSQL server')
const server = TEST_POSTGRES_URL
const silent = { error() {}, warn() {}, info() {}, debug() {} }

databaseContract(() => openTestDatabase(''))

async function migrated(work: (database: Database) => Promise<void>): Promise<void> {
  const database = await openTestDatabase('')
  try {
    await work(database)
  } finally {
    await database.close()
  }
}

test('refuses what is asked after it was closed', async () => {
  const database = await openPostgresDatabase(server, silent)
  await database.close()
  await expect(database.ping()).rejects.toThrow(/closed|destroyed|end/)
})

test.each([
  {
    name: 'a port where nobody listens',
    url: 'postgres://me:secret@127.0.0.1:1/farm',
    said: /127\.0\.0\.1:1\/farm.*REFUSED/,
  },
  {
    name: 'a database that is not there',
    url: server.replace(/\/[^/]*$/, '/nowhere'),
    said: /"nowhere" does not exist/,
  },
])('says where the database is that cannot be used: $name', async ({ url, said }) => {
  const opening = openPostgresDatabase(url, silent)
  await expect(opening).rejects.toThrow(said)
  await expect(opening).rejects.not.toThrow(/secret/)
})

test('transactions that read what the other changes end as if one had come after the other', async () => {
  await migrated(async (database) => {
    const { db } = database
    await db.insertInto('server_settings').values({ key: 'count', value: '0' }).execute()
    const tries = { count: 0 }
    const addOne = () =>
      database.transaction(async (trx) => {
        tries.count += 1
        const row = await trx
          .selectFrom('server_settings')
          .select('value')
          .where('key', '=', 'count')
          .executeTakeFirstOrThrow()
        await trx
          .updateTable('server_settings')
          .set({ value: String(Number(row.value) + 1) })
          .execute()
      })
    await Promise.all(Array.from({ length: 5 }, addOne))
    expect(await db.selectFrom('server_settings').selectAll().execute()).toEqual([{ key: 'count', value: '5' }])
    expect(tries.count).toBeGreaterThan(5)
  })
})

test('of many transactions that are all in the way of each other, none gives up', async () => {
  await migrated(async (database) => {
    await database.db.insertInto('server_settings').values({ key: 'count', value: '0' }).execute()
    const addOne = () =>
      database.transaction(async (trx) => {
        const { value } = await trx.selectFrom('server_settings').select('value').executeTakeFirstOrThrow()
        await sql`select pg_sleep(0.005)`.execute(trx)
        await trx
          .updateTable('server_settings')
          .set({ value: String(Number(value) + 1) })
          .execute()
      })
    await Promise.all(Array.from({ length: 200 }, addOne))
    expect(await database.db.selectFrom('server_settings').select('value').execute()).toEqual([{ value: '200' }])
  })
})

test('two transactions of which only one may insert do not both', async () => {
  await migrated(async (database) => {
    const insertIfNone = (key: string) =>
      database.transaction(async (trx) => {
        const rows = await trx.selectFrom('server_settings').selectAll().execute()
        if (rows.length === 0) await trx.insertInto('server_settings').values({ key, value: 'x' }).execute()
      })
    await Promise.all(['a', 'b', 'c', 'd'].map(insertIfNone))
    expect(await database.db.selectFrom('server_settings').selectAll().execute()).toHaveLength(1)
  })
})

test('a connection that is lost between two statements of a transaction fails the transaction alone', async () => {
  await migrated(async (database) => {
    const { db } = database
    const broken = database.transaction(async (trx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
      const pid = rows[0]?.pid
      await sql`select pg_terminate_backend(${pid}::int)`.execute(db)
      const isGone = async () =>
        (await sql`select 1 from pg_stat_activity where pid = ${pid}::int`.execute(db)).rows.length === 0
      await vi.waitFor(async () => expect(await isGone()).toBe(true), 30_000)
      await trx.selectFrom('users').selectAll().execute()
    })
    await expect(broken).rejects.toMatchObject({ code: 'unavailable' })
    expect(await db.selectFrom('users').selectAll().execute()).toEqual([])
  })
})

test('a connection on which a transaction began too late is used no more', async () => {
  const database = await openFresh(server)
  const way = await openFakeWay(database.url)
  const pool = openPool(way.url, silent, { size: 1, statementMs: 1000 })
  const db = new Kysely<{ kept: { n: number } }>({ dialect: new PostgresDialect({ pool }) })
  try {
    await sql`create table kept (n integer)`.execute(db)
    way.holdUp()
    const late = db.transaction().execute(async () => {})
    await expect(late).rejects.toMatchObject({ code: 'unavailable' })
    way.letGo()
    await db.insertInto('kept').values({ n: 1 }).execute()
    expect((await sql`select n from kept`.execute(database.db)).rows).toEqual([{ n: 1 }])
  } finally {
    await db.destroy()
    way.close()
    await database.close()
  }
})

test('a server that has become a standby is not ready, and its connections are used no more', async () => {
  await migrated(async (database) => {
    // By each connection for changes.
    const become = () => sql`set default_transaction_read_only = on`.execute(database.db)
    await Promise.all(Array.from({ length: 20 }, become))
    await expect(database.ping()).rejects.toMatchObject({ code: 'unavailable' })
    const insert = (key: string) => database.db.insertInto('server_settings').values({ key, value: '' }).execute()
    const refused: unknown[] = []
    for (let round = 0; round < 20; round++) await insert(`k${round}`).catch((error: unknown) => refused.push(error))
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThan(20)
    for (const error of refused) expect(error).toMatchObject({ code: 'unavailable' })
    await database.ping()
    await database.transaction((trx) => trx.insertInto('server_settings').values({ key: 'last', value: '' }).execute())
  })
})

test('a name that leads to a standby is not read from either', async () => {
  const fresh = await openFresh(server)
  try {
    // What a standby would answer, found before PostgreSQL's own function of that name.
    await sql`create schema standby`.execute(fresh.db)
    const answer = 'create function standby.pg_is_in_recovery() returns boolean language sql as $$ select true $$'
    await sql.raw(answer).execute(fresh.db)
    const name = new URL(fresh.url).pathname.slice(1)
    const lead = (path: string) => sql.raw(`alter database "${name}" set search_path = ${path}`).execute(fresh.db)
    await lead('standby, pg_catalog, public')
    const database = await openPostgresDatabase(fresh.url, silent)
    try {
      await expect(database.ping()).rejects.toMatchObject({ code: 'unavailable' })
      await expect(sql`select 1`.execute(database.quick)).rejects.toMatchObject({ code: 'unavailable' })
      await lead('public')
      await database.ping()
      expect((await sql`select 1 as one`.execute(database.quick)).rows).toEqual([{ one: 1 }])
    } finally {
      await database.close()
    }
  } finally {
    await fresh.close()
  }
})

test('refuses a text with U+0000 as a fault of the caller', async () => {
  await migrated(async ({ db }) => {
    const insert = db.insertInto('server_settings').values({ key: 'a', value: 'x\0y' }).execute()
    await expect(insert).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

test('orders texts byte by byte', async () => {
  await migrated(async ({ db }) => {
    for (const key of ['b', 'a b', 'B', 'ä', 'ab'])
      await db.insertInto('server_settings').values({ key, value: '' }).execute()
    const rows = await db.selectFrom('server_settings').select('key').orderBy('key').execute()
    expect(rows.map(({ key }) => key)).toEqual(['B', 'a b', 'ab', 'b', 'ä'])
  })
})

test('reads that are asked again and again see a schema that was changed meanwhile', async () => {
  const database = await openFresh(server)
  try {
    const read = async () => (await sql`select * from kept where n > ${0}`.execute(database.quick)).rows
    await sql`create table kept (n integer)`.execute(database.db)
    await sql`insert into kept values (1)`.execute(database.db)
    for (let round = 0; round < 10; round++) expect(await read()).toEqual([{ n: 1 }])
    const named = sql`select 1 from pg_prepared_statements`
    expect((await named.execute(database.quick)).rows).toHaveLength(1)
    await sql`alter table kept add column more integer`.execute(database.db)
    for (let round = 0; round < 10; round++) expect(await read()).toEqual([{ n: 1, more: null }])
  } finally {
    await database.close()
  }
})

test('nodes that start together bring the schema up to date once', async () => {
  const database = await openFresh(server)
  try {
    const nodes = await Promise.all(Array.from({ length: 4 }, () => openPostgresDatabase(database.url, silent)))
    await Promise.all(nodes.map((node) => node.migrate()))
    await Promise.all(nodes.map((node) => node.close()))
    const rows = await database.db.selectFrom('users').selectAll().execute()
    expect(rows).toEqual([])
  } finally {
    await database.close()
  }
})
