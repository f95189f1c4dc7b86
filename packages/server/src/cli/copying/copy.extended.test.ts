import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { takeDataFolder } from '../../adapters/data-folder.js'
import { openPostgresDatabase } from '../../adapters/database-postgres.js'
import { openFresh, TEST_POSTGRES_URL } from '../../adapters/testing.js'
import { type CopyRequest, copyServer } from './server.js'
import { fillDatabase } from './testing.js'

// From a filled data folder into a real PostgreSQL, and what may be wrong with either.

if (TEST_POSTGRES_URL === undefined) throw new Error('PRINTWARDEN_TEST_POSTGRES_URL names no PostgreSQL server')
const server = TEST_POSTGRES_URL
// Every table is asked for a few times, which takes its time where everything else takes it too.
vi.setConfig({ testTimeout: 400_000 })

const show = { start() {}, step() {}, bytes() {}, end() {} }
const silent = { error() {}, warn() {}, info() {}, debug() {} }

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'printwarden-copy-'))
  await fillDatabase(join(folder, 'printwarden.db'))
}, 120_000)
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

interface Fresh {
  readonly url: string
  readonly ask: (sql: string) => Promise<unknown[][]>
}

/** An empty database for one test. */
async function onFresh(work: (database: Fresh) => Promise<void>): Promise<void> {
  const database = await openFresh(server)
  const { url } = database
  const client = new Client({ connectionString: url })
  await client.connect()
  const ask = async (text: string) => (await client.query<unknown[]>({ text, rowMode: 'array' })).rows
  try {
    await work({ url, ask })
  } finally {
    await client.end()
    await database.close()
  }
}

const copy = (to: string, changes: Partial<CopyRequest> = {}) =>
  copyServer({ from: folder, to, blobs: undefined, only: undefined, show, ...changes })

/** What a server does first. */
async function migrate(url: string): Promise<void> {
  const database = await openPostgresDatabase(url, silent)
  try {
    await database.migrate()
  } finally {
    await database.close()
  }
}

/** Changes the source for one test. */
async function withSource(sql: string, back: string, work: () => Promise<void>): Promise<void> {
  const run = (text: string): void => {
    const connection = new DatabaseSync(join(folder, 'printwarden.db'))
    connection.exec(`pragma foreign_keys = off; ${text}`)
    connection.close()
  }
  run(sql)
  try {
    await work()
  } finally {
    run(back)
  }
}

const hashOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(join(folder, file)))
    .digest('hex')

/** Everything that the schema says, but for the copy's own mark. */
const SCHEMA = `
  select c.relname, pg_get_constraintdef(p.oid), p.conname from pg_constraint p join pg_class c on c.oid = p.conrelid
    where c.relnamespace = 'public'::regnamespace
  union all select tablename, indexdef, indexname from pg_indexes where schemaname = 'public'
  union all select c.relname, pg_get_triggerdef(t.oid), t.tgenabled::text from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal
  union all select relname, relkind::text, '' from pg_class where relnamespace = 'public'::regnamespace order by 1, 2, 3`

