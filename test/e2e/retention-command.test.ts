import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, createClient, type Print } from '@printwarden/sdk'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADMIN, ROOT, runServerCommand, type ServerProgram } from '../support/processes.js'
import { startServer, temporaryFolder, until } from '../support/processes.js'

// Retention as an operator runs it, by the command line on the data folder of a running server, a month later by its clock.

const MONTH_MS = 31 * 86_400_000

let folder: { path: string; remove: () => Promise<void> }
let server: ServerProgram
let client: Client
let printerId: number
let token: string

const prints = (...path: string[]): string => join(folder.path, 'data/blobs/prints', ...path)

const dataDir = (): string => join(folder.path, 'data')

beforeAll(async () => {
  folder = await temporaryFolder()
  server = await startServer({ dataDir: dataDir(), env: { PRINTWARDEN_ROLES: 'web,jobs' } })
  const issue = ['token', 'issue', '--user', ADMIN.email, '--scope', 'read write', '--json']
  token = (JSON.parse(await runServerCommand(server.url, issue)) as { access_token: string }).access_token
  client = createClient({ baseUrl: server.url, token })
  printerId = (await client.createPrinter({ name: 'Filmed' })).id
  await client.updatePrinter({ id: printerId, min_timelapse_secs_on_finish: 0, min_timelapse_secs_on_cancel: 0 })
}, 180_000)

/** The same server a month later, as its operator has set it up since. */
async function startLater(): Promise<void> {
  await server.stop()
  const env = {
    PRINTWARDEN_ROLES: 'web,jobs',
    PRINTWARDEN_RETENTION_DAYS: '30',
    PRINTWARDEN_RETENTION_CANCELLED_DAYS: '0',
    NODE_OPTIONS: `--import=${join(ROOT, 'test/support/later.mjs')}`,
    LATER_FROM_MS: String(MONTH_MS),
  }
  server = await startServer({ dataDir: dataDir(), env })
  client = createClient({ baseUrl: server.url, token })
}

afterAll(async () => {
  await server?.stop()
  await folder?.remove()
})

/** A print with a time-lapse. */
async function filmed(filename: string, status: 'success' | 'cancelled'): Promise<Print> {
  await client.startPrint({ id: printerId, filename })
  const id = (await client.getPrinter({ id: printerId })).current_print?.id ?? 0
  await mkdir(prints(String(id), 'frames'), { recursive: true })
  const create = { width: 320, height: 240, channels: 3, background: '#468' } as const
  for (let number = 0; number < 10; number++) {
    const picture = await sharp({ create }).jpeg().toBuffer()
    await writeFile(prints(String(id), 'frames', `${Date.now() + number * 10_000}.jpg`), picture)
  }
  await client.finishPrint({ id: printerId, status })
  return until(
    'the time-lapse',
    async () => {
      const print = await client.getPrint({ id })
      const left = await readdir(prints(String(id), 'frames')).catch(() => [])
      return print.timelapse?.state === 'done' && left.length === 0 ? print : undefined
    },
    120_000,
  )
}

/** All files of prints, with their sizes. */
async function files(): Promise<Record<string, number>> {
  const entries = await readdir(prints(), { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, (await stat(path)).size] as const)))
}

test('a dry run says what goes and takes nothing; the run takes that and no more', async () => {
  const old = await filmed('old.gcode', 'success')
  const cancelled = await filmed('cancelled.gcode', 'cancelled')
  await startLater()
  const young = await filmed('young.gcode', 'success')
  const before = await files()

  const dry = await runServerCommand(server.url, ['retention', '--dry-run'])
  expect(dry).toContain('too old  old.gcode')
  expect(dry).not.toContain('young.gcode')
  expect(dry).not.toContain('cancelled.gcode')
  expect(dry).toMatch(/would remove: 1 prints/)
  expect(await files()).toEqual(before)

  const real = await runServerCommand(server.url, ['retention'])
  expect(real.replace('removed:', 'would remove:')).toBe(dry)
  const after = await files()
  const gone = Object.keys(before).filter((path) => !(path in after))
  expect(gone.length).toBeGreaterThan(0)
  expect(gone.every((path) => path.startsWith(prints(String(old.id), 'timelapse/')) && path.endsWith('.mp4'))).toBe(
    true,
  )
  expect((await client.getPrint({ id: old.id })).timelapse).toMatchObject({ state: 'none', reason_code: 'archived' })
  for (const { id } of [cancelled, young]) {
    const { video_url } = await client.getPrint({ id })
    expect((await fetch(video_url ?? '')).status).toBe(200)
  }
  expect(await runServerCommand(server.url, ['retention', '--dry-run'])).toMatch(/would remove: 0 prints, 0\.0 MiB/)
}, 240_000)
