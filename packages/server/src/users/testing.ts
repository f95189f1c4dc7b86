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
