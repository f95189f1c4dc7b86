import { createHash, randomBytes } from 'node:crypto'
import type { ClientType } from '@printwarden/protocol'
import type { TestServer, TestUser } from '../testing.js'
import { testBrowser } from '../users/testing.js'
import { clientFlow } from './client-flow.js'

export type TestBrowser = ReturnType<typeof testBrowser>

/** An app as tests use it. */
export interface TestApp {
  readonly id: number
  readonly client_id: string
  readonly client_secret: string | null
  readonly redirect_uri: string
}

/** What the token endpoint answered. */
export interface TokenReply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Record<string, unknown>
}

/** Users' browsers and apps against a server that listens. */
export function oauthTesting(server: TestServer) {
  const clients = clientFlow(server)

  async function addApp(
    type: ClientType = 'confidential',
    redirect_uri = 'https://app.example/callback',
    ownerId: number | null = null,
  ): Promise<TestApp> {
    const app = { name: 'Test app', description: 'Made for a test.', type, redirect_uris: [redirect_uri] }
    const { row, client_secret } = await clients.register(app, ownerId)
    return { id: row.id, client_id: row.client_id, client_secret, redirect_uri }
  }

  async function signedIn({ email, password }: Pick<TestUser, 'email' | 'password'>): Promise<TestBrowser> {
    const browser = testBrowser(server.url)
    const { hidden } = await browser.get('/login/')
    const page = await browser.post('/login/', { ...hidden, email, password })
    if (page.status !== 303) throw new Error(`signing in answered ${page.status}`)
    return browser
  }

  const authorizePath = (app: TestApp, more: Readonly<Record<string, string | undefined>> = {}): string =>
    `/o/authorize/?${query({ client_id: app.client_id, response_type: 'code', redirect_uri: app.redirect_uri, ...more })}`

  /** Asks and answers as a user does; where the browser is sent. */
  async function answer(browser: TestBrowser, path: string, allow = true): Promise<URL> {
    const asked = await browser.get(path)
    const location = asked.headers.get('location')
    if (location !== null) return new URL(location, server.url)
    const answered = await browser.post('/o/authorize/', { ...asked.hidden, allow: String(allow) })
    return new URL(answered.headers.get('location') ?? `${server.url}/no-redirect-${answered.status}`, server.url)
  }

  async function post(
    path: string,
    fields: Readonly<Record<string, string | undefined>> | string,
    headers: Record<string, string> = {},
  ): Promise<TokenReply> {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: typeof fields === 'string' ? fields : query(fields),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: text === '' ? {} : JSON.parse(text) }
  }

  const credentials = (app: TestApp) => ({ client_id: app.client_id, client_secret: app.client_secret ?? undefined })

  async function getCode(
    browser: TestBrowser,
    app: TestApp,
    more: Readonly<Record<string, string | undefined>> = {},
  ): Promise<string> {
    const location = await answer(browser, authorizePath(app, more))
    const code = location.searchParams.get('code')
    if (code === null) throw new Error(`no code in ${location.href}`)
    return code
  }

  const exchange = (app: TestApp, code: string, more: Readonly<Record<string, string | undefined>> = {}) =>
    post('/o/token/', {
      ...{ grant_type: 'authorization_code', code, redirect_uri: app.redirect_uri },
      ...credentials(app),
      ...more,
    })

  /** Everything from the question to the tokens. */
  async function connect(browser: TestBrowser, app: TestApp, more: Readonly<Record<string, string | undefined>> = {}) {
    const { status, json } = await exchange(app, await getCode(browser, app, more))
    if (status !== 200) throw new Error(`the exchange answered ${status} ${JSON.stringify(json)}`)
    return { access_token: String(json['access_token']), refresh_token: String(json['refresh_token']) }
  }

  const refresh = (app: TestApp, refresh_token: string, more: Readonly<Record<string, string | undefined>> = {}) =>
    post('/o/token/', { grant_type: 'refresh_token', refresh_token, ...credentials(app), ...more })

  /** The status of a plain read with this token. */
  const use = async (token: string): Promise<number> =>
    (await server.call('GET', '/api/v1/users/me/', { token })).status

  return {
    clients,
    addApp,
    signedIn,
    authorizePath,
    answer,
    post,
    credentials,
    getCode,
    exchange,
    connect,
    refresh,
    use,
  }
}

export type OAuthTesting = ReturnType<typeof oauthTesting>

/** A PKCE pair. */
export function pkcePair(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

function query(fields: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return new URLSearchParams(given).toString()
}
