import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CameraError, openCamera, type Camera } from '../camera.js'
import { startFakeCamera, type CameraFault, type FakeCamera } from './fake-camera.js'
import { finishPicture } from './finish.js'

const AS_IT_IS = { flipH: false, flipV: false, rotation: 0, maxSize: undefined }

let fake: FakeCamera
let camera: Camera | undefined
beforeEach(async () => {
  fake = await startFakeCamera()
})
afterEach(async () => {
  camera?.close?.()
  await fake.close()
})

async function open(type: 'snapshot' | 'stream'): Promise<void> {
  const subject = { printTs: () => -1, scene: () => ({ printing: false, progress: 0, failure: 0 }) }
  camera = await openCamera({ type, url: `${fake.url}/${type}` }, subject)
}

/** What the agent does with a camera: takes the picture and makes it ready. Answers it, or why there is none. */
async function take(patienceMs = 5_000): Promise<Uint8Array | string> {
  try {
    const bytes = await camera?.capture(AbortSignal.timeout(patienceMs))
    return (await finishPicture(bytes ?? new Uint8Array(), AS_IT_IS)).bytes
  } catch (error) {
    if (!(error instanceof CameraError)) throw error
    return error.message
  }
}

describe.each(['snapshot', 'stream'] as const)('a %s camera', (type) => {
  const faults: { fault: CameraFault; says: RegExp; patienceMs?: number }[] = [
    { fault: 'http500', says: /^the camera answers 500$/ },
    { fault: 'hang', says: /^the camera takes too long$/, patienceMs: 300 },
    { fault: 'truncate', says: /^the picture is cut off$/ },
    {
      fault: 'page',
      says: type === 'snapshot' ? /starts with "<!doctype html>/ : /no MJPEG stream/,
    },
    { fault: 'tiny', says: /^the picture has only 1 × 1 pixels$/ },
    { fault: 'huge', says: /^the picture has too many pixels$/ },
    {
      fault: 'endless',
      says: type === 'snapshot' ? /^the picture is too large$/ : /no MJPEG stream/,
      patienceMs: 30_000,
    },
    { fault: 'cut off', says: /does not answer|ended before/ },
    ...(type === 'stream'
      ? ([
          { fault: 'stall', says: /^the camera takes too long$/, patienceMs: 300 },
          { fault: 'wrong length', says: /^the picture is cut off$/ },
        ] as const)
      : []),
  ]
  test.each(faults)(
    'with the fault "$fault" says so, and works again without it',
    async ({ fault, says, patienceMs }) => {
      await open(type)
      expect(await take()).toBeInstanceOf(Uint8Array)
      fake.fault = fault
      camera?.close?.()
      expect(await take(patienceMs)).toMatch(says)
      fake.fault = 'none'
      expect(await take()).toBeInstanceOf(Uint8Array)
    },
  )

  test.each(['slow', 'wrong type', 'freeze'] as const)('with the fault "%s" still gives its picture', async (fault) => {
    await open(type)
    fake.fault = fault
    expect(await take()).toBeInstanceOf(Uint8Array)
  })
})

describe('a stream', () => {
  test('stays open from one picture to the next, and each is of now', async () => {
    await open('stream')
    const first = await take()
    await expect.poll(() => fake.frame).toBeGreaterThan(8)
    const before = fake.frame
    const second = await take()
    expect(fake.requests).toBe(1)
    expect(fake.streams).toBe(1)
    expect(fake.frame - before).toBeLessThan(40)
    expect(second).not.toEqual(first)
  })

  test('that breaks while open is opened anew', async () => {
    await open('stream')
    await take()
    fake.fault = 'cut off'
    await expect.poll(() => fake.streams).toBe(0)
    fake.fault = 'none'
    expect(await take()).toBeInstanceOf(Uint8Array)
    expect(fake.requests).toBe(2)
  })

  test('that hangs while open is given up in time, then opened anew', async () => {
    await open('stream')
    await take()
    fake.fault = 'stall'
    expect(await take(300)).toBe('the camera takes too long')
    fake.fault = 'none'
    expect(await take()).toBeInstanceOf(Uint8Array)
    expect(fake.requests).toBe(2)
  })

  test('is let go when the agent stops', async () => {
    await open('stream')
    await take()
    camera?.close?.()
    await expect.poll(() => fake.streams).toBe(0)
  })
})
