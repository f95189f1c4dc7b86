import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fakeClock } from '../time/fake-clock.js'
import { fakeLog } from '../log/fake-log.js'
import { openFrameStore } from './frame-store.js'

const QUOTA = { frames: 10, bytes: 10_000 }
const idOf = (n: number) => `7b0d4c0e-51f6-4b0a-9c1e-0d7f6c3d2b1${n}`

let parent: string
let folder: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'frames-'))
  folder = join(parent, 'mk3.frames')
})
afterEach(() => rm(parent, { recursive: true, force: true }))

const clock = fakeClock(undefined, 'boot')
const open = (quota = QUOTA, log = fakeLog()) => openFrameStore(folder, quota, clock, log)
const frame = (n: number, atMs = n * 1000) => ({
  ...{ id: idOf(n), printTs: 1_800_000_000, atMs },
  reason: n === 0 ? ('started' as const) : ('interval' as const),
  label: 'bett\nüben',
})
const bytes = (n: number, size = 100) => new Uint8Array(size).fill(n)

test('pictures are there after a restart, in order, byte for byte', async () => {
  const store = await open()
  for (const n of [0, 1, 2]) expect(await store.add(frame(n, 500 - n), bytes(n))).toBe(true)
  const again = await open()
  expect(again.list()).toEqual(store.list())
  expect(again.list().map(({ id }) => id)).toEqual([0, 1, 2].map(idOf))
  expect(Buffer.from((await again.read(idOf(1))) ?? [])).toEqual(Buffer.from(bytes(1)))
})

test('what is removed is gone, and nothing else', async () => {
  const store = await open()
  for (const n of [0, 1]) await store.add(frame(n), bytes(n))
  await store.remove(idOf(0))
  await store.remove(idOf(0))
  expect((await open()).list().map(({ id }) => id)).toEqual([idOf(1)])
  expect(await readdir(folder)).toHaveLength(1)
})

test('a torn file and what was never finished are removed; the others are read', async () => {
  const store = await open()
  for (const n of [0, 1, 2]) await store.add(frame(n), bytes(n))
  await truncate(join(folder, `${idOf(1)}.frame`), 200)
  await writeFile(join(folder, `${idOf(3)}.frame.new`), 'half')
  await writeFile(join(folder, `${idOf(4)}.frame`), '')
  await writeFile(join(folder, `${idOf(5)}.frame`), await readFile(join(folder, `${idOf(0)}.frame`)))
  expect((await open()).list().map(({ id }) => id)).toEqual([idOf(0), idOf(2)])
  expect((await readdir(folder)).sort()).toEqual([`${idOf(0)}.frame`, `${idOf(2)}.frame`])
})

test.each([
  { name: 'number', quota: { frames: 2, bytes: 10_000 } },
  { name: 'bytes', quota: { frames: 10, bytes: 250 } },
])('the quota by $name holds, on disk as in memory', async ({ quota }) => {
  const store = await open(quota)
  for (const n of [0, 1, 2, 3]) await store.add(frame(n), bytes(n))
  expect(store.list()).toHaveLength(2)
  expect(store.list()[0]?.id).toBe(idOf(0))
  expect(await readdir(folder)).toHaveLength(2)
})

test('a picture that is larger than everything that may be kept is not kept, and costs no other', async () => {
  const store = await open({ frames: 10, bytes: 250 })
  await store.add(frame(0), bytes(0))
  expect(await store.add(frame(1), bytes(1, 300))).toBe(false)
  expect(store.list().map(({ id }) => id)).toEqual([idOf(0)])
})

test('a disk that takes nothing is told once, and work goes on', async () => {
  await writeFile(folder, 'a file where the folder should be')
  const log = fakeLog()
  const store = await open(QUOTA, log)
  expect(await store.add(frame(0), bytes(0))).toBe(false)
  expect(await store.add(frame(1), bytes(1))).toBe(false)
  expect(log.texts('warn').filter((text) => text.includes('cannot be kept'))).toHaveLength(1)
  expect(store.list()).toEqual([])
})
