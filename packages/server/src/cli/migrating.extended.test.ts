import { expect, test } from 'vitest'
import { openFresh, TEST_POSTGRES_URL } from '../adapters/testing.js'
import { allMigrations } from '../migrations/all.js'
import { postgresTypes } from '../migrations/types.js'
import { migrateDatabase } from './migrating.js'

if (TEST_POSTGRES_URL === undefined) throw new Error('PRINTWARDEN_TEST_POSTGRES_URL names no PostgreSQL server')
const server = TEST_POSTGRES_URL

test('of several that migrate PostgreSQL at once one does it, and the others find it done', async () => {
  const fresh = await openFresh(server)
  try {
    const config = { databaseUrl: fresh.url, dataDir: '/nowhere' }
    const done = await Promise.all(Array.from({ length: 4 }, () => migrateDatabase(config)))
    const ran = done.map((one) => one.ran).filter(({ length }) => length > 0)
    expect(ran).toEqual([Object.keys(allMigrations(postgresTypes))])
    expect(done.map(({ place }) => place).join()).not.toContain('@')
  } finally {
    await fresh.close()
  }
}, 120_000)

test('a server that is not there is named, without its password', async () => {
  const databaseUrl = 'postgres://somebody:hush@127.0.0.1:9/nothing'
  const failed = migrateDatabase({ databaseUrl, dataDir: '/nowhere' })
  await expect(failed).rejects.toMatchObject({ name: 'CommandError', message: expect.stringContaining('127.0.0.1:9') })
  await expect(failed).rejects.not.toThrow(/hush/)
})
