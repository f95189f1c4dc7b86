import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { type OAuthTesting, oauthTesting, pkcePair, type TestApp, type TestBrowser } from './testing.js'

// What RFC 9700 warns of, tried.

let server: TestServer
let testing: OAuthTesting
let browser: TestBrowser
let app: TestApp
let open: TestApp

beforeAll(async () => {
  server = await startTestServer()
  testing = oauthTesting(server)
  browser = await testing.signedIn(server.owner)
  app = await testing.addApp()
  open = await testing.addApp('public')
})

afterAll(() => server.close())

const refused = { status: 400, json: { error: 'invalid_grant' } }
const s256 = (challenge: string) => ({ code_challenge: challenge, code_challenge_method: 'S256' })
const tokens = (json: Record<string, unknown>) => ({
  access: String(json['access_token']),
  refresh: String(json['refresh_token']),
})

test('a code that comes twice gives nothing, and what it gave ends', async () => {
  const code = await testing.getCode(browser, app)
  const { access, refresh } = tokens((await testing.exchange(app, code)).json)
  const other = tokens((await testing.exchange(app, await testing.getCode(browser, app))).json)
  expect(await testing.use(access)).toBe(200)
  expect(await testing.exchange(app, code)).toMatchObject(refused)
  expect(await testing.use(access)).toBe(401)
  expect(await testing.refresh(app, refresh)).toMatchObject(refused)
  expect(await testing.use(other.access)).toBe(200)
})

test('a code that comes twice ends also what its refresh token gave since', async () => {
  const code = await testing.getCode(browser, app)
  const first = tokens((await testing.exchange(app, code)).json)
  const second = tokens((await testing.refresh(app, first.refresh)).json)
  server.clock.advance(3_600_000)
  await testing.exchange(app, code)
  expect(await testing.use(second.access)).toBe(401)
  expect(await testing.refresh(app, second.refresh)).toMatchObject(refused)
})

test('of fifty who bring the same code at once exactly one gets tokens, and the replays end those', async () => {
  const code = await testing.getCode(browser, app)
  const answers = await Promise.all(Array.from({ length: 50 }, () => testing.exchange(app, code)))
  const winners = answers.filter(({ status }) => status === 200)
  expect(winners).toHaveLength(1)
  expect(answers.filter(({ json }) => json['error'] === 'invalid_grant')).toHaveLength(49)
  const access = tokens(winners[0]?.json ?? {}).access
  expect(await testing.use(access)).toBe(401)
  const issued = await server.database.db
    .selectFrom('oauth_tokens')
    .select('id')
    .where('token_hash', '=', server.secrets.hash(access))
    .execute()
  expect(issued).toHaveLength(1)
})

test('a code lives for sixty seconds', async () => {
  const inTime = await testing.getCode(browser, app)
  server.clock.advance(59_000)
  expect(await testing.exchange(app, inTime)).toMatchObject({ status: 200 })
  const late = await testing.getCode(browser, app)
  server.clock.advance(60_000)
  expect(await testing.exchange(app, late)).toMatchObject(refused)
})

test('a code is of no use to another client, which cannot spoil it either', async () => {
  const stranger = await testing.addApp()
  const code = await testing.getCode(browser, app)
  expect(await testing.exchange(stranger, code)).toMatchObject(refused)
  expect(await testing.exchange(open, code)).toMatchObject(refused)
  const mine = tokens((await testing.exchange(app, code)).json)
  await testing.exchange(stranger, code)
  expect(await testing.use(mine.access)).toBe(200)
})

test('another redirect URI at the exchange uses the code up', async () => {
  const { row, client_secret } = await testing.clients.register(
    {
      ...{ name: 'Two', type: 'confidential' },
      redirect_uris: ['https://two.example/a', 'https://two.example/b'],
    },
    null,
  )
  const two = { id: row.id, client_id: row.client_id, client_secret, redirect_uri: 'https://two.example/a' }
  const code = await testing.getCode(browser, two)
  expect(await testing.exchange(two, code, { redirect_uri: 'https://two.example/b' })).toMatchObject(refused)
  expect(await testing.exchange(two, code)).toMatchObject(refused)
})

