import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { TestUser } from '../testing.js'

/** A letter as a mail server took it. */
export interface ReceivedMail {
  readonly from: string
  readonly to: readonly string[]
  /** The whole letter, with soft line breaks and escapes undone. */
  readonly text: string
  /** The links in it. */
  readonly links: readonly string[]
}

/** A real mail server on this machine. `next` waits for the next letter. */
export async function startTestMailServer(options: SMTPServerOptions = {}) {
  const letters: ReceivedMail[] = []
  const waiting: ((letter: ReceivedMail) => void)[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const text = decodedMail(Buffer.concat(chunks).toString('latin1'))
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        const links = [...new Set(text.match(/https?:\/\/[^\s"<&]+/g) ?? [])]
        const letter = { from, to: rcptTo.map(({ address }) => address), text, links }
        done()
        const taker = waiting.shift()
        if (taker === undefined) letters.push(letter)
        else taker(letter)
      })
    },
    ...options,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    /** Letters that nobody asked for yet. */
    letters,
    next(): Promise<ReceivedMail> {
      const letter = letters.shift()
      return letter === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(letter)
    },
    close: (): Promise<void> => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** Quoted-printable, undone (RFC 2045, section 6.7). */
function decodedMail(raw: string): string {
  const bytes = raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

/** What a page that was asked for or sent looks like to a browser. */
export interface Page {
  readonly status: number
  readonly headers: Response['headers']
  readonly html: string
  /** Values of the form's hidden fields. */
  readonly hidden: Readonly<Record<string, string>>
  /** The `Set-Cookie` lines. */
  readonly cookies: readonly string[]
}

/** A browser without script: keeps cookies, follows no redirect. */
export function testBrowser(url: string) {
  const jar = new Map<string, string>()

  async function request(path: string, init: RequestInit = {}): Promise<Page> {
    const headers = new Headers(init.headers)
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(`${url}${path}`, { ...init, headers, redirect: 'manual' })
    const cookies = response.headers.getSetCookie()
    for (const line of cookies) keep(line)
    const html = await response.text()
    return { status: response.status, headers: response.headers, html, hidden: hiddenFields(html), cookies }
  }

  function keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name)
    else jar.set(name, value)
  }

  return {
    jar,
    get: (path: string): Promise<Page> => request(path),
    /** Sends a form as a page of the server itself does. */
    post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Page> {
      return request(path, { method: 'POST', body: new URLSearchParams(fields), headers: { origin: url, ...headers } })
    },
  }
}

function hiddenFields(html: string): Record<string, string> {
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return Object.fromEntries(fields.map(([, name = '', value = '']) => [name, decoded(value)]))
}

const decoded = (value: string): string =>
  value.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

export type TestBrowser = ReturnType<typeof testBrowser>

/** A browser in which a user is signed in. */
export async function signedInBrowser(
  url: string,
  { email, password }: Pick<TestUser, 'email' | 'password'>,
): Promise<TestBrowser> {
  const browser = testBrowser(url)
  const { hidden } = await browser.get('/login/')
  const page = await browser.post('/login/', { ...hidden, email, password })
  if (page.status !== 303) throw new Error(`signing in answered ${page.status}`)
  return browser
}

/** Opens a page and sends a form of it: to `path` itself unless `action` names another address. */
export async function sendForm(
  browser: TestBrowser,
  path: string,
  fields: Record<string, string>,
  action = path,
): Promise<Page> {
  const { hidden } = await browser.get(path)
  return browser.post(action, { ...hidden, ...fields })
}
