import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CameraError, type Camera } from '../camera.js'
import type { Resolution } from '../config/camera-config.js'
import { deviceRun, ffmpegPicture } from './ffmpeg.js'

/** fswebcam ends by itself within a second or two; a driver that hangs is ended a little before the capture gives up. */
const PATIENCE_S = 8

/**
 * A camera of this machine, by `fswebcam`, or by `ffmpeg` where only that is installed. `path` has been checked against a strict
 * pattern: fswebcam is run through a shell.
 */
export function openDeviceCamera(path: string, resolution: Resolution): Camera {
  let isBusy = false
  let hasFswebcam = true

  async function take(signal: AbortSignal): Promise<Buffer> {
    if (!hasFswebcam) return ffmpegPicture(deviceRun(path, resolution), signal)
    const shot = await takeShot(path, resolution)
    if (shot !== 'not installed') return shot
    hasFswebcam = false
    return ffmpegPicture(deviceRun(path, resolution), signal)
  }

  return {
    capture: async (signal) => {
      // A device serves one program at a time, and one that hung may still be at it.
      if (isBusy || signal.aborted) throw late()
      if (path !== 'TEST' && !existsSync(path)) throw new CameraError(`there is no ${path}: is the camera plugged in?`)
      isBusy = true
      const picture = take(signal).finally(() => {
        isBusy = false
      })
      return withSignal(picture, signal)
    },
  }
}

async function takeShot(device: string, { width, height }: Resolution): Promise<Buffer | 'not installed'> {
  const { default: NodeWebcam } = await import('node-webcam')
  const folder = await mkdtemp(join(memoryFolder(), 'printwarden-camera-'))
  try {
    const webcam = NodeWebcam.create({
      ...{
        device,
        width,
        height,
        output: 'jpeg',
        callbackReturn: 'buffer',
        quality: 90,
        saveShots: false,
        verbose: false,
      },
      // The first pictures of many cameras are dark, until they have found their exposure.
      skip: device === 'TEST' ? 0 : 5,
    })
    // It runs a line of shell that nothing else could end.
    webcam.bin = `timeout -k 1 ${PATIENCE_S} nice -n 10 fswebcam`
    return await new Promise((resolve, reject) => {
      webcam.capture(join(folder, 'shot.jpg'), (error, picture) => {
        if (Buffer.isBuffer(picture)) resolve(picture)
        else if (exitCodeOf(error) === NOT_FOUND) resolve('not installed')
        else reject(shotError(device, error))
      })
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What a shell, `timeout` and `nice` answer when a program is not there; and when it was ended. */
const NOT_FOUND = 127
const ENDED = [124, 137]

function exitCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

function shotError(device: string, error: unknown): CameraError {
  if (ENDED.some((code) => code === exitCodeOf(error))) return new CameraError('the camera takes too long')
  return new CameraError(`fswebcam gives no picture of ${device}: is it a camera, and is nothing else using it?`)
}

/** Pictures are written ten times a minute; an SD card should not wear for that. */
function memoryFolder(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
}

const late = (): CameraError => new CameraError('the camera takes too long')

/** Whoever waits is answered in time, also when the device does not let go. */
function withSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(late())
    signal.addEventListener('abort', giveUp, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}