test.each([
  { name: 'no verifier', sent: () => undefined },
  { name: 'another verifier', sent: () => pkcePair().verifier },
  { name: 'the challenge as verifier', sent: ({ challenge }: { challenge: string }) => challenge },
])('PKCE: a stolen code with $name is worth nothing, and used up', async ({ sent }) => {
  const pair = pkcePair()
  const code = await testing.getCode(browser, open, s256(pair.challenge))
  expect(await testing.exchange(open, code, { code_verifier: sent(pair) })).toMatchObject(refused)
  expect(await testing.exchange(open, code, { code_verifier: pair.verifier })).toMatchObject(refused)
})

test('PKCE: a challenge that was taken out on the way is noticed by the verifier', async () => {
  const code = await testing.getCode(browser, open)
  expect(await testing.exchange(open, code, { code_verifier: pkcePair().verifier })).toMatchObject(refused)
})

test('PKCE does not stand in for the secret of a confidential client', async () => {
  const pair = pkcePair()
  const code = await testing.getCode(browser, app, s256(pair.challenge))
  const answer = await testing.exchange(app, code, { code_verifier: pair.verifier, client_secret: undefined })
  expect(answer).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
  expect(await testing.exchange(app, code, { code_verifier: pair.verifier })).toMatchObject({ status: 200 })
})

test('a public client with a secret is not the one that was registered', async () => {
  const code = await testing.getCode(browser, open)
  const answer = await testing.exchange(open, code, { client_secret: 'made up' })
  expect(answer).toMatchObject({ status: 401, json: { error: 'invalid_client' } })
})

test('a refresh token that was replaced ends the family when it comes back', async () => {
  const first = await testing.connect(browser, app)
  const second = tokens((await testing.refresh(app, first.refresh_token)).json)
  server.clock.advance(30_001)
  expect(await testing.use(second.access)).toBe(200)
  expect(await testing.refresh(app, first.refresh_token)).toMatchObject(refused)
  expect(await testing.use(second.access)).toBe(401)
  expect(await testing.refresh(app, second.refresh)).toMatchObject(refused)
})

test('a lost answer can be asked for once more: the unused pair ends, a third time ends all', async () => {
  const first = await testing.connect(browser, app)
  const lost = tokens((await testing.refresh(app, first.refresh_token)).json)
  const again = tokens((await testing.refresh(app, first.refresh_token)).json)
  expect(again.refresh).not.toBe(lost.refresh)
  expect(await testing.use(lost.access)).toBe(401)
  expect(await testing.use(again.access)).toBe(200)
  expect(await testing.refresh(app, first.refresh_token)).toMatchObject(refused)
  expect(await testing.use(again.access)).toBe(401)
})

test('whoever brings the pair that was thought lost shows that two have the token', async () => {
  const first = await testing.connect(browser, app)
  const lost = tokens((await testing.refresh(app, first.refresh_token)).json)
  const again = tokens((await testing.refresh(app, first.refresh_token)).json)
  expect(await testing.refresh(app, lost.refresh)).toMatchObject(refused)
  expect(await testing.use(again.access)).toBe(401)
})

test('once the new refresh token was used, the old one has no grace', async () => {
  const first = await testing.connect(browser, app)
  const second = tokens((await testing.refresh(app, first.refresh_token)).json)
  const third = tokens((await testing.refresh(app, second.refresh)).json)
  expect(await testing.refresh(app, first.refresh_token)).toMatchObject(refused)
  expect(await testing.use(third.access)).toBe(401)
})

test('of twenty who refresh at once nobody keeps a token: that is two thieves too many', async () => {
  const { refresh_token } = await testing.connect(browser, app)
  const answers = await Promise.all(Array.from({ length: 20 }, () => testing.refresh(app, refresh_token)))
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(2)
  for (const { json } of answers) {
    if (json['access_token'] !== undefined) expect(await testing.use(tokens(json).access)).toBe(401)
  }
})

