import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { openEmbeddedDatabase } from '../adapters/database-embedded.js'
import * as start from './0001-start.js'
import * as linking from './0004-linking-and-notifications.js'
import { sqliteTypes } from './types.js'

test('users who were there before are notified by e-mail, and those who come after', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'printwarden-'))
  const database = await openEmbeddedDatabase(join(folder, 'test.db'))
  const { db } = database
  // Migrations know no tables.
  const schema = db as unknown as Kysely<unknown>
  try {
    await start.up(schema, sqliteTypes)
    const user = { password_hash: 'x', unsub_token: 'x' }
    await db
      .insertInto('users')
      .values({ ...user, email: 'before', date_joined: 5 })
      .execute()
    await linking.up(schema, sqliteTypes)
    await db
      .insertInto('users')
      .values({ ...user, email: 'after', date_joined: 7 })
      .execute()
    const rows = await db
      .selectFrom('notification_settings')
      .select(['user_id', 'name', 'enabled', 'config_encrypted', 'created_at'])
      .execute()
    const email = { name: 'email', enabled: 1, config_encrypted: null }
    expect(rows).toEqual([
      { ...email, user_id: 1, created_at: 5 },
      { ...email, user_id: 2, created_at: 7 },
    ])
  } finally {
    await database.close()
    await rm(folder, { recursive: true })
  }
})
