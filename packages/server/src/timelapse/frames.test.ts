import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDiskBlobs } from '../adapters/blobs-disk.js'
import type { BlobStore } from '../ports.js'
import { keptLog } from '../testing.js'
import { framesPrefix, keptFrames } from './frames.js'
import { framesFlow, type NewFrame } from './frames-flow.js'

let folder = ''
let blobs: BlobStore
const log = keptLog()
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'printwarden-frames-'))
  blobs = await openDiskBlobs(folder)
  await blobs.put('printers/1/pic/x.jpg', new Uint8Array(10), 'image/jpeg')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const frame = (frame_at: number): NewFrame => ({
  ...{ print_id: 7, frame_at, size: 10 },
  raw_key: 'printers/1/pic/x.jpg',
  type: 'image/jpeg',
})

test('frames stay when the snapshot goes, in order of time', async () => {
  const frames = framesFlow({ blobs, log })
  for (const at of [9, 1000, 20_000]) await frames.keep(frame(at))
  await blobs.remove('printers/1/pic/x.jpg')
  expect(await frames.list(7)).toEqual(
    [9, 1000, 20_000].map((at) => ({ key: `prints/7/frames/${at}.jpg`, frame_at: at, size: 10 })),
  )
  await frames.removeAll(7)
  expect(await blobs.list('prints/')).toEqual([])
})

test.each([
  { name: 'too many', limits: { frames: 40, bytes: 1e9 } },
  { name: 'too large', limits: { frames: 1e9, bytes: 400 } },
])('when frames are $name they are thinned evenly over the whole print, also after a restart', async ({ limits }) => {
  let frames = framesFlow({ blobs, log, limits })
  for (let index = 0; index < 300; index++) {
    if (index === 130) frames = framesFlow({ blobs, log, limits })
    await frames.keep(frame(1_000_000 + index * 10_000))
  }
  const kept = keptFrames(await blobs.list(framesPrefix(7)))
  expect(kept.length).toBeGreaterThanOrEqual(19)
  expect(kept.length).toBeLessThanOrEqual(40)
  const gaps = kept.slice(1).map(({ frame_at }, index) => frame_at - (kept[index]?.frame_at ?? 0))
  expect(Math.max(...gaps)).toBeLessThanOrEqual(2 * Math.min(...gaps))
  expect(kept[0]?.frame_at).toBe(1_000_000)
  expect(kept.at(-1)?.frame_at).toBeGreaterThan(1_000_000 + 280 * 10_000)
})

test('a snapshot that is gone is not kept, and a disk that fails does not fail the snapshot', async () => {
  const frames = framesFlow({ blobs, log })
  await frames.keep({ ...frame(1), raw_key: 'printers/1/pic/gone.jpg' })
  expect(await frames.list(7)).toEqual([])
  const broken = framesFlow({ log, blobs: { ...blobs, copy: () => Promise.reject(new Error('disk')) } })
  await expect(broken.keep(frame(2))).resolves.toBeUndefined()
  expect(log.lines.at(-1)).toMatchObject({ level: 'warn' })
})
