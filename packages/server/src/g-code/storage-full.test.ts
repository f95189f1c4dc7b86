import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDiskBlobs } from '../adapters/blobs-disk.js'
import { startTestServer, type TestServer } from '../testing.js'
import { blobsBelow, sendForm, upload } from './testing.js'

// A disk that is full: a real one of four mebibytes in memory, where the system lets us mount it.

const folder = await mkdtemp(join(tmpdir(), 'printwarden-small-'))
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]).status === 0
let server: TestServer

beforeAll(async () => {
  if (mounted) server = await startTestServer({ blobs: await openDiskBlobs(folder) })
})

afterAll(async () => {
  await server?.close()
  if (mounted) spawnSync('umount', [folder])
  await rm(folder, { recursive: true })
})

test.skipIf(!mounted)(
  'an upload that does not fit is refused as a whole, and the next one that fits is taken',
  async () => {
    const small = await upload(server, 'small.gcode', Buffer.alloc(1024 * 1024, 'a'))
    const before = await blobsBelow(folder)
    for (let round = 0; round < 3; round += 1) {
      const parts = [
        ['filename', 'large.gcode'],
        ['file', { bytes: Buffer.alloc(5 * 1024 * 1024, 'b'), name: 'x' }],
      ] as const
      const { status, json } = await sendForm(server, '/api/v1/g_code_files/', parts)
      expect([status, json]).toMatchObject([507, { code: 'storage_full', title: 'The storage is full' }])
      expect(await blobsBelow(folder)).toEqual(before)
    }
    expect(await (await fetch(small.url ?? '')).text()).toBe('a'.repeat(1024 * 1024))
    await upload(server, 'fits.gcode', Buffer.alloc(2 * 1024 * 1024, 'c'))
    const { json } = await server.call('GET', '/api/v1/g_code_files/?sorting=filename_asc')
    expect(json).toMatchObject([{ filename: 'fits.gcode' }, { filename: 'small.gcode' }])
  },
)
