import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { takeDataFolder } from '../adapters/data-folder.js'
import { openEmbeddedDatabase } from '../adapters/database-embedded.js'
import { allMigrations } from '../migrations/all.js'
import { sqliteTypes } from '../migrations/types.js'
import { migrateDatabase } from './migrating.js'

const root = await mkdtemp(join(tmpdir(), 'printwarden-migrating-'))
let count = 0
const newFolder = (): string => join(root, String(count++))
const all = Object.keys(allMigrations(sqliteTypes))

afterAll(() => rm(root, { recursive: true }))

const migrate = (dataDir: string) => migrateDatabase({ databaseUrl: undefined, dataDir })

/** Changes what the database says of its migrations. */
async function change(dataDir: string, statement: string): Promise<void> {
  const database = await openEmbeddedDatabase(join(dataDir, 'printwarden.db'))
  await sql.raw(statement).execute(database.db)
  await database.close()
}

test('a new database gets all migrations, and then none', async () => {
  const dataDir = newFolder()
  expect(await migrate(dataDir)).toEqual({ place: join(dataDir, 'printwarden.db'), ran: all })
  expect(await migrate(dataDir)).toMatchObject({ ran: [] })
})

test('the data folder of a running server is left alone', async () => {
  const dataDir = newFolder()
  const folder = await takeDataFolder(dataDir)
  try {
    await expect(migrate(dataDir)).rejects.toMatchObject({
      name: 'CommandError',
      message: expect.stringMatching(/in use by another/),
    })
  } finally {
    folder.release()
  }
  expect(await migrate(dataDir)).toMatchObject({ ran: all })
})

test('a database of a newer version is refused by its name, and the folder is free again', async () => {
  const dataDir = newFolder()
  await migrate(dataDir)
  await change(dataDir, "insert into kysely_migration (name, timestamp) values ('9999-later', '2099-01-01')")
  const refused = { name: 'CommandError', message: expect.stringMatching(/newer version of Printwarden.*9999-later/) }
  await expect(migrate(dataDir)).rejects.toMatchObject(refused)
  await change(dataDir, "delete from kysely_migration where name = '9999-later'")
  expect(await migrate(dataDir)).toMatchObject({ ran: [] })
})
