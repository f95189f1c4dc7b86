import { NO_PRINT } from '@printwarden/protocol'
import { create } from 'axios'
import { openMoonrakerWebcam } from '../cameras/moonraker-webcam.js'
import { readPicture } from '../cameras/picture.js'
import { FIRST_WEBCAM } from '../hosts/moonraker/webcams.js'
import { octoPrintCamera, usualCameras, type CameraKeys } from './camera-answer.js'

const TIMEOUT_MS = 4000
const WEBCAM_TIMEOUT_MS = 8000
const MAX_BYTES = 16 * 1024 * 1024
const MAX_ANSWER_BYTES = 1024 * 1024

interface Asked {
  readonly host: string
  readonly url: string
  readonly apiKey: string | undefined
}

/** A camera that the host names, or one at its usual place, that gives a picture right now. Never fails. */
export async function findCamera(asked: Asked, signal: AbortSignal): Promise<CameraKeys | undefined> {
  // By its name, not by its address: what is changed in Moonraker later counts here too.
  if (asked.host === 'moonraker' && (await hasWebcam(asked, signal))) return { webcam: FIRST_WEBCAM }
  const named = asked.host === 'octoprint' ? await octoPrintWebcam(asked, signal) : undefined
  const tries = [named, ...usualCameras(asked.url).map((url): CameraKeys => ({ snapshot_url: url }))]
  for (const keys of tries) {
    if (keys?.['snapshot_url'] !== undefined && (await givesPicture(keys['snapshot_url'], signal))) return keys
  }
  return undefined
}

/** Takes a picture as the agent will. */
async function hasWebcam({ url, apiKey }: Asked, signal: AbortSignal): Promise<boolean> {
  const scene = { printing: false, progress: 0, failure: 0 }
  const webcam = openMoonrakerWebcam({ url, apiKey }, FIRST_WEBCAM, { printTs: () => NO_PRINT, scene: () => scene })
  try {
    const picture = await webcam.capture(AbortSignal.any([signal, AbortSignal.timeout(WEBCAM_TIMEOUT_MS)]))
    readPicture(picture)
    return true
  } catch {
    return false
  } finally {
    webcam.close?.()
  }
}

async function octoPrintWebcam({ url, apiKey }: Asked, signal: AbortSignal): Promise<CameraKeys | undefined> {
  const headers = apiKey === undefined ? {} : { 'X-Api-Key': apiKey }
  const limits = {
    timeout: TIMEOUT_MS,
    signal,
    proxy: false as const,
    maxRedirects: 0,
    maxContentLength: MAX_ANSWER_BYTES,
  }
  try {
    const http = create({ ...limits, headers, validateStatus: () => true })
    const { status, data } = await http.get<unknown>(`${url}/api/settings`)
    return octoPrintCamera(url, { status, data })
  } catch {
    return undefined
  }
}

async function givesPicture(url: string, signal: AbortSignal): Promise<boolean> {
  const options = { timeout: TIMEOUT_MS, signal, proxy: false as const, maxContentLength: MAX_BYTES, maxRedirects: 3 }
  try {
    const { data } = await create(options).get<ArrayBuffer>(url, { responseType: 'arraybuffer' })
    const [first, second] = new Uint8Array(data)
    return first === 0xff && second === 0xd8
  } catch {
    return false
  }
}
