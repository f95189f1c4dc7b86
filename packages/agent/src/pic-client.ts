import { create } from 'axios'
import FormData from 'form-data'
import { z } from 'zod'

/** One picture on its way to the server. */
export interface PicUpload {
  readonly bytes: Uint8Array
  readonly label: string
  readonly primary: boolean
  readonly nozzle: boolean
  /** Taken because somebody looks on, beside the interval: shown, not analysed. */
  readonly boost: boolean
  readonly ageMs: number
}

/** What became of an upload that the server has answered. */
export type PicResult =
  | { readonly type: 'stored' }
  /** Too many: no other picture before this time has passed. */
  | { readonly type: 'wait'; readonly waitMs: number }
  | { readonly type: 'refused'; readonly status: number; readonly detail: string }

/** Uploads pictures of one printer. */
export interface PicClient {
  /** Throws when the server cannot be reached. */
  upload(pic: PicUpload): Promise<PicResult>
}

const PATH = '/api/v1/agent/pic/'
const TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 256 * 1024
const DEFAULT_WAIT_MS = 30_000
const MAX_WAIT_MS = 10 * 60_000

export function openPicClient(serverUrl: string, authToken: string): PicClient {
  const http = create({
    baseURL: serverUrl,
    headers: { authorization: `Bearer ${authToken}` },
    timeout: TIMEOUT_MS,
    maxContentLength: MAX_ANSWER_BYTES,
    maxBodyLength: Number.POSITIVE_INFINITY,
    // A redirected upload would be repeated without its body; the person shall correct the address.
    maxRedirects: 0,
    proxy: false,
    validateStatus: () => true,
  })

  return {
    upload: async ({ bytes, label, primary, nozzle, boost, ageMs }) => {
      const form = new FormData()
      form.append('is_primary_camera', String(primary))
      form.append('is_nozzle_camera', String(nozzle))
      form.append('camera_name', label)
      if (boost) form.append('viewing_boost', 'true')
      form.append('age_ms', String(Math.round(ageMs)))
      form.append('pic', Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), {
        filename: 'pic.jpg',
        contentType: 'image/jpeg',
      })
      const body = form.getBuffer()
      // The time limit of axios counts from the last byte that moved; a slow trickle must end too.
      const signal = AbortSignal.timeout(2 * TIMEOUT_MS)
      const response = await http.post<unknown>(PATH, body, { headers: form.getHeaders(), signal })
      const { status, data, headers } = response
      if (status >= 200 && status < 300) return { type: 'stored' }
      if (status === 429) return { type: 'wait', waitMs: waitMs(String(headers['retry-after'] ?? '')) }
      return { type: 'refused', status, detail: detailOf(data) }
    },
  }
}

function waitMs(retryAfter: string): number {
  const seconds = Number(retryAfter)
  return retryAfter !== '' && seconds >= 0 ? Math.min(seconds * 1000, MAX_WAIT_MS) : DEFAULT_WAIT_MS
}

function detailOf(data: unknown): string {
  return z.object({ detail: z.string() }).safeParse(data).data?.detail ?? ''
}
