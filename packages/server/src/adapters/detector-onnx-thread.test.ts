import { type ResourceLimits, Worker } from 'node:worker_threads'
import { afterEach, expect, test, vi } from 'vitest'
import type { Log } from '../ports.js'
import { DetectorThread, type DetectorThreadOptions } from './detector-onnx-thread.js'

// A worker that does what the first byte of a picture says.
const SCRIPT = `
  const { parentPort, workerData } = require('node:worker_threads')
  if (workerData.dies) throw new Error('out of memory')
  parentPort.postMessage({ type: 'loaded', model: 'test' })
  parentPort.on('message', ({ type, id, picture }) => {
    if (type === 'stop') return workerData.deaf ? undefined : parentPort.close()
    if (picture[0] === 1) throw new Error('crash')
    if (picture[0] === 2) return
    if (picture[0] === 4) process.exit(1)
    if (picture[0] === 5) { const full = []; for (;;) full.push(new Array(10_000).fill(full.length)) }
    if (picture[0] === 3) return parentPort.postMessage({ type: 'failed', id, code: 'invalid_image', detail: 'broken' })
    parentPort.postMessage({ type: 'found', id, findings: { score: picture[0] / 100, size: picture.length } })
  })`

const CRASH = Uint8Array.of(1)
const HANG = Uint8Array.of(2)
const BROKEN = Uint8Array.of(3)
const EXIT = Uint8Array.of(4)
const FULL = Uint8Array.of(5)
const GOOD = Uint8Array.of(90)

const silent: Log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} }

let thread: DetectorThread | undefined
let starts = 0
afterEach(() => thread?.close())

function open(
  options: Partial<DetectorThreadOptions> = {},
  workerData: object = {},
  resourceLimits: ResourceLimits = {},
): DetectorThread {
  starts = 0
  const start = (): Worker => {
    starts++
    return new Worker(SCRIPT, { eval: true, workerData, resourceLimits })
  }
  thread = new DetectorThread({ start, log: silent, firstRestartMs: 5, ...options })
  return thread
}

async function untilReady(opened: DetectorThread): Promise<void> {
  await vi.waitFor(() => expect(opened.isReady).toBe(true), { timeout: 5_000, interval: 5 })
}

test('answers are matched to their pictures', async () => {
  const opened = open()
  await untilReady(opened)
  const answers = await Promise.all([70, 80, 90].map((byte) => opened.detect(Uint8Array.of(byte))))
  expect(answers.map(({ score }) => score)).toEqual([0.7, 0.8, 0.9])
})

test('it begins when it may, and never once it is closed', async () => {
  let begin: () => void = () => undefined
  const after = new Promise<void>((resolve) => {
    begin = resolve
  })
  const opened = open({ after })
  await Promise.resolve()
  expect(starts).toBe(0)
  expect(opened.problem).toMatch(/is being loaded/)
  begin()
  await untilReady(opened)
  expect(starts).toBe(1)

  const closed = open({ after })
  await closed.close()
  await after
  expect(starts).toBe(0)
})

test('a picture that is a part of a large buffer travels alone, and stays usable', async () => {
  const opened = open()
  await untilReady(opened)
  const part = Buffer.alloc(1_000_000, 50).subarray(1000, 1010)
  await expect(opened.detect(part)).resolves.toMatchObject({ score: 0.5, size: 10 })
  expect(part[0]).toBe(50)
})

test('before it is ready it says so', async () => {
  await expect(open().detect(GOOD)).rejects.toMatchObject({ code: 'unavailable' })
})

test('a picture that cannot be read fails alone', async () => {
  const opened = open()
  await untilReady(opened)
  const [broken, good] = await Promise.allSettled([opened.detect(BROKEN), opened.detect(GOOD)])
  expect(broken).toMatchObject({ reason: { code: 'invalid_image', message: 'broken' } })
  expect(good).toMatchObject({ value: { score: 0.9 } })
  expect(starts).toBe(1)
})

