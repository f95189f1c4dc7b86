import { create } from 'axios'
import { moonrakerCamera, octoPrintCamera, usualCameras, type CameraKeys } from './camera-answer.js'
import type { WebAnswer } from './host-answer.js'

const TIMEOUT_MS = 4000
const MAX_BYTES = 16 * 1024 * 1024

/** A camera that the host names, or one at its usual place, that gives a JPEG right now. Never fails. */
export async function findCamera(
  host: { host: string; url: string; apiKey: string | undefined },
  signal: AbortSignal,
): Promise<CameraKeys | undefined> {
  const named = await namedCamera(host, signal)
  const tries = [named, ...usualCameras(host.url).map((url): CameraKeys => ({ snapshot_url: url }))]
  for (const keys of tries) {
    if (keys?.['snapshot_url'] !== undefined && (await givesPicture(keys['snapshot_url'], signal))) return keys
  }
  return undefined
}

async function namedCamera(
  { host, url, apiKey }: { host: string; url: string; apiKey: string | undefined },
  signal: AbortSignal,
): Promise<CameraKeys | undefined> {
  const headers = apiKey === undefined ? {} : { 'X-Api-Key': apiKey }
  const get = async (path: string): Promise<WebAnswer> => {
    const options = { headers, timeout: TIMEOUT_MS, signal, proxy: false as const, maxRedirects: 0 }
    const { status, data } = await create({ ...options, validateStatus: () => true }).get<unknown>(`${url}${path}`)
    return { status, data }
  }
  try {
    if (host === 'moonraker') return moonrakerCamera(url, await get('/server/webcams/list'))
    return octoPrintCamera(url, await get('/api/settings'))
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
