import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { type OAuthTesting, oauthTesting, type TestApp, type TestBrowser } from './testing.js'

// The judges: what a developer would use, against a server that listens.

let server: TestServer
let testing: OAuthTesting
let browser: TestBrowser

beforeAll(async () => {
  server = await startTestServer()
  testing = oauthTesting(server)
  browser = await testing.signedIn(server.owner)
})

afterAll(() => server.close())

const insecure = { [oauth.allowInsecureRequests]: true } as const

async function discover(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(server.url)
  const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  return oauth.processDiscoveryResponse(issuer, response)
}

/** The whole code flow with PKCE, as oauth4webapi does it. */
async function codeFlow(app: TestApp, authentication: oauth.ClientAuth) {
  const as = await discover()
  const client: oauth.Client = { client_id: app.client_id }
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const url = new URL(as.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    ...{ client_id: app.client_id, response_type: 'code', redirect_uri: app.redirect_uri, scope: 'read write', state },
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  const back = await testing.answer(browser, url.pathname + url.search)
  expect(back.origin + back.pathname).toBe(app.redirect_uri)
  const parameters = oauth.validateAuthResponse(as, client, back, state)
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    authentication,
    parameters,
    app.redirect_uri,
    verifier,
    insecure,
  )
  return { as, client, tokens: await oauth.processAuthorizationCodeResponse(as, client, response) }
}

test.each([
  { name: 'confidential, Basic', type: 'confidential', authentication: oauth.ClientSecretBasic },
  { name: 'confidential, form fields', type: 'confidential', authentication: oauth.ClientSecretPost },
  { name: 'public', type: 'public', authentication: () => oauth.None() },
] as const)('oauth4webapi: code, refresh, revoke ($name)', async ({ type, authentication }) => {
  const app = await testing.addApp(type)
  const auth = authentication(app.client_secret ?? '')
  const { as, client, tokens } = await codeFlow(app, auth)
  expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'read write' })

  const me = await oauth.protectedResourceRequest(
    tokens.access_token,
    'GET',
    new URL('/api/v1/users/me/', server.url),
    undefined,
    null,
    insecure,
  )
  expect(await me.json()).toMatchObject({ email: server.owner.email })

  const refreshed = await oauth.processRefreshTokenResponse(
    as,
    client,
    await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token ?? '', insecure),
  )
  expect(refreshed.refresh_token).not.toBe(tokens.refresh_token)
  expect(await testing.use(refreshed.access_token)).toBe(200)

  const revocation = await oauth.revocationRequest(as, client, auth, refreshed.access_token, insecure)
  await oauth.processRevocationResponse(revocation)
  expect(await testing.use(refreshed.access_token)).toBe(401)
})

test('oauth4webapi: a wrong secret, a wrong verifier and a used code come out as its typed errors', async () => {
  const app = await testing.addApp()
  const as = await discover()
  const client: oauth.Client = { client_id: app.client_id }
  const state = oauth.generateRandomState()
  const back = await testing.answer(browser, testing.authorizePath(app, { state }))
  const parameters = oauth.validateAuthResponse(as, client, back, state)
  const ask = async (secret: string) =>
    oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(
        as,
        client,
        oauth.ClientSecretPost(secret),
        parameters,
        app.redirect_uri,
        oauth.nopkce,
        insecure,
      ),
    )
  await expect(ask('wrong')).rejects.toMatchObject({ error: 'invalid_client', status: 401 })
  await expect(ask(app.client_secret ?? '')).resolves.toHaveProperty('access_token')
  await expect(ask(app.client_secret ?? '')).rejects.toMatchObject({ error: 'invalid_grant', status: 400 })
})

test('oauth4webapi: introspection by a confidential client', async () => {
  const app = await testing.addApp()
  const auth = oauth.ClientSecretBasic(app.client_secret ?? '')
  const { as, client, tokens } = await codeFlow(app, auth)
  const ask = async () =>
    oauth.processIntrospectionResponse(
      as,
      client,
      await oauth.introspectionRequest(as, client, auth, tokens.access_token, insecure),
    )
  expect(await ask()).toMatchObject({ active: true, scope: 'read write', client_id: app.client_id })
  await oauth.revocationRequest(as, client, auth, tokens.access_token, insecure)
  expect(await ask()).toEqual({ active: false })
})

test('oauth4webapi: an answer of another server, or to another state, is noticed', async () => {
  const app = await testing.addApp()
  const as = await discover()
  const client: oauth.Client = { client_id: app.client_id }
  const back = await testing.answer(browser, testing.authorizePath(app, { state: 'mine' }))
  expect(() => oauth.validateAuthResponse({ ...as, issuer: 'https://other.example' }, client, back, 'mine')).toThrow(
    /iss/,
  )
  expect(() => oauth.validateAuthResponse(as, client, back, 'of another')).toThrow(/state/)
})

async function configuration(app: TestApp): Promise<openid.Configuration> {
  const auth = app.client_secret === null ? openid.None() : openid.ClientSecretPost(app.client_secret)
  return openid.discovery(new URL(server.url), app.client_id, undefined, auth, {
    algorithm: 'oauth2',
    execute: [openid.allowInsecureRequests],
  })
}

test.each(['confidential', 'public'] as const)('openid-client: code, refresh, revoke (%s)', async (type) => {
  const app = await testing.addApp(type)
  const config = await configuration(app)
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const expectedState = openid.randomState()
  const url = openid.buildAuthorizationUrl(config, {
    ...{ redirect_uri: app.redirect_uri, scope: 'read', state: expectedState, code_challenge_method: 'S256' },
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
  })
  const back = await testing.answer(browser, url.pathname + url.search)
  const tokens = await openid.authorizationCodeGrant(config, back, { pkceCodeVerifier, expectedState })
  expect(tokens.scope).toBe('read')
  expect(await testing.use(tokens.access_token)).toBe(200)
  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
  await openid.tokenRevocation(config, refreshed.refresh_token ?? '')
  expect(await testing.use(refreshed.access_token)).toBe(401)
  await expect(openid.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
    error: 'invalid_grant',
  })
})

test('openid-client: a device', async () => {
  const app = await testing.addApp('public')
  const config = await configuration(app)
  const begun = await openid.initiateDeviceAuthorization(config, { scope: 'read' })
  expect(begun).toMatchObject({ expires_in: 900, interval: 5, verification_uri: `${server.url}/device/` })

  const typed = await browser.get(
    new URL(begun.verification_uri_complete ?? '').pathname + `?user_code=${begun.user_code}`,
  )
  const asked = await browser.post('/device/', { ...typed.hidden, user_code: begun.user_code.toLowerCase() })
  expect(asked.html).toContain(begun.user_code)
  expect(await browser.post('/device/', { ...asked.hidden, allow: 'true' })).toMatchObject({ status: 200 })
  const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...begun, interval: 0.05 })
  expect(tokens.scope).toBe('read')
  expect(await testing.use(tokens.access_token)).toBe(200)
})

test('openid-client: a user who says no', async () => {
  const app = await testing.addApp('public')
  const config = await configuration(app)
  const back = await testing.answer(browser, testing.authorizePath(app, { state: 's' }), false)
  await expect(openid.authorizationCodeGrant(config, back, { expectedState: 's' })).rejects.toMatchObject({
    error: 'access_denied',
  })
})
