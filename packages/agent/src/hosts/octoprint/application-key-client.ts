import { create } from 'axios'
import { z } from 'zod'
import type { Clock } from '../../time/clock.js'
import { reasonOf } from '../../uplink/connection-reason.js'
import { HostError } from '../../host.js'

export interface KeyRequest {
  /** The name under which the person sees the request, and later the key. */
  readonly app: string
  /** Whose key it shall be; without it whoever is signed in decides. */
  readonly user?: string
  readonly clock: Clock
  /** Ends the wait. */
  readonly signal: AbortSignal
  /** Called once the request stands: this page asks for consent, as every open page of OctoPrint does. */
  readonly onAsked?: (dialogUrl: string) => void
}

const TIMEOUT_MS = 10_000
/** OctoPrint forgets a request that nobody asks about for five seconds. */
const POLL_MS = 1_000
const MAX_ANSWER_BYTES = 64 * 1024

const Asked = z.object({
  app_token: z.string().min(1),
  auth_dialog: z
    .url({ protocol: /^https?$/, normalize: true })
    .optional()
    .catch(undefined),
})
/** It is written into the configuration, where a line end would begin another setting. */
const Granted = z.object({ api_key: z.string().regex(/^[\x21-\x7e]{1,200}$/) })

/**
 * Asks OctoPrint for an application key, and waits until the person has consented in the browser.
 *
 * @param url of OctoPrint, without a slash at its end
 * @throws {HostError} `unreachable` when nobody answers; `rejected` when this OctoPrint has no application keys, when the person has
 *   refused, when nobody decided in time, and when `signal` ends the wait
 */
export async function requestApplicationKey(url: string, request: KeyRequest): Promise<string> {
  const { app, user, clock, signal, onAsked } = request
  const http = create({
    baseURL: `${url}/plugin/appkeys`,
    timeout: TIMEOUT_MS,
    maxContentLength: MAX_ANSWER_BYTES,
    maxRedirects: 0,
    proxy: false,
    validateStatus: () => true,
    signal,
  })
  async function ask(method: 'GET' | 'POST', path: string, data?: object): Promise<{ status: number; data: unknown }> {
    try {
      return await http.request<unknown>({ method, url: path, data })
    } catch (error) {
      if (signal.aborted) throw new HostError('rejected', 'nobody has allowed the request yet')
      throw new HostError('unreachable', `OctoPrint at ${url} (${reasonOf(error)})`, { cause: error })
    }
  }

  const probe = await ask('GET', '/probe')
  if (probe.status !== 204) {
    throw new HostError('rejected', `OctoPrint at ${url} gives no application keys: it answers ${probe.status}`)
  }
  const asked = await ask('POST', '/request', { app, ...(user === undefined ? {} : { user }) })
  const token = asked.status === 201 ? Asked.safeParse(asked.data).data : undefined
  if (!token) throw new HostError('rejected', `OctoPrint at ${url} takes no request: it answers ${asked.status}`)
  onAsked?.(token.auth_dialog ?? url)
  for (;;) {
    const { status, data } = await ask('GET', `/request/${encodeURIComponent(token.app_token)}`)
    const key = status === 200 ? Granted.safeParse(data).data?.api_key : undefined
    if (key !== undefined) return key
    if (status === 404) throw new HostError('rejected', 'the request was refused, or nobody allowed it in time')
    if (status !== 202) throw new HostError('rejected', `OctoPrint at ${url} answers ${status} instead of a key`)
    await pause(clock, signal)
  }
}

function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(POLL_MS, done)
    signal.addEventListener('abort', done)
  })
}
