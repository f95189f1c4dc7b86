import { expect, test } from 'vitest'
import { CameraError } from '../camera.js'
import type { CameraSource } from '../config/camera-config.js'
import { CAPTURE_TIMEOUT_MS, CameraFlow } from './camera-flow.js'
import { fakeClock } from '../time/fake-clock.js'
import { fakeLog } from '../log/fake-log.js'
import type { PicResult, PicUpload } from './pic-client.js'
import { PicUploader } from './pic-uploader.js'
import { until } from '../testing.js'

/** The smallest JPEG that passes for one: a frame header of 32 × 16 pixels, a start of scan, an end mark. */
const JPEG = Uint8Array.from([0xff, 0xd8, 0xff, 0xc0, 0, 8, 8, 0, 16, 0, 32, 1, 0xff, 0xda, 0, 2, 1, 0xff, 0xd9])

const idle = { online: true, printing: false, viewing: false }
const printing = { online: true, printing: true, viewing: false }

function rig(source: CameraSource = { type: 'generated' }) {
  const clock = fakeClock()
  const log = fakeLog()
  const uploads: PicUpload[] = []
  const camera = { captures: 0, fails: false, hangs: false, noise: 0 }
  let answer: () => Promise<PicResult> = () => Promise.resolve({ type: 'stored' })
  const pics = {
    upload: (pic: PicUpload) => {
      uploads.push(pic)
      return answer()
    },
  }
  let sizes = 0
  let busy = false
  const flow = new CameraFlow({
    config: {
      label: 'bed',
      source,
      primary: true,
      nozzle: false,
      change: { flipH: false, flipV: false, rotation: 0, maxSize: undefined },
      intervalMs: 2_000,
    },
    camera: {
      capture: async (signal) => {
        camera.captures += 1
        if (camera.hangs) await aborted(signal)
        if (camera.fails) throw new CameraError('the camera answers 500')
        // Bytes behind the end mark are padding.
        return Uint8Array.from([...JPEG, camera.noise])
      },
    },
    uploader: new PicUploader(pics, clock, log),
    clock,
    log,
    printTs: () => -1,
    onSize: () => {
      sizes += 1
    },
    isBusy: () => busy,
  })
  /** Lets time pass, and what was begun come to its end. */
  const pass = async (ms: number) => {
    clock.advance(ms)
    await new Promise(setImmediate)
    await new Promise(setImmediate)
  }
  const answers = (next: () => Promise<PicResult>) => {
    answer = next
  }
  const setBusy = () => {
    busy = true
  }
  return { flow, clock, log, uploads, camera, pass, answers, setBusy, sizes: () => sizes }
}

/** What hangs until it is called off. */
const aborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(new CameraError('the camera takes too long'))),
  )

test('without a server no picture is taken', async () => {
  const { flow, camera, pass } = rig()
  flow.attend({ ...printing, online: false })
  await pass(60_000)
  expect(camera.captures).toBe(0)
})

test('a picture at the start, then one in each interval while printing', async () => {
  const { flow, uploads, pass } = rig()
  flow.attend(idle)
  await pass(0)
  expect(uploads).toHaveLength(1)
  flow.attend(printing)
  for (const count of [2, 3, 4]) {
    await pass(2_000)
    expect(uploads).toHaveLength(count)
  }
  expect(uploads[0]).toMatchObject({ label: 'bed', primary: true, boost: false, ageMs: 0 })
})

test('the size of the pictures is told once', async () => {
  const { flow, pass, sizes } = rig()
  flow.attend(printing)
  await pass(0)
  await pass(2_000)
  expect(sizes()).toBe(1)
  expect(flow.view()).toEqual({ label: 'bed', primary: true, size: { width: 32, height: 16 } })
})

test('somebody who begins to look on gets a picture at once, only to look at', async () => {
  const { flow, uploads, pass } = rig()
  flow.attend(printing)
  await pass(0)
  await pass(500)
  flow.attend({ ...printing, viewing: true })
  await pass(0)
  expect(uploads.map(({ boost }) => boost)).toEqual([false, true])
  await pass(1_500)
  expect(uploads.map(({ boost }) => boost)).toEqual([false, true, false])
})

test('a picture that is asked for is taken now', async () => {
  const { flow, uploads, pass } = rig()
  flow.attend(idle)
  await pass(0)
  const taken = flow.take()
  await pass(0)
  await taken
  expect(uploads).toHaveLength(2)
})

test('who asks a camera that is broken is told so', async () => {
  const { flow, camera, pass } = rig()
  camera.fails = true
  flow.attend(idle)
  const taken = flow.take()
  const refused = expect(taken).rejects.toThrow('the camera answers 500')
  await pass(0)
  await refused
})

test('a broken camera is told once, and again when it works', async () => {
  const { flow, camera, log, pass } = rig()
  flow.attend(printing)
  await pass(0)
  camera.fails = true
  for (let n = 0; n < 5; n += 1) await pass(2_000)
  expect(log.texts('warn')).toHaveLength(1)
  camera.fails = false
  await pass(2_000)
  expect(log.texts('info')).toContain('the camera works again')
})