test.each([
  { name: 'a crash', picture: CRASH },
  { name: 'an exit of the worker', picture: EXIT },
  { name: 'a heap that is full', picture: FULL },
])(
  '$name costs one picture: those that wait are looked at by the next worker',
  async ({ picture }) => {
    const opened = open({}, {}, { maxOldGenerationSizeMb: 24 })
    await untilReady(opened)
    const [before, crashed, after, last] = await Promise.allSettled(
      [GOOD, picture, GOOD, GOOD].map((each) => opened.detect(each)),
    )
    expect(crashed).toMatchObject({ reason: { code: 'unavailable' } })
    for (const good of [before, after, last]) expect(good).toMatchObject({ value: { score: 0.9 } })
    expect(starts).toBe(2)
  },
  20_000,
)

test('while it waits to be started again it says so, and afterwards it has no problem', async () => {
  const opened = open({ firstRestartMs: 50 })
  expect(opened.problem).toMatch(/loaded/)
  await untilReady(opened)
  expect(opened.problem).toBeNull()
  await expect(opened.detect(CRASH)).rejects.toMatchObject({ code: 'unavailable' })
  expect(opened.problem).toMatch(/started again/)
  await untilReady(opened)
  expect(opened.problem).toBeNull()
})

test('more pictures than a few do not wait', async () => {
  const opened = open({ timeoutMs: 50 })
  await untilReady(opened)
  const asked = Array.from({ length: 30 }, (_, i) => opened.detect(i === 0 ? HANG : GOOD))
  expect(opened.load).toBeLessThanOrEqual(17)
  const answers = await Promise.allSettled(asked)
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(16)
  expect(answers.at(-1)).toMatchObject({ reason: { code: 'unavailable', message: 'too many pictures are waiting' } })
})

test('what waits does not wait for a worker that no longer starts', async () => {
  let healthy = true
  const start = (): Worker => new Worker(SCRIPT, { eval: true, workerData: { dies: !healthy } })
  const opened = open({ start })
  await untilReady(opened)
  healthy = false
  const answers = await Promise.allSettled([opened.detect(CRASH), opened.detect(GOOD)])
  expect(answers[1]).toMatchObject({ reason: { code: 'unavailable', message: 'the detector does not start' } })
})

test('a worker that is stuck is stopped and started again', async () => {
  const opened = open({ timeoutMs: 50 })
  await untilReady(opened)
  await expect(opened.detect(HANG)).rejects.toMatchObject({ code: 'unavailable' })
  await untilReady(opened)
  await expect(opened.detect(GOOD)).resolves.toMatchObject({ score: 0.9 })
})

test('a worker that dies at each start is started later each time', async () => {
  const waits: number[] = []
  const log: Log = { ...silent, warn: (fields) => waits.push('in_ms' in fields ? Number(fields.in_ms) : 0) }
  open({ log }, { dies: true })
  await vi.waitFor(() => expect(waits.length).toBeGreaterThanOrEqual(4), { timeout: 10_000 })
  expect(waits.slice(0, 4)).toEqual([5, 10, 20, 40])
})

test('closing ends it for good, also one that does not listen', async () => {
  const opened = open({ stopMs: 20 }, { deaf: true })
  await untilReady(opened)
  const hanging = opened.detect(HANG)
  await Promise.all([opened.close(), expect(hanging).rejects.toMatchObject({ code: 'unavailable' })])
  expect(opened.isReady).toBe(false)
  await expect(opened.detect(GOOD)).rejects.toMatchObject({ code: 'unavailable' })
  expect(starts).toBe(1)
})

test('closing while it waits to start again starts nothing more', async () => {
  const opened = open()
  await untilReady(opened)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await expect(opened.detect(CRASH)).rejects.toMatchObject({ code: 'unavailable' })
  expect(vi.getTimerCount()).toBe(1)
  await opened.close()
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})
