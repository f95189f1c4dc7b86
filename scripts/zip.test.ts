import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { zipOf } from './zip.js'

const python = ((): string | undefined => {
  try {
    execFileSync('python3', ['--version'], { stdio: 'pipe' })
    return 'python3'
  } catch {
    return undefined
  }
})()

const entries = [
  { name: 'a.txt', bytes: Buffer.from('hello') },
  { name: 'empty', bytes: Buffer.alloc(0) },
  { name: 'big.bin', bytes: Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7919) & 0xff)) },
]

test('the same files give the same archive', () => {
  expect(zipOf(entries).equals(zipOf(entries))).toBe(true)
})

// Moonraker unpacks with Python's own module.
test.skipIf(python === undefined)('Python unpacks it, and finds every sum right', () => {
  const folder = mkdtempSync(join(tmpdir(), 'printwarden-zip-'))
  try {
    const file = join(folder, 'a.zip')
    writeFileSync(file, zipOf(entries))
    const code =
      'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])'
    execFileSync('python3', ['-c', code, file, folder])
    for (const { name, bytes } of entries) expect(readFileSync(join(folder, name)).equals(bytes)).toBe(true)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
