import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import type { Database } from '../ports.js'

/** What every Database must do. `open` is called once for each test and hands over an empty database. */
export function databaseContract(open: () => Promise<Database>): void {
  let opened: Database | undefined

  async function fresh(): Promise<Database> {
    const database = await open()
    opened = database
    await database.migrate()
    return database
  }

  afterEach(async () => {
    await opened?.close()
  })

  const setting = (key: string, value = 'x') => ({ key, value })

  const keys = async (): Promise<string[]> => {
    if (opened === undefined) throw new Error('no database is open')
    const rows = await opened.db.selectFrom('server_settings').select('key').orderBy('key').execute()
    return rows.map((row) => row.key)
  }

  test('migrating twice changes nothing', async () => {
    const database = await fresh()
    const { db } = database
    await db.insertInto('server_settings').values(setting('a')).execute()
    await database.migrate()
    expect(await keys()).toEqual(['a'])
  })

  test('refuses a database of a newer version', async () => {
    const database = await fresh()
    const { db } = database
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2099-01-01')`.execute(db)
    await expect(database.migrate()).rejects.toThrow(/newer version.*9999-later/)
  })

  test('hands back inserted ids, counts changed rows, and never uses an id twice', async () => {
    const { db } = await fresh()
    const client = { client_id: 'c', name: 'n', type: 'public', redirect_uris: '[]', created_at: 1_795_251_649_050 }
    const first = await db.insertInto('oauth_clients').values(client).returningAll().executeTakeFirstOrThrow()
    expect(first).toMatchObject({ client_id: 'c', created_at: 1_795_251_649_050, require_pkce: 0, description: '' })
    const removed = await db.deleteFrom('oauth_clients').executeTakeFirstOrThrow()
    expect(Number(removed.numDeletedRows)).toBe(1)
    const second = await db.insertInto('oauth_clients').values(client).returning('id').executeTakeFirstOrThrow()
    expect(second.id).toBeGreaterThan(first.id)
    const updated = await db
      .updateTable('oauth_clients')
      .set({ name: 'm' })
      .where('id', '=', 0)
      .executeTakeFirstOrThrow()
    expect(Number(updated.numUpdatedRows)).toBe(0)
  })

  test('quick reads see what was committed, nothing else, and cannot write', async () => {
    const database = await fresh()
    const { db, quick } = database
    const read = () => quick.selectFrom('server_settings').selectAll().orderBy('key').execute()
    expect(await read()).toEqual([])
    await db.insertInto('server_settings').values(setting('a')).execute()
    expect(await read()).toEqual([setting('a')])
    await database.transaction(async (trx) => {
      await trx.insertInto('server_settings').values(setting('b')).execute()
      expect(await read()).toEqual([setting('a')])
    })
    expect(await read()).toEqual([setting('a'), setting('b')])
    await expect(quick.deleteFrom('server_settings').execute()).rejects.toThrow(/read.?only/i)
    expect(await read()).toHaveLength(2)
  })

  test('a transaction that throws leaves nothing', async () => {
    const database = await fresh()
    const work = database.transaction(async (trx) => {
      await trx.insertInto('server_settings').values(setting('a')).execute()
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    expect(await keys()).toEqual([])
  })

  test('of changes that are asked for together each stands for itself', async () => {
    const database = await fresh()
    const insert = (key: string) => database.db.insertInto('server_settings').values(setting(key)).execute()
    const transaction = database.transaction(async (trx) => {
      await trx.insertInto('server_settings').values(setting('t')).execute()
      throw new Error('taken back')
    })
    const results = await Promise.allSettled([insert('a'), insert('b'), insert('a'), transaction, insert('c')])
    const [a, b, again, takenBack, c] = results.map(({ status }) => status)
    expect([b, takenBack, c]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    // Several connections keep no order, but one of the two is refused.
    expect([a, again].filter((status) => status === 'fulfilled')).toHaveLength(1)
    expect(await keys()).toEqual(['a', 'b', 'c'])
  })

  test('a refused statement rejects and the database goes on', async () => {
    const database = await fresh()
    const { db } = database
    await db.insertInto('server_settings').values(setting('a')).execute()
    const twice = database.transaction((trx) => trx.insertInto('server_settings').values(setting('a')).execute())
    await expect(twice).rejects.toThrow(/unique/i)
    await expect(sql`select no_such_column from server_settings`.execute(db)).rejects.toThrow(/no_such_column/)
    expect(await keys()).toEqual(['a'])
  })

  test('rows that belong to a missing row are refused', async () => {
    const { db } = await fresh()
    const session = { user_id: 99, token_hash: 'h', created_at: 1, expires_at: 2 }
    await expect(db.insertInto('sessions').values(session).execute()).rejects.toThrow(/foreign key/i)
  })

  test('transactions and statements started together do not mix', async () => {
    const database = await fresh()
    const { db } = database
    const failing = (key: string) =>
      database.transaction(async (trx) => {
        await trx.insertInto('server_settings').values(setting(key)).execute()
        await trx.selectFrom('server_settings').selectAll().execute()
        throw new Error('rolled back')
      })
    const plain = (key: string) => db.insertInto('server_settings').values(setting(key)).execute()
    const kept = (key: string) =>
      database.transaction((trx) => trx.insertInto('server_settings').values(setting(key)).execute())
    const all = [
      failing('f1'),
      plain('p1'),
      failing('f2'),
      plain('p2'),
      kept('k1'),
      failing('f3'),
      plain('p3'),
      kept('k2'),
    ]
    const results = await Promise.allSettled(all)
    expect(results.map((result) => result.status === 'fulfilled')).toEqual([
      false,
      true,
      false,
      true,
      true,
      false,
      true,
      true,
    ])
    expect(await keys()).toEqual(['k1', 'k2', 'p1', 'p2', 'p3'])
  })

  test('ping resolves while it is open', async () => {
    const database = await fresh()
    await expect(database.ping()).resolves.toBeUndefined()
  })
}
