import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openFresh, TEST_POSTGRES_URL } from './testing.js'

if (TEST_POSTGRES_URL === undefined) throw new Error('PRINTWARDEN_TEST_POSTGRES_URL names no PostgreSQL server')
const server = TEST_POSTGRES_URL

/** A process that starts on the database; how it ended, and what it said. */
async function startNode(url: string): Promise<{ code: number | null; said: string }> {
  const file = fileURLToPath(new URL('./fake-node.ts', import.meta.url))
  const args = ['--conditions=x-source', '--import', 'tsx', file, url]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const [said] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, said }
}

test('four processes that start at once on an empty database make one schema; one of an older version is refused afterwards', async () => {
  const database = await openFresh(server)
  try {
    const started = await Promise.all(Array.from({ length: 4 }, () => startNode(database.url)))
    expect(started).toEqual(Array.from({ length: 4 }, () => ({ code: 0, said: '' })))
    expect(await database.db.selectFrom('users').selectAll().execute()).toEqual([])
    const { rows } = await sql<{ times: number }>`
      select count(*) as times from kysely_migration group by name order by 1 desc`.execute(database.db)
    expect(rows[0]?.times).toBe(1)

    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2099-01-01')`.execute(database.db)
    const older = await startNode(database.url)
    expect(older).toMatchObject({ code: 1, said: expect.stringMatching(/newer version of Printwarden.*9999-later/) })
  } finally {
    await database.close()
  }
}, 300_000)
