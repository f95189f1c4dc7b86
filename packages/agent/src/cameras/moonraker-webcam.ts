import { create } from 'axios'
import { z } from 'zod'
import { CameraError, openCamera, type Camera, type CameraSubject } from '../camera.js'
import type { MoonrakerAddress, PictureChange } from '../config/camera-config.js'
import { changeOfWebcam, findWebcam, sourceOfWebcam } from '../hosts/moonraker/webcams.js'
import { cameraError } from './fetch-picture.js'
import { finishPicture } from './finish.js'

/** How long a webcam's settings hold before they are asked for again: somebody may turn the picture in Mainsail. */
const HOLD_MS = 5 * 60_000
const MAX_ANSWER_BYTES = 1024 * 1024

const Answer = z.object({ result: z.unknown() })

interface Opened {
  readonly camera: Camera
  readonly change: PictureChange
  readonly atMs: number
  /** Of the settings, so that the same ones do not open the camera anew. */
  readonly key: string
}

/** A webcam that is set up in Moonraker, with its address, flips and rotation. */
export function openMoonrakerWebcam(moonraker: MoonrakerAddress, name: string, subject: CameraSubject): Camera {
  const http = create({
    baseURL: moonraker.url,
    headers: moonraker.apiKey === undefined ? {} : { 'X-Api-Key': moonraker.apiKey },
    proxy: false,
    maxRedirects: 0,
    maxContentLength: MAX_ANSWER_BYTES,
    validateStatus: () => true,
  })
  let opened: Opened | undefined

  async function askMoonraker(signal: AbortSignal): Promise<unknown> {
    const { status, data } = await http
      .get<unknown>('/server/webcams/list', { signal })
      .catch((error: unknown) => Promise.reject(cameraError(error, signal)))
    if (status === 401) throw new CameraError('Moonraker wants an API key, or another one')
    if (status !== 200) throw new CameraError(`Moonraker answers ${status} when asked for its webcams`)
    return Answer.safeParse(data).data?.result
  }

  async function find(signal: AbortSignal): Promise<Opened> {
    const webcam = findWebcam(await askMoonraker(signal), name)
    const key = JSON.stringify(webcam)
    const atMs = performance.now()
    if (opened?.key === key) return { ...opened, atMs }
    close()
    const camera = await openCamera(sourceOfWebcam(webcam, moonraker.url), subject)
    return { camera, change: changeOfWebcam(webcam), atMs, key }
  }

  function close(): void {
    opened?.camera.close?.()
    opened = undefined
  }

  return {
    capture: async (signal) => {
      if (!opened || performance.now() - opened.atMs > HOLD_MS) opened = await find(signal)
      const { camera, change } = opened
      try {
        const bytes = await camera.capture(signal)
        const stays = !change.flipH && !change.flipV && change.rotation === 0
        return stays ? bytes : (await finishPicture(bytes, change)).bytes
      } catch (error) {
        // The next one looks anew: perhaps the webcam was given another address.
        close()
        throw error
      }
    },
    close,
  }
}
