import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openPostgresDatabase } from '../../adapters/database-postgres.js'
import { UNFINISHED_COPY } from '../../adapters/database-postgres-turn.js'
import { openFresh, TEST_POSTGRES_URL } from '../../adapters/testing.js'
import { fillDatabase } from './testing.js'

// The command as a process of its own, killed at several points of its way; what comes after must always end right.

if (TEST_POSTGRES_URL === undefined) throw new Error('PRINTWARDEN_TEST_POSTGRES_URL names no PostgreSQL server')
const server = TEST_POSTGRES_URL
const silent = { error() {}, warn() {}, info() {}, debug() {} }
const PREDICTIONS = 20_000

vi.setConfig({ testTimeout: 900_000 })

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'printwarden-killed-'))
  await fillDatabase(join(folder, 'printwarden.db'), { many: { table: 'predictions', count: PREDICTIONS } })
}, 300_000)
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

interface Command {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  output: string
}

function startCopy(url: string): Command {
  const main = fileURLToPath(new URL('../../main.ts', import.meta.url))
  const args = ['--conditions=x-source', '--import', 'tsx', main, 'copy', '--from', folder, '--to', url]
  // Settings of the tests are none of the command's.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PRINTWARDEN_')))
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  const ended = once(child, 'close').then(() => child.exitCode)
  const command: Command = { child, ended, output: '' }
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (command.output += chunk.toString()))
  }
  return command
}

/** What the copy asks of the database just now. */
const NOW = `select query from pg_stat_activity
  where application_name = 'printwarden copy' and state = 'active' and datname = current_database()`

/** The copy's way, in order. It cannot come to the end of the last one while somebody holds its mark. */
const POINTS = [/^copy "predictions"/, /^create .*index/i, /^select .* from "predictions"/, /^drop table/]

test('killed at any point, the copy counts for nothing, no server starts on it, and the same command ends right', async () => {
  const database = await openFresh(server)
  const client = new Client({ connectionString: database.url })
  const holder = new Client({ connectionString: database.url })
  await Promise.all([client.connect(), holder.connect()])
  const commands: Command[] = []
  const begin = (): Command => {
    const command = startCopy(database.url)
    commands.push(command)
    return command
  }
  const kill = async ({ child, ended }: Command): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  const isMarked = async () =>
    (await client.query('select to_regclass($1) as mark', [UNFINISHED_COPY])).rows[0]?.mark !== null
  const refusesServers = async () => {
    const node = await openPostgresDatabase(database.url, silent)
    await expect(node.migrate()).rejects.toThrow(/copy that is not finished/)
    await node.close()
  }
  try {
    const first = begin()
    const marked = async () =>
      expect({ isMarked: await isMarked(), said: first.output }).toMatchObject({ isMarked: true })
    await vi.waitFor(marked, { timeout: 300_000, interval: 10 })
    await kill(first)
    await refusesServers()

    await holder.query(`begin; lock table ${UNFINISHED_COPY} in access share mode`)
    const reached = new Set<string>()
    for (const [index, point] of POINTS.entries()) {
      const command = begin()
      const asked = await vi.waitFor(
        async () => {
          const found = (await client.query<{ query: string }>(NOW)).rows.map(({ query }) => query)
          const passed = found.find((query) => POINTS.slice(index).some((one) => one.test(query)))
          if (passed === undefined) throw new Error(`${point} was not reached: ${command.output}`)
          return passed
        },
        { timeout: 300_000, interval: 5 },
      )
      await kill(command)
      reached.add(String(POINTS.find((one) => one.test(asked))))
      await refusesServers()
      expect((await client.query('select 1 from users')).rows).toEqual([])
    }
    expect([...reached]).toContain(String(POINTS[0]))
    expect([...reached]).toContain(String(POINTS.at(-1)))
    await holder.query('rollback')

    const last = begin()
    expect({ code: await last.ended, output: last.output }).toMatchObject({ code: 0 })
    expect(last.output).toMatch(/every row is the same on both sides/)
    const { rows } = await client.query('select count(*) from predictions')
    expect(rows).toEqual([{ count: String(PREDICTIONS) }])
    await expect(database.migrate()).resolves.toEqual([])
  } finally {
    for (const { child } of commands) child.kill('SIGKILL')
    await Promise.all([client.end(), holder.end()])
    await database.close()
  }
})
