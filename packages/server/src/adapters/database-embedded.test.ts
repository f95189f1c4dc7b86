import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { databaseContract } from './database.contract.js'
import { openEmbeddedDatabase } from './database-embedded.js'

const folder = await mkdtemp(join(tmpdir(), 'printwarden-database-'))
let count = 0
const newFile = (): string => join(folder, `${count++}.sqlite`)

afterAll(() => rm(folder, { recursive: true }))

databaseContract(() => openEmbeddedDatabase(newFile()))

test('keeps what was written when it is opened again', async () => {
  const file = newFile()
  const first = await openEmbeddedDatabase(file)
  await first.migrate()
  await first.db.insertInto('server_settings').values({ key: 'a', value: 'b' }).execute()
  await first.close()
  const second = await openEmbeddedDatabase(file)
  await second.migrate()
  expect(await second.db.selectFrom('server_settings').selectAll().execute()).toEqual([{ key: 'a', value: 'b' }])
  await second.close()
})

test('refuses what is asked after it was closed', async () => {
  const database = await openEmbeddedDatabase(newFile())
  await database.close()
  await expect(database.ping()).rejects.toThrow(/closed|destroyed/)
})

test('says which file cannot be opened', async () => {
  await expect(openEmbeddedDatabase('/nowhere/at/all.sqlite')).rejects.toThrow('/nowhere/at/all.sqlite')
})

test('a full disk is told as such, and reading goes on', async () => {
  const database = await openEmbeddedDatabase(newFile())
  await database.migrate()
  const pages = await sql<{ page_count: number }>`pragma page_count`.execute(database.db)
  await sql.raw(`pragma max_page_count = ${pages.rows[0]?.page_count ?? 0}`).execute(database.db)
  const value = 'x'.repeat(1_000_000)
  const write = database.transaction((trx) => trx.insertInto('server_settings').values({ key: 'a', value }).execute())
  await expect(write).rejects.toMatchObject({ code: 'storage_full' })
  expect(await database.db.selectFrom('server_settings').selectAll().execute()).toEqual([])

  const insert = (key: string, text: string) =>
    database.db.insertInto('server_settings').values({ key, value: text }).execute()
  const together = await Promise.allSettled([insert('b', 'x'), insert('c', value), insert('d', 'x')])
  expect(together[1]).toMatchObject({ status: 'rejected', reason: { code: 'storage_full' } })
  const kept = await database.db.selectFrom('server_settings').selectAll().execute()
  expect(kept).toHaveLength(together.filter(({ status }) => status === 'fulfilled').length)
  await database.close()
})
