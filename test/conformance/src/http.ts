/** What the server answered, with nothing interpreted. */
export interface Answer {
  /** The request, for messages: `GET /api/v1/printers/`. */
  readonly request: string
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
  readonly text: string
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | FormData | Uint8Array<ArrayBuffer>
}

/** Asks one server, with the same headers each time. Redirects are answers, not followed: the protocol has none here. */
export class HttpClient {
  readonly #baseUrl: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #signal: AbortSignal

  constructor(baseUrl: string, signal: AbortSignal, headers: Readonly<Record<string, string>> = {}) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '')
    this.#signal = signal
    this.#headers = headers
  }

  /** The same client with more headers. */
  with(headers: Readonly<Record<string, string>>): HttpClient {
    return new HttpClient(this.#baseUrl, this.#signal, { ...this.#headers, ...headers })
  }

  /** The same client, with a token in `Authorization`. */
  as(token: string): HttpClient {
    return this.with({ authorization: `Bearer ${token}` })
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path)
  }

  delete(path: string): Promise<Answer> {
    return this.send('DELETE', path)
  }

  post(path: string, json?: unknown): Promise<Answer> {
    return this.send('POST', path, jsonBody(json))
  }

  patch(path: string, json: unknown): Promise<Answer> {
    return this.send('PATCH', path, jsonBody(json))
  }

  async send(method: string, path: string, { headers, body }: SendOptions = {}): Promise<Answer> {
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: { ...this.#headers, ...headers },
      redirect: 'manual',
      signal: this.#signal,
      ...(body === undefined ? {} : { body }),
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    return { request: `${method} ${path}`, status: response.status, headers: response.headers, bytes, text }
  }
}

function jsonBody(json: unknown): SendOptions {
  if (json === undefined) return {}
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(json) }
}
