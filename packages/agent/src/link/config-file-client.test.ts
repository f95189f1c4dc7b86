import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfigText, writeConfigText } from './config-file-client.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'printwarden-config-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const isRoot = process.getuid?.() === 0

test('a configuration is replaced as a whole, and only its owner can read it', async () => {
  const path = join(folder, 'agent.cfg')
  writeFileSync(path, 'old')
  chmodSync(path, 0o644)
  const text = `# long\n${'key: value\n'.repeat(100_000)}`
  writeConfigText(path, text)
  expect(await readConfigText(path)).toBe(text)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['agent.cfg'])
})

test('a link to it stays a link', () => {
  const path = join(folder, 'agent.cfg')
  writeFileSync(path, 'old')
  symlinkSync(path, join(folder, 'link.cfg'))
  writeConfigText(join(folder, 'link.cfg'), 'new')
  expect(readFileSync(path, 'utf8')).toBe('new')
})

test.skipIf(!isRoot)('what the administrator writes stays that of the user whose agent it is', () => {
  const path = join(folder, 'agent.cfg')
  chownSync(folder, 1234, 2345)
  writeConfigText(path, 'new')
  expect(statSync(path)).toMatchObject({ uid: 1234, gid: 2345 })
  chownSync(path, 3456, 4567)
  writeConfigText(path, 'newer')
  expect(statSync(path)).toMatchObject({ uid: 3456, gid: 4567 })
})

// A limit on the size of files stops a write in its middle, as a disk does that has no more room.
test.skipIf(process.platform === 'win32')('a disk on which only a part has room leaves the old text', () => {
  const path = join(folder, 'agent.cfg')
  writeFileSync(path, 'old')
  const client = fileURLToPath(new URL('config-file-client.ts', import.meta.url))
  const script = `import { writeConfigText } from ${JSON.stringify(client)}
writeConfigText(${JSON.stringify(path)}, 'x'.repeat(100_000))`
  writeFileSync(join(folder, 'write.mts'), script)
  const node = [process.execPath, '--conditions=x-source', '--import', TSX, join(folder, 'write.mts')]
  const { status } = spawnSync('sh', ['-c', 'ulimit -f 64; exec "$@"', 'sh', ...node], { encoding: 'utf8' })
  expect(status).not.toBe(0)
  expect(readFileSync(path, 'utf8')).toBe('old')
})