test('every row of every table arrives, in a schema as a server makes it, and ids go on after the last that was handed out', async () => {
  await onFresh(async ({ url, ask }) => {
    const before = await hashOf('printwarden.db')
    const answer = await copy(url)
    expect(answer).toMatchObject({ isFailure: false, json: { differences: [], adapted: [] } })
    const { tables } = answer.json as { tables: { table: string; rows: number }[] }
    expect(tables.length).toBeGreaterThan(40)
    expect(tables.filter(({ rows }) => rows === 0)).toEqual([])
    expect(await hashOf('printwarden.db')).toBe(before)

    const [last] = await ask('select max(id) from oauth_device_codes')
    const next = await ask(
      `insert into oauth_device_codes (client_id, device_code_hash, user_code_hash, scope, status, created_at, expires_at, interval_seconds)
       values (1, 'x', 'x', '', 'x', 1, 1, 1) returning id`,
    )
    // The newest one was deleted at the source.
    expect(Number(next[0]?.[0])).toBe(Number(last?.[0]) + 2)

    const schema = await ask(SCHEMA)
    await onFresh(async (made) => {
      await migrate(made.url)
      expect(schema).toEqual(await made.ask(SCHEMA))
    })
    await expect(migrate(url)).resolves.toBeUndefined()
    await expect(copy(url)).rejects.toThrow(/is not empty \(it has the tables .*nothing was changed/)
  })
})

test('a later comparison names a changed, a missing and an added row by its key', async () => {
  await onFresh(async ({ url, ask }) => {
    await copy(url)
    expect(await copy(url, { only: 'verify' })).toMatchObject({ isFailure: false })
    await ask("update printers set name = name || ' ' where id = 7")
    await ask('delete from predictions where id = 9')
    await ask("insert into server_settings values ('15 x', '')")
    const { isFailure, json } = await copy(url, { only: 'verify' })
    expect(isFailure).toBe(true)
    expect((json as { differences: string[] }).differences).toEqual([
      'server_settings: 20 rows became 21: row 15 x is in the copy only',
      'printers: row 7 differs in name',
      'predictions: 20 rows became 19: row 9 is missing in the copy',
    ])
  })
})

test('a difference that is found at the end undoes everything, and no server starts on what is left', async () => {
  await onFresh(async ({ url, ask }) => {
    // Numbers come back with fewer digits than they have.
    await ask(`alter database ${new URL(url).pathname.slice(1)} set extra_float_digits = -10`)
    const answer = await copy(url)
    expect(answer.isFailure).toBe(true)
    expect(answer.lines.join('\n')).toMatch(/not the same on both sides:\n {2}\w+: row \d+ differs in/)
    expect(await ask('select count(*) from users')).toEqual([['0']])
    await expect(migrate(url)).rejects.toThrow(/copy that is not finished/)
    await ask(`alter database ${new URL(url).pathname.slice(1)} reset extra_float_digits`)
    expect(await copy(url)).toMatchObject({ isFailure: false })
  })
})

test('what PostgreSQL cannot hold is changed as little as possible, and told', async () => {
  const change = "update printers set name = 'a' || char(0) || 'b', created_at = 5.5 where id = 3"
  const back = "update printers set name = 'three', created_at = 5 where id = 3"
  await withSource(change, back, async () => {
    await onFresh(async ({ url, ask }) => {
      const answer = await copy(url)
      expect(answer.isFailure).toBe(false)
      expect(answer.lines.join('\n')).toMatch(/printers 3: name held the character U\+0000/)
      expect(answer.lines.join('\n')).toMatch(/printers 3: created_at held a fraction/)
      expect(await ask('select name, created_at from printers where id = 3')).toEqual([['a\uFFFDb', '6']])
    })
  })
})

test.each([
  {
    name: 'points at nothing',
    change: 'update printers set user_id = 999 where id = 3',
    back: 'update printers set user_id = 3 where id = 3',
    said: /Key \(user_id\)=\(999\) is not present in table "users"/,
  },
  {
    name: 'holds bytes',
    change: "update printers set name = x'00ff' where id = 3",
    back: "update printers set name = 'three' where id = 3",
    said: /printers\.name of row 3 holds bytes/,
  },
])('a row that $name is named, nothing is kept, and once it is mended the same command ends right', async (broken) => {
  await onFresh(async ({ url, ask }) => {
    await withSource(broken.change, broken.back, async () => {
      await expect(copy(url)).rejects.toThrow(broken.said)
      expect(await ask('select count(*) from users')).toEqual([['0']])
    })
    expect(await copy(url)).toMatchObject({ isFailure: false })
  })
})

test('a folder in use, one without a database, and one of an older version are refused, and the target is left alone', async () => {
  await onFresh(async ({ url, ask }) => {
    const held = await takeDataFolder(folder)
    await expect(copy(url)).rejects.toThrow(/in use by another printwarden-server/)
    held.release()
    await expect(copy(url, { from: join(folder, 'none') })).rejects.toThrow(/there is no database in/)
    const newest = "(select max(name) from kysely_migration where name like '0%')"
    await withSource(
      `create table kept as select * from kysely_migration where name = ${newest}; delete from kysely_migration where name = ${newest}`,
      'insert into kysely_migration select * from kept; drop table kept',
      async () => {
        await expect(copy(url)).rejects.toThrow(/older version of Printwarden.*start this version's server on it once/)
      },
    )
    expect(await ask("select count(*) from pg_class where relnamespace = 'public'::regnamespace")).toEqual([['0']])
  })
})

test('a dry run counts and touches nothing', async () => {
  await onFresh(async ({ url, ask }) => {
    const { json } = await copy(url, { only: 'count' })
    expect((json as { tables: { table: string }[] }).tables).toContainEqual({ table: 'printers', rows: 20 })
    expect(await ask("select count(*) from pg_class where relnamespace = 'public'::regnamespace")).toEqual([['0']])
  })
})

test('pictures go along, are compared, and those that are there already are not written again', async () => {
  const blobs = join(folder, 'blobs')
  const target = await mkdtemp(join(tmpdir(), 'printwarden-copied-'))
  for (const place of [blobs, target]) await mkdir(join(place, 'prints/1'), { recursive: true })
  const [large, small] = [Buffer.alloc(3_000_000, 'abc'), Buffer.from('x')]
  await writeFile(join(blobs, 'prints/1/video.mp4'), large)
  await writeFile(join(blobs, 'prints/1/poster.jpg'), small)
  await writeFile(join(blobs, 'prints/1/other.jpg'), small)
  // One arrived before, one arrived wrong, and one lies there that nobody knows.
  await writeFile(join(target, 'prints/1/poster.jpg'), small)
  await writeFile(join(target, 'prints/1/other.jpg'), 'y')
  await writeFile(join(target, 'prints/1/foreign.jpg'), 'z')
  await onFresh(async ({ url }) => {
    const { json } = await copy(url, { blobs: target })
    expect(json).toMatchObject({ blobs: { count: 3, bytes: 3_000_002, copied: 2, others: 1, differences: [] } })
    expect((await readFile(join(target, 'prints/1/video.mp4'))).equals(large)).toBe(true)
    expect(await readFile(join(target, 'prints/1/other.jpg'))).toEqual(small)
    await expect(copy(url, { blobs })).rejects.toThrow(/where the pictures lie already/)

    expect(await copy(url, { blobs: target, only: 'verify' })).toMatchObject({ isFailure: false })
    await writeFile(join(target, 'prints/1/other.jpg'), 'y')
    await rm(join(target, 'prints/1/poster.jpg'))
    const verified = await copy(url, { blobs: target, only: 'verify' })
    expect(verified.isFailure).toBe(true)
    expect((verified.json as { blobs: { differences: string[] } }).blobs.differences.toSorted()).toEqual([
      'prints/1/other.jpg',
      'prints/1/poster.jpg',
    ])
  })
  await rm(target, { recursive: true })
  await rm(blobs, { recursive: true })
})
