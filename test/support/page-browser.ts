/** A page, and the hidden fields of its form. */
export interface Page {
  readonly status: number
  readonly location: string | null
  readonly hidden: Readonly<Record<string, string>>
}

/** A browser without script: keeps cookies, follows no redirect. */
export function pageBrowser(url: string) {
  const jar = new Map<string, string>()

  async function request(path: string, init: RequestInit = {}): Promise<Page> {
    const headers = new Headers(init.headers)
    headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(new URL(path, url), { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    const fields = [...(await response.text()).matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
    const hidden = fields.map(([, name = '', value = '']) => [name, decoded(value)] as const)
    return { status: response.status, location: response.headers.get('location'), hidden: Object.fromEntries(hidden) }
  }

  const get = (path: string): Promise<Page> => request(path)
  const post = (path: string, fields: Record<string, string>): Promise<Page> =>
    request(path, { method: 'POST', body: new URLSearchParams(fields), headers: { origin: url } })

  return {
    get,
    post,
    async signIn(email: string, password: string): Promise<void> {
      const { hidden } = await get('/login/')
      const { status } = await post('/login/', { ...hidden, email, password })
      if (status !== 303) throw new Error(`signing in was answered ${status}`)
    },
    /** Answers an app's question, and says where the browser is sent. */
    async answer(authorizeUrl: URL, allow: boolean): Promise<string> {
      const asked = await get(authorizeUrl.pathname + authorizeUrl.search)
      const answered =
        asked.location === null ? await post('/o/authorize/', { ...asked.hidden, allow: String(allow) }) : asked
      if (answered.location === null) throw new Error(`the question was answered ${answered.status}`)
      return answered.location
    },
    /** Lets a device in. */
    async enterCode(userCode: string): Promise<void> {
      const { hidden } = await get('/device/')
      const asked = await post('/device/', { ...hidden, user_code: userCode })
      const { status } = await post('/device/', { ...asked.hidden, allow: 'true' })
      if (status !== 200) throw new Error(`the code was answered ${status}`)
    },
  }
}

const decoded = (value: string): string =>
  value.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
