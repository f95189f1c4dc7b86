import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
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

/** Leaves what a write that was cut off leaves, untouched for so many hours. */
async function leaveHalf(folder: string, name: string, hours: number): Promise<void> {
  const file = join(folder, '.partial', name)
  await mkdir(join(folder, '.partial'), { recursive: true })
  await writeFile(file, 'half')
  const writtenAt = Date.now() / 1000 - hours * 3600
  await utimes(file, writtenAt, writtenAt)
}

test('what interrupted writes left is gone once the only server starts again', async () => {
  const folder = newFolder()
  await leaveHalf(folder, 'old', 13)
  await leaveHalf(folder, 'young', 0)
  await openDiskBlobs(folder)
  expect(await readdir(join(folder, '.partial'))).toEqual([])
})

test('where others may write, a start removes what is half a day old: the rest may be under way', async () => {
  const folder = newFolder()
  await leaveHalf(folder, 'old', 13)
  await leaveHalf(folder, 'young', 11)
  await openDiskBlobs(folder, true)
  expect(await readdir(join(folder, '.partial'))).toEqual(['young'])
})

test('what a node is writing while another one starts is written', async () => {
  const folder = newFolder()
  const store = await openDiskBlobs(folder)
  const source = new PassThrough()
  source.write('begun')
  const options = { contentType: 'application/octet-stream', maxBytes: 99 }
  const written = store.putStream('a.bin', source, options)
  await expect.poll(() => readdir(join(folder, '.partial'))).toHaveLength(1)
  await openDiskBlobs(folder, true)
  source.end(' and ended')
  expect(await written).toEqual({ size: 15 })
})

test('nodes that start at once, while another one writes, are not in each other’s way', async () => {
  const folder = newFolder()
  const store = await openDiskBlobs(folder)
  for (let index = 0; index < 100; index++) await leaveHalf(folder, String(index), 24)
  const starts = Array.from({ length: 8 }, () => openDiskBlobs(folder, true))
  const puts = Array.from({ length: 100 }, (_, index) => store.put(`${index}.jpg`, new Uint8Array(3), 'image/jpeg'))
  await Promise.all([...starts, ...puts])
  expect(await readdir(join(folder, '.partial'))).toEqual([])
})

test('a leftover that cannot be removed does not keep a node from starting', async () => {
  const folder = newFolder()
  const odd = join(folder, '.partial', 'a folder that somebody made')
  await mkdir(odd, { recursive: true })
  await utimes(odd, 1, 1)
  await leaveHalf(folder, 'old', 13)
  const store = await openDiskBlobs(folder)
  await store.put('a.jpg', new Uint8Array(3), 'image/jpeg')
  expect(await readdir(join(folder, '.partial'))).not.toContain('old')
})

test('ping fails when the folder is gone', async () => {
  const folder = newFolder()
  const store = await openDiskBlobs(folder)
  await rm(folder, { recursive: true })
  await expect(store.ping()).rejects.toThrow()
})
