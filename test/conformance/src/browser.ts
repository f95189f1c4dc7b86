import { expectTrue, show } from './expect.js'
import type { Answer, HttpClient } from './http.js'

/** A person's browser, without script: it keeps cookies, and fills in forms. */
export class Browser {
  readonly #http: HttpClient
  readonly #origin: string
  readonly #cookies = new Map<string, string>()

  constructor(http: HttpClient, baseUrl: string) {
    this.#http = http
    this.#origin = new URL(baseUrl).origin
  }

  /** Opens a page; redirects are answers. */
  get(path: string): Promise<Answer> {
    return this.#send('GET', path)
  }

  /** Sends the first form of a page to where it says, with these fields changed. */
  submit(page: Answer, path: string, fields: Readonly<Record<string, string>>): Promise<Answer> {
    const body = new URLSearchParams({ ...hiddenFields(page.text), ...fields })
    return this.#send('POST', path, body)
  }

  /** Signs in on the page of decision 27. */
  async signIn({ email, password }: { email: string; password: string }): Promise<void> {
    const answer = await this.submit(await this.get('/login/'), '/login/', { email, password })
    expectTrue(
      answer.status === 303 || answer.status === 302,
      `signing in answered ${answer.status}: ${show(answer.text)}`,
    )
  }

  async #send(method: string, path: string, form?: URLSearchParams): Promise<Answer> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await this.#http.send(method, path, {
      headers: {
        ...(cookie !== '' && { cookie }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded', origin: this.#origin }),
      },
      ...(form && { body: form.toString() }),
    })
    for (const text of answer.headers.getSetCookie()) this.#keep(text)
    return answer
  }

  #keep(text: string): void {
    const [pair = '', ...attributes] = text.split(';')
    const name = pair.slice(0, pair.indexOf('=')).trim()
    const isOver = attributes.some((attribute) => /^\s*max-age=0\s*$/i.test(attribute))
    if (isOver) this.#cookies.delete(name)
    else this.#cookies.set(name, pair.slice(pair.indexOf('=') + 1))
  }
}

/** What the forms of a page send without being shown. */
function hiddenFields(html: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [input] of html.matchAll(/<input\b[^>]*>/g)) {
    if (!/\btype="hidden"/.test(input)) continue
    const name = /\bname="([^"]*)"/.exec(input)?.[1]
    if (name !== undefined) fields[name] = unescapeHtml(/\bvalue="([^"]*)"/.exec(input)?.[1] ?? '')
  }
  return fields
}

/** Text as it stands in HTML, as it is meant. */
export function unescapeHtml(text: string): string {
  const names: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' }
  return text.replaceAll(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (all, decimal?: string, hex?: string, name?: string) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    return names[(name ?? '').toLowerCase()] ?? all
  })
}