test('a camera that hangs is given up in time, and asked again', async () => {
  const { flow, camera, log, uploads, pass } = rig()
  camera.hangs = true
  flow.attend(printing)
  await pass(CAPTURE_TIMEOUT_MS - 1)
  expect(camera.captures).toBe(1)
  expect(log.texts('warn')).toEqual([])
  await pass(1)
  expect(log.texts('warn')).toEqual(['the camera gives no picture; the agent goes on without and tries again'])
  camera.hangs = false
  await pass(60_000)
  expect(camera.captures).toBeGreaterThan(1)
  expect(uploads.length).toBeGreaterThan(0)
})

test('the stop does not wait for a camera that hangs', async () => {
  const { flow, camera, log, pass } = rig()
  camera.hangs = true
  flow.attend(printing)
  await pass(0)
  const asked = flow.take()
  flow.close()
  await expect(asked).rejects.toThrow('the agent stops')
  await pass(60_000)
  expect(camera.captures).toBe(1)
  expect(log.texts('warn')).toEqual([])
})

test('while an upload is under way only the newest picture waits', async () => {
  const { flow, uploads, camera, pass, answers } = rig()
  let release: (result: PicResult) => void = () => undefined
  answers(
    () =>
      new Promise((resolve) => {
        release = resolve
      }),
  )
  flow.attend(printing)
  await pass(0)
  for (let n = 0; n < 4; n += 1) await pass(2_000)
  expect(camera.captures).toBe(5)
  expect(uploads).toHaveLength(1)
  answers(() => Promise.resolve({ type: 'stored' }))
  release({ type: 'stored' })
  await until('the next upload', () => uploads.length === 2)
  await pass(500)
  expect(uploads).toHaveLength(2)
})

test('a server that wants fewer pictures gets none before its time', async () => {
  const { flow, uploads, pass, answers } = rig()
  answers(() => Promise.resolve({ type: 'wait', waitMs: 7_000 }))
  flow.attend(printing)
  await pass(0)
  answers(() => Promise.resolve({ type: 'stored' }))
  for (let n = 0; n < 3; n += 1) await pass(2_000)
  expect(uploads).toHaveLength(1)
  await pass(2_000)
  expect(uploads).toHaveLength(2)
})

test.each([
  { name: 'a refusal', answer: () => Promise.resolve({ type: 'refused', status: 400, detail: 'no' } as const) },
  { name: 'a lost connection', answer: () => Promise.reject(new Error('reset')) },
])('$name is told once, and again when uploads work', async ({ answer }) => {
  const { flow, log, pass, answers } = rig()
  answers(answer)
  flow.attend(printing)
  await pass(0)
  for (let n = 0; n < 3; n += 1) await pass(2_000)
  expect(log.texts('warn')).toEqual(['a picture was not uploaded'])
  answers(() => Promise.resolve({ type: 'stored' }))
  await pass(2_000)
  expect(log.texts('info')).toContain('pictures are uploaded again')
})

test('after close nothing happens any more', async () => {
  const { flow, camera, pass } = rig()
  flow.attend(printing)
  await pass(0)
  flow.close()
  await pass(60_000)
  expect(camera.captures).toBe(1)
})

test('on a busy machine pictures are skipped, and none is made up for', async () => {
  const { flow, uploads, pass, setBusy } = rig()
  flow.attend(printing)
  await pass(0)
  setBusy()
  await pass(2_000)
  for (let seconds = 0; seconds < 12; seconds += 1) await pass(1_000)
  // Every two seconds it would have been seven.
  expect(uploads.length).toBeLessThanOrEqual(4)
  expect(uploads.length).toBeGreaterThanOrEqual(3)
})

test('whoever wants a picture while one is taken gets the same', async () => {
  const { flow, camera, pass } = rig()
  flow.attend(printing)
  const [first, second] = [flow.shoot(), flow.shoot()]
  expect((await first).bytes).toBe((await second).bytes)
  expect(camera.captures).toBe(1)
  await flow.shoot(5_000)
  expect(camera.captures).toBe(1)
  await pass(0)
  expect(camera.captures).toBe(2)
})

test('a camera that has frozen is told once, and again when it moves', async () => {
  const { flow, log, camera, pass, clock } = rig({ type: 'snapshot', url: 'http://127.0.0.1/' })
  flow.attend(printing)
  for (let seconds = 0; seconds < 300; seconds += 2) await pass(2_000)
  const told = () => log.texts('warn').filter((text) => text.includes('the same picture over and over'))
  expect(told()).toHaveLength(1)
  camera.noise = 1
  await pass(2_000)
  camera.noise = 2
  await pass(2_000)
  expect(log.texts('info')).toContain('the camera gives new pictures again')
  expect(told()).toHaveLength(1)
  expect(clock.monotonicMs()).toBeGreaterThan(300_000)
})
