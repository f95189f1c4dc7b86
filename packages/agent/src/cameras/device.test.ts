import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { CameraError, openCamera } from '../camera.js'
import { readPicture } from './picture.js'

const subject = { printTs: () => -1, scene: () => ({ printing: false, progress: 0, failure: 0 }) }
const hasFswebcam = spawnSync('fswebcam', ['--version']).error === undefined

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CameraError)
  return error instanceof CameraError ? error.message : ''
}

test.skipIf(!hasFswebcam)('fswebcam gives its test picture, in the size that was asked for', async () => {
  const camera = await openCamera({ type: 'device', path: 'TEST', resolution: { width: 640, height: 480 } }, subject)
  for (let shot = 0; shot < 2; shot += 1) {
    const bytes = await camera.capture(AbortSignal.timeout(10_000))
    expect(readPicture(bytes)).toEqual({ format: 'jpeg', size: { width: 640, height: 480 } })
  }
})

test('a device that is not there is told', async () => {
  const camera = await openCamera(
    { type: 'device', path: '/dev/video999', resolution: { width: 640, height: 480 } },
    subject,
  )
  expect(await failureOf(camera.capture(AbortSignal.timeout(10_000)))).toBe(
    'there is no /dev/video999: is the camera plugged in?',
  )
})

test.skipIf(!hasFswebcam)('a device that is no camera is told', async () => {
  // The pattern of the configuration lets no such name through.
  const camera = await openCamera(
    { type: 'device', path: '/dev/null', resolution: { width: 640, height: 480 } },
    subject,
  )
  expect(await failureOf(camera.capture(AbortSignal.timeout(10_000)))).toContain(
    'fswebcam gives no picture of /dev/null',
  )
})

test('while one picture is taken there is no second', async () => {
  const camera = await openCamera({ type: 'device', path: 'TEST', resolution: { width: 64, height: 48 } }, subject)
  const first = camera.capture(AbortSignal.timeout(10_000)).catch(() => undefined)
  expect(await failureOf(camera.capture(AbortSignal.timeout(10_000)))).toBe('the camera takes too long')
  await first
})

test('the wait ends when it shall', async () => {
  const camera = await openCamera({ type: 'device', path: 'TEST', resolution: { width: 64, height: 48 } }, subject)
  expect(await failureOf(camera.capture(AbortSignal.abort()))).toBe('the camera takes too long')
  // Nothing was begun that could still fail, with nobody left to hear of it.
  const abort = new AbortController()
  const picture = camera.capture(abort.signal)
  abort.abort()
  expect(await failureOf(picture)).toBe('the camera takes too long')
})
