import { afterEach, beforeEach, expect, test } from 'vitest'
import { createClient } from './client.js'
import { NetworkError } from './errors.js'
import { createOAuth, type OAuth } from './oauth-client.js'
import { memoryStorage, type TokenStorage } from './oauth-storage.js'
import { type ScriptedServer, startScriptedServer } from './scripted-server.js'

let server: ScriptedServer
let storage: TokenStorage
let oauth: OAuth

const open = (): OAuth =>
  createOAuth({ baseUrl: `${server.url}/`, clientId: 'app', redirectUri: 'http://app.test/', storage, timeoutMs: 2000 })

beforeEach(async () => {
  server = await startScriptedServer()
  storage = memoryStorage()
  oauth = open()
})
afterEach(() => server.close())

const answerOf = (name: string, expires_in = 3600) => ({
  ...{ access_token: name, refresh_token: `refresh ${name}`, token_type: 'Bearer', scope: 'read', expires_in },
})

const callbackOf = (url: URL, more: Record<string, string>): string =>
  `http://app.test/?${new URLSearchParams({ state: url.searchParams.get('state') ?? '', iss: server.url, ...more }).toString()}`

const formOf = (index: number) => Object.fromEntries(new URLSearchParams(server.requests[index]?.body))

/** Signs in, with tokens that last so long. */
async function signIn(name: string, expires_in?: number): Promise<void> {
  server.answerJson(answerOf(name, expires_in))
  await oauth.handleCallback(callbackOf(await oauth.authorizeUrl(), { code: 'c' }))
  server.requests.length = 0
}

test('the address asks for a code with state and a challenge, and each time with others', async () => {
  const [one, two] = [await oauth.authorizeUrl(), await oauth.authorizeUrl({ scope: 'read', prompt: 'consent' })]
  expect(`${one.origin}${one.pathname}`).toBe(`${server.url}/o/authorize/`)
  expect(Object.fromEntries(one.searchParams)).toEqual({
    response_type: 'code',
    client_id: 'app',
    redirect_uri: 'http://app.test/',
    scope: 'read write',
    state: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  })
  expect(Object.fromEntries(two.searchParams)).toMatchObject({ scope: 'read', prompt: 'consent' })
  for (const name of ['state', 'code_challenge']) {
    expect(one.searchParams.get(name)).not.toBe(two.searchParams.get(name))
  }
})

test('the callback is exchanged with the verifier of its own sign-in, once', async () => {
  const [one, two] = [await oauth.authorizeUrl(), await oauth.authorizeUrl()]
  server.answerJson(answerOf('one'))
  // In a page that was loaded anew.
  oauth = open()
  expect(await oauth.handleCallback(callbackOf(one, { code: 'c1' }))).toMatchObject({
    access_token: 'one',
    scope: 'read',
  })
  await oauth.handleCallback(callbackOf(two, { code: 'c2' }))
  expect(formOf(0)).toEqual({
    client_id: 'app',
    grant_type: 'authorization_code',
    code: 'c1',
    redirect_uri: 'http://app.test/',
    code_verifier: expect.stringMatching(/^[\w-]{43}$/),
  })
  for (const [url, index] of [
    [one, 0],
    [two, 1],
  ] as const) {
    const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(formOf(index)['code_verifier']))
    expect(Buffer.from(bytes).toString('base64url')).toBe(url.searchParams.get('code_challenge'))
  }
  await expect(oauth.handleCallback(callbackOf(one, { code: 'c1' }))).rejects.toMatchObject({ code: 'state_mismatch' })
  expect(server.requests).toHaveLength(2)
})

test.each([
  { name: 'a foreign state', more: { code: 'c', state: 'x' }, code: 'state_mismatch' },
  { name: 'a foreign issuer', more: { code: 'c', iss: 'http://evil.test' }, code: 'issuer_mismatch' },
  { name: 'an error', more: { error: 'access_denied', error_description: 'The user said no.' }, code: 'access_denied' },
])('$name is told without any request', async ({ more, code }) => {
  const url = await oauth.authorizeUrl()
  await expect(oauth.handleCallback(callbackOf(url, more))).rejects.toMatchObject({ name: 'OAuthError', code })
  expect(server.requests).toEqual([])
  expect(await oauth.tokens()).toBeUndefined()
})

test.each([
  {
    name: 'the server says no',
    status: 400,
    body: { error: 'invalid_grant', error_description: 'Too old.' },
    code: 'invalid_grant',
  },
  { name: 'another program answers', status: 200, body: 'hello', code: 'unexpected_answer' },
  { name: 'a proxy answers', status: 502, body: { message: 'bad gateway' }, code: 'unexpected_answer' },
  { name: 'the answer has no token', status: 200, body: { expires_in: 5 }, code: 'unexpected_answer' },
])('an exchange fails when $name', async ({ status, body, code }) => {
  const url = await oauth.authorizeUrl()
  server.answerJson(body, status)
  await expect(oauth.handleCallback(callbackOf(url, { code: 'c' }))).rejects.toMatchObject({ code })
  expect(await oauth.tokens()).toBeUndefined()
})

test('a token that ends is renewed once for all calls that need one', async () => {
  await signIn('old', 5)
  server.answerJson(answerOf('new'))
  expect(await Promise.all(Array.from({ length: 20 }, () => oauth.token()))).toEqual(Array(20).fill('new'))
  expect(server.requests).toHaveLength(1)
  expect(formOf(0)).toEqual({ client_id: 'app', grant_type: 'refresh_token', refresh_token: 'refresh old' })
})

