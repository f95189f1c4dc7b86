import { create } from 'axios'
import FormData from 'form-data'
import { z } from 'zod'

/** What became of a form that the server has answered. */
export type PostResult =
  | { readonly type: 'stored' }
  /** Too many: no other one before this time has passed. */
  | { readonly type: 'wait'; readonly waitMs: number }
  | { readonly type: 'refused'; readonly status: number; readonly detail: string }

/** Posts forms as one printer. */
export interface AgentHttp {
  /** Throws when the server cannot be reached, or takes too long. */
  post(path: string, form: FormData): Promise<PostResult>
}

const TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 256 * 1024
const DEFAULT_WAIT_MS = 30_000
const MAX_WAIT_MS = 10 * 60_000

export function openAgentHttp(serverUrl: string, authToken: string): AgentHttp {
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
    post: async (path, form) => {
      // The time limit of axios counts from the last byte that moved; a slow trickle must end too.
      const signal = AbortSignal.timeout(2 * TIMEOUT_MS)
      const response = await http.post<unknown>(path, form.getBuffer(), { headers: form.getHeaders(), signal })
      const { status, data, headers } = response
      if (status >= 200 && status < 300) return { type: 'stored' }
      if (status === 429) return { type: 'wait', waitMs: waitMs(String(headers['retry-after'] ?? '')) }
      return { type: 'refused', status, detail: detailOf(data) }
    },
  }
}

/** Whether the same form would be refused again, however often it is sent. What a server in trouble says is not about the form. */
export function isRefusedForGood(status: number): boolean {
  return status >= 400 && status < 500 && status !== 401 && status !== 408
}

function waitMs(retryAfter: string): number {
  const seconds = Number(retryAfter)
  return retryAfter !== '' && seconds >= 0 ? Math.min(seconds * 1000, MAX_WAIT_MS) : DEFAULT_WAIT_MS
}

function detailOf(data: unknown): string {
  return z.object({ detail: z.string() }).safeParse(data).data?.detail ?? ''
}
