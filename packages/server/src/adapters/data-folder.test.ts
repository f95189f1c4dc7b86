import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { takeDataFolder } from './data-folder.js'

const root = await mkdtemp(join(tmpdir(), 'printwarden-folder-'))
afterAll(() => rm(root, { recursive: true }))

test('makes the folder, for its owner alone', async () => {
  const folder = await takeDataFolder(join(root, 'new', 'data'))
  expect((await stat(folder.path)).mode & 0o077).toBe(0)
  expect(folder.file('x')).toBe(join(folder.path, 'x'))
  folder.release()
})

test('a released folder can be taken again', async () => {
  const path = join(root, 'again')
  const first = await takeDataFolder(path)
  first.release()
  const second = await takeDataFolder(path)
  second.release()
})

test.each([
  { name: 'a file in its place', make: (path: string) => writeFile(path, '') },
  {
    name: 'a lock that is no database',
    make: (path: string) => lockOf(path, () => writeFile(join(path, 'lock.db'), 'x'.repeat(4096))),
  },
  { name: 'a folder for a lock', make: (path: string) => lockOf(path, () => mkdir(join(path, 'lock.db'))) },
])('$name is not told as another server', async ({ name, make }) => {
  const path = join(root, name)
  await make(path)
  await expect(takeDataFolder(path)).rejects.toThrow(`the data folder ${path} cannot be used: `)
})

async function lockOf(path: string, make: () => Promise<unknown>): Promise<void> {
  await mkdir(path)
  await make()
}

test('another process that holds it keeps it, until it is killed', async () => {
  const path = join(root, 'held')
  const module = new URL('./data-folder.ts', import.meta.url).href
  const script = `const { takeDataFolder } = await import(${JSON.stringify(module)})
    await takeDataFolder(${JSON.stringify(path)})
    console.log('held')
    setInterval(() => {}, 1000)`
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  const holder = spawn(process.execPath, ['--import', tsx, '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await once(holder.stdout, 'data')
    await expect(takeDataFolder(path)).rejects.toThrow(/in use by another printwarden-server/)
  } finally {
    holder.kill('SIGKILL')
    await once(holder, 'exit')
  }
  const after = await takeDataFolder(path)
  after.release()
})
