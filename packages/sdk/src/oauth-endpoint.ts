import { deadlineOf } from './deadline.js'
import { isRecord, NetworkError, parseJson } from './errors.js'
import { OAuthError } from './oauth-error.js'

/** The authorization server, and who asks it. */
export interface OAuthServer {
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string | undefined
  /** The caller's own; undefined for the platform's. */
  readonly fetch: ((request: Request) => Promise<Response>) | undefined
  readonly timeoutMs: number
}

/**
 * Posts a form as the client and resolves to the answer's JSON; undefined for an empty answer.
 *
 * @throws {OAuthError} when the server said no; {@link NetworkError} when no answer came; the signal's reason
 */
export async function postForm(
  server: OAuthServer,
  path: string,
  fields: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal,
): Promise<unknown> {
  const { baseUrl, clientId, clientSecret, timeoutMs } = server
  const form = new URLSearchParams({ client_id: clientId })
  if (clientSecret !== undefined) form.set('client_secret', clientSecret)
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value)
  const deadline = deadlineOf(signal, timeoutMs, `no answer within ${timeoutMs} ms`)
  try {
    const init = { method: 'POST', body: form, headers: { accept: 'application/json' }, signal: deadline.signal }
    const request = new Request(`${baseUrl}${path}`, { ...init, credentials: 'omit', redirect: 'error' })
    const send = server.fetch ?? ((one: Request) => globalThis.fetch(one))
    const response = await deadline.race(send(request))
    return readAnswer(response.status, await deadline.race(response.text()))
  } catch (error) {
    if (error instanceof OAuthError) throw error
    if (deadline.signal.aborted) throw deadline.signal.reason
    throw new NetworkError('the server could not be reached', { cause: error })
  } finally {
    deadline.end()
  }
}

function readAnswer(status: number, text: string): unknown {
  const isOk = status >= 200 && status < 300
  if (isOk && text === '') return undefined
  const body = parseJson(text)
  if (isOk && isRecord(body)) return body
  if (isRecord(body) && typeof body.error === 'string') {
    const { error, error_description: description } = body
    throw new OAuthError(error, typeof description === 'string' ? description : error, { status })
  }
  throw unexpectedAnswer(status)
}

/** Something else answers at this address. */
export const unexpectedAnswer = (status?: number): OAuthError =>
  new OAuthError(
    'unexpected_answer',
    'The answer is not in the form that an authorization server gives.',
    status === undefined ? {} : { status },
  )
