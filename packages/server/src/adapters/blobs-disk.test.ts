import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, expect, test } from 'vitest'
import { blobStoreContract } from './blobs.contract.js'
import { openDiskBlobs } from './blobs-disk.js'

const root = await mkdtemp(join(tmpdir(), 'printwarden-blobs-'))
let count = 0
const newFolder = (): string => join(root, String(count++))

afterAll(() => rm(root, { recursive: true }))

blobStoreContract(() => openDiskBlobs(newFolder()))

test('nothing partial is left after a put, a stream that fails included', async () => {
  const folder = newFolder()
  const store = await openDiskBlobs(folder)
  await store.put('a.jpg', new Uint8Array(3), 'image/jpeg')
  const options = { contentType: 'application/octet-stream', maxBytes: 2 }
  await expect(store.putStream('a.bin', Readable.from([Buffer.alloc(3)]), options)).rejects.toThrow()
  expect(await readdir(folder)).toEqual(['.partial', 'a.jpg'])
  expect(await readdir(join(folder, '.partial'))).toEqual([])
})

test('what is new replaces nothing', async () => {
  const store = await openDiskBlobs(newFolder())
  await store.put('a.jpg', new Uint8Array(3), 'image/jpeg')
  await expect(store.putNew('a.jpg', new Uint8Array(4), 'image/jpeg')).rejects.toThrow(/EEXIST/)
  expect(await store.find('a.jpg')).toMatchObject({ size: 3 })
})

test('of what is new and cannot be written, nothing is left', async () => {
  const folder = newFolder()
  const store = await openDiskBlobs(folder)
  await mkdir(join(folder, 'printers'))
  const broken: Uint8Array = new Proxy(new Uint8Array(3), {})
  await expect(store.putNew('printers/a.jpg', broken, 'image/jpeg')).rejects.toThrow()
  expect(await readdir(join(folder, 'printers'))).toEqual([])
})

test('why something could not be written is told, even if what is in its way cannot be removed', async () => {
  const folder = newFolder()
  const store = await openDiskBlobs(folder)
  await writeFile(join(folder, 'printers'), 'a file where a folder should be')
  for (const put of ['put', 'putNew'] as const) {
    const written = store[put]('printers/1/a.jpg', new Uint8Array(3), 'image/jpeg')
    await expect(written).rejects.toMatchObject({ syscall: 'mkdir' })
  }
})

test('what an interrupted write left is gone at the next start', async () => {
  const folder = newFolder()
  await mkdir(join(folder, '.partial'), { recursive: true })
  await writeFile(join(folder, '.partial', 'half'), 'half')
  await openDiskBlobs(folder)
  expect(await readdir(join(folder, '.partial'))).toEqual([])
})

test('ping fails when the folder is gone', async () => {
  const folder = newFolder()
  const store = await openDiskBlobs(folder)
  await rm(folder, { recursive: true })
  await expect(store.ping()).rejects.toThrow()
})