test('what somebody else has renewed meanwhile is taken as it is', async () => {
  await signIn('old')
  const other = open()
  server.answerJson(answerOf('new'))
  await other.renew('old')
  await oauth.renew('old')
  expect(await oauth.token()).toBe('new')
  expect(server.requests).toHaveLength(1)
})

test('an answer that is lost is asked for once more', async () => {
  await signIn('old', 5)
  server.answer((_request, response) => {
    if (server.requests.length === 1) response.destroy()
    else response.end(JSON.stringify(answerOf('new')))
  })
  expect(await oauth.token()).toBe('new')
  expect([formOf(0), formOf(1)]).toEqual([formOf(0), formOf(0)])
})

test('without a network the tokens stay', async () => {
  await signIn('old', 5)
  server.answer((_request, response) => response.destroy())
  await expect(oauth.token()).rejects.toThrow(NetworkError)
  expect(await oauth.tokens()).toMatchObject({ refresh_token: 'refresh old' })
})

test.each([
  {
    name: 'refused',
    status: 400,
    error: 'invalid_grant',
    to: { status: 401, code: 'sign_in_required' },
    isKept: false,
  },
  {
    name: 'of an app that is gone',
    status: 401,
    error: 'invalid_client',
    to: { status: 401, code: 'sign_in_required' },
    isKept: true,
  },
  {
    name: 'not possible just now',
    status: 503,
    error: 'temporarily_unavailable',
    to: { status: 503, code: 'unavailable' },
    isKept: true,
  },
])('a renewal that is $name', async ({ status, error, to, isKept }) => {
  await signIn('old', 5)
  server.answerJson({ error }, status)
  await expect(oauth.token()).rejects.toMatchObject({ name: 'ApiError', ...to, cause: { code: error } })
  expect((await oauth.tokens()) !== undefined).toBe(isKept)
})

test('a client renews when the server says that the token has expired, and calls once more', async () => {
  await signIn('old')
  server.answer((request, response) => {
    if (request.url === '/o/token/') return response.end(JSON.stringify(answerOf('new')))
    const isNew = request.headers.authorization === 'Bearer new'
    response.writeHead(isNew ? 200 : 401).end(JSON.stringify(isNew ? { succeeded: true } : { code: 'token_expired' }))
  })
  const client = createClient({ baseUrl: server.url, token: oauth })
  const calls = Array.from({ length: 5 }, () => client.pausePrint({ id: 1 }))
  expect(await Promise.all(calls)).toEqual(calls.map(() => ({ succeeded: true })))
  expect(server.requests.filter(({ url }) => url === '/o/token/')).toHaveLength(1)
})

test.each(['token_expired', 'token_revoked', 'unauthorized', 'insufficient_scope'])(
  'a second refusal with %s is final',
  async (code) => {
    await signIn('old')
    server.answer((request, response) => {
      if (request.url === '/o/token/') response.end(JSON.stringify(answerOf('new')))
      else response.writeHead(401).end(JSON.stringify({ code }))
    })
    const client = createClient({ baseUrl: server.url, token: oauth })
    await expect(client.getMe()).rejects.toMatchObject({ code })
    expect(server.requests.map(({ url }) => url)).toHaveLength(code === 'insufficient_scope' ? 1 : 3)
  },
)

test('without a user calls say so, and nothing is sent', async () => {
  const client = createClient({ baseUrl: server.url, token: oauth })
  await expect(client.getMe()).rejects.toMatchObject({ status: 401, code: 'sign_in_required' })
  expect(server.requests).toEqual([])
})

test('signing out forgets first, and revokes what renews', async () => {
  await signIn('old')
  server.answer((_request, response) => response.destroy())
  await expect(oauth.signOut()).rejects.toThrow(NetworkError)
  expect(await oauth.tokens()).toBeUndefined()
  expect(formOf(0)).toEqual({ client_id: 'app', token: 'refresh old' })
  await oauth.signOut()
  expect(server.requests).toHaveLength(1)
})

test('signing out while a token is renewed leaves nobody signed in', async () => {
  await signIn('old', 5)
  let signingOut: Promise<void> | undefined
  server.answer((_request, response) => {
    signingOut ??= oauth.signOut()
    response.end(JSON.stringify(answerOf('new')))
  })
  expect(await oauth.token()).toBe('new')
  await signingOut
  expect(await oauth.tokens()).toBeUndefined()
  expect(formOf(1)).toEqual({ client_id: 'app', token: 'refresh new' })
})

test('a device gives up when it is told to', async () => {
  const body = { device_code: 'd', user_code: 'ABCD-EFGH', verification_uri: 'http://x/', expires_in: 900, interval: 5 }
  server.answerJson(body)
  const controller = new AbortController()
  const reason = new Error('enough')
  const signedIn = oauth.deviceSignIn({ signal: controller.signal, onCode: () => controller.abort(reason) })
  await expect(signedIn).rejects.toBe(reason)
})

test('what is stored but is no token counts for nothing', async () => {
  await signIn('old')
  for (const text of ['', '{', '[]', '{"access_token":5}', '{"access_token":"x"}']) {
    await storage.set(`printwarden ${server.url} app tokens`, text)
    expect(await oauth.tokens()).toBeUndefined()
  }
})