test('the old access token works through the grace and then no more', async () => {
  const first = await testing.connect(browser, app)
  await testing.refresh(app, first.refresh_token)
  server.clock.advance(29_000)
  expect(await testing.use(first.access_token)).toBe(200)
  server.clock.advance(11_000)
  expect(await testing.use(first.access_token)).toBe(401)
})

test("another client's refresh token gives nothing and harms nothing", async () => {
  const { access_token, refresh_token } = await testing.connect(browser, app)
  expect(await testing.refresh(await testing.addApp(), refresh_token)).toMatchObject(refused)
  expect(await testing.use(access_token)).toBe(200)
})

test('refreshing gives no more than was allowed; less for one token is fine', async () => {
  const { refresh_token } = await testing.connect(browser, app, { scope: 'read' })
  const wider = await testing.refresh(app, refresh_token, { scope: 'read write' })
  expect(wider).toMatchObject({ status: 400, json: { error: 'invalid_scope' } })
  expect(await testing.refresh(app, refresh_token)).toMatchObject({ status: 200, json: { scope: 'read' } })

  const both = await testing.connect(browser, app)
  const less = await testing.refresh(app, both.refresh_token, { scope: 'read' })
  expect(less.json['scope']).toBe('read')
  const more = await testing.refresh(app, tokens(less.json).refresh)
  expect(more.json['scope']).toBe('read write')
})

test('scopes hold: what may only read writes nothing, and what may only write reads nothing', async () => {
  const read = await testing.connect(browser, app, { scope: 'read' })
  const write = await testing.connect(browser, app, { scope: 'write' })
  const patch = (token: string) => server.call('PATCH', '/api/v1/users/me/', { token, body: {} })
  expect(await testing.use(read.access_token)).toBe(200)
  expect(await patch(read.access_token)).toMatchObject({ status: 403, json: { code: 'insufficient_scope' } })
  expect(await testing.use(write.access_token)).toBe(403)
  expect(await patch(write.access_token)).toMatchObject({ status: 200 })
})

test('a disabled user has no use for codes, refresh tokens or access tokens, until let in again', async () => {
  const user = await server.addUser('disabled-later')
  const theirs = await testing.signedIn(user)
  const { access_token, refresh_token } = await testing.connect(theirs, app)
  const code = await testing.getCode(theirs, app)
  await server.users.changeAccount(user.id, { disabled: true })
  expect(await testing.use(access_token)).toBe(401)
  expect(await testing.exchange(app, code)).toMatchObject(refused)
  expect(await testing.refresh(app, refresh_token)).toMatchObject(refused)
  expect((await theirs.get(testing.authorizePath(app))).headers.get('location')).toMatch(/^\/login\//)
  await server.users.changeAccount(user.id, { disabled: false })
  expect(await testing.refresh(app, refresh_token)).toMatchObject({ status: 200 })
})

test('mix-up: the answer names who gives it, also when the user says no or the request is wrong', async () => {
  const { db } = server.database
  expect(await db.selectFrom('server_settings').selectAll().execute()).toEqual([])
  const allowed = await testing.answer(browser, testing.authorizePath(app))
  const wrong = await browser.get(testing.authorizePath(app, { scope: 'all' }))
  for (const location of [allowed, new URL(wrong.headers.get('location') ?? '')]) {
    expect(location.searchParams.get('iss')).toBe(server.url)
  }
})

test('a code is no access token, a refresh token neither, and an access token refreshes nothing', async () => {
  const code = await testing.getCode(browser, app)
  expect(await testing.use(code)).toBe(401)
  const { access_token, refresh_token } = await testing.connect(browser, app)
  expect(await testing.use(refresh_token)).toBe(401)
  expect(await testing.refresh(app, access_token)).toMatchObject(refused)
})
