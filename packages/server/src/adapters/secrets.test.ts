import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openSecrets, secretKeyFile } from './secrets.js'

const folder = await mkdtemp(join(tmpdir(), 'printwarden-secrets-'))
afterAll(() => rm(folder, { recursive: true }))

const ours = openSecrets('a'.repeat(64))
const theirs = openSecrets('b'.repeat(64))

test('a signature holds for its text and key alone', () => {
  const signature = ours.sign('text')
  expect(ours.verify('text', signature)).toBe(true)
  expect(ours.verify('texT', signature)).toBe(false)
  expect(theirs.verify('text', signature)).toBe(false)
  expect(ours.verify('text', '')).toBe(false)
  expect(ours.verify('text', `${signature}x`)).toBe(false)
})

test('encrypting hides the text, differently each time, and only the key opens it', () => {
  const encrypted = ours.encrypt('déjà vu')
  expect(encrypted).not.toContain('vu')
  expect(ours.encrypt('déjà vu')).not.toBe(encrypted)
  expect(ours.decrypt(encrypted)).toBe('déjà vu')
  expect(() => theirs.decrypt(encrypted)).toThrow()
  const changed = Buffer.from(encrypted, 'base64url')
  changed[changed.length - 1] = (changed[changed.length - 1] ?? 0) ^ 1
  expect(() => ours.decrypt(changed.toString('base64url'))).toThrow()
  expect(() => ours.decrypt('')).toThrow()
})

test('hashes: one with the key, one without', () => {
  expect(ours.keyedHash('x')).toBe(ours.keyedHash('x'))
  expect(ours.keyedHash('x')).not.toBe(theirs.keyedHash('x'))
  expect(ours.hash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('tokens have the length asked for and do not repeat', () => {
  expect(ours.newToken(20)).toMatch(/^[0-9a-f]{40}$/)
  expect(ours.newToken(20)).not.toBe(ours.newToken(20))
})

test('the key file is made once, for its owner alone, also by several at once', async () => {
  const file = join(folder, 'secret.key')
  const keys = await Promise.all([secretKeyFile(file), secretKeyFile(file), secretKeyFile(file)])
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toMatch(/^[0-9a-f]{64}$/)
  expect((await stat(file)).mode & 0o077).toBe(0)
  expect(await secretKeyFile(file)).toBe(keys[0])
})

test('a damaged key file is not replaced', async () => {
  const file = join(folder, 'damaged.key')
  await writeFile(file, 'short')
  await expect(secretKeyFile(file)).rejects.toThrow(/damaged/)
})
