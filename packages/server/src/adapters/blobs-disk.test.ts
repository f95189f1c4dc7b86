import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { blobStoreContract } from './blobs.contract.js'
import { openDiskBlobs } from './blobs-disk.js'

const root = await mkdtemp(join(tmpdir(), 'printwarden-blobs-'))
let count = 0
const newFolder = (): string => join(root, String(count++))

afterAll(() => rm(root, { recursive: true }))

blobStoreContract(() => openDiskBlobs(newFolder()))

test('nothing partial is left after a put', async () => {
  const folder = newFolder()
  const store = await openDiskBlobs(folder)
  await store.put('a.jpg', new Uint8Array(3), 'image/jpeg')
  expect(await readdir(join(folder, '.partial'))).toEqual([])
})

test('ping fails when the folder is gone', async () => {
  const folder = newFolder()
  const store = await openDiskBlobs(folder)
  await rm(folder, { recursive: true })
  await expect(store.ping()).rejects.toThrow()
})
