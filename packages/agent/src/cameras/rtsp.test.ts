import { expect, test } from 'vitest'
import { CameraError, openCamera } from '../camera.js'
import { rtspRun } from './ffmpeg.js'

// Whole pictures from a real RTSP server are in test/hosts/cameras.test.ts.

const subject = { printTs: () => -1, scene: () => ({ printing: false, progress: 0, failure: 0 }) }

test('a password is on no command line', () => {
  const { args, input } = rtspRun("rtsp://anna:it's@127.0.0.1:554/cam")
  expect(args.join(' ')).not.toContain('anna')
  expect(input).toContain("file 'rtsp://anna:it%27s@127.0.0.1:554/cam'\n")
})

test('a camera without a password is asked directly, as every ffmpeg can', () => {
  const { args, input } = rtspRun('rtsp://127.0.0.1:554/cam')
  expect(args).toContain('rtsp://127.0.0.1:554/cam')
  expect(input).toBe('')
})

test('a camera that is not there is told, without its address', async () => {
  const login = { user: 'anna', password: 'secret' }
  const camera = await openCamera({ type: 'rtsp', url: 'rtsp://127.0.0.1:9/cam', login }, subject)
  const error = await camera.capture(AbortSignal.timeout(20_000)).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(CameraError)
  const said = error instanceof Error ? error.message : ''
  // On a machine without ffmpeg it says what to install.
  expect(said).toMatch(/^the camera gives no picture \(.*Connection refused\)$|^ffmpeg is not installed/)
  expect(said).not.toMatch(/anna|secret/)
})

test('a camera that hangs is given up', async () => {
  const camera = await openCamera({ type: 'rtsp', url: 'rtsp://10.255.255.1/cam' }, subject)
  const error = await camera.capture(AbortSignal.timeout(300)).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ message: expect.stringMatching(/takes too long|not installed|no picture/) })
})
