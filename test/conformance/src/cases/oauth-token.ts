import { z } from 'zod'
import type { Context } from '../context.js'
import { expectBody, expectEqual, expectHeader, expectStatus, expectTrue } from '../expect.js'
import {
  type App,
  exchange,
  expectOAuthError,
  newCode,
  newPkce,
  newTokens,
  OAuthProblem,
  postForm,
  Tokens,
} from '../oauth-client.js'
import type { Case } from '../run.js'

const FLOW = { group: 'contract', section: 'api.md §5' } as const
const ERRORS = { group: 'contract', section: 'api.md §7' } as const
const TOKEN_ERRORS = { group: 'decisions', section: 'decision 13' } as const
const OURS = { group: 'decisions', section: 'decision 12' } as const

const ME = '/api/v1/users/me/'
const REVOKE = '/o/revoke_token/'
const HUNDRED_YEARS_SECONDS = 3_153_600_000

const confidentialOf = ({ target }: Context) => target.clients.confidential
const scopesOf = ({ scope }: Tokens): string[] => scope.split(' ').sort()

/** The status that the API gives to an access token. */
async function statusOf({ anonymous }: Context, token: string): Promise<number> {
  return (await anonymous.as(token).get(ME)).status
}

/** Asks for new tokens with a refresh token. */
function refresh(ctx: Context, refresh_token: string, more: Record<string, string> = {}) {
  const { client_id, client_secret } = confidentialOf(ctx)
  return postForm(ctx, '/o/token/', { grant_type: 'refresh_token', refresh_token, client_id, client_secret, ...more })
}

export const oauthTokenCases: readonly Case[] = [
  {
    ...FLOW,
    id: 'oauth-token/exchange',
    title: 'A code is exchanged for a Bearer token that opens the API as the user who consented',
    async run(ctx) {
      const tokens = await newTokens(ctx, confidentialOf(ctx))
      const me = expectBody(await ctx.anonymous.as(tokens.access_token).get(ME), z.looseObject({ email: z.string() }))
      expectEqual(me.email, ctx.target.owner.email, 'the e-mail address')
    },
  },
  {
    ...FLOW,
    id: 'oauth-token/api-key',
    title: 'The access token is accepted in X-API-KEY too',
    async run(ctx) {
      const { access_token } = await newTokens(ctx, confidentialOf(ctx))
      expectStatus(await ctx.anonymous.with({ 'x-api-key': access_token }).get(ME), 200)
    },
  },
  {
    ...FLOW,
    id: 'oauth-token/public-client',
    title: 'A public client needs no secret',
    async run(ctx) {
      await newTokens(ctx, ctx.target.clients.public)
    },
  },
  {
    group: 'contract',
    section: 'api.md §8',
    id: 'oauth-token/lifetime',
    title: 'An access token lives 100 years: expires_in is 3153600000',
    async run(ctx) {
      expectEqual((await newTokens(ctx, confidentialOf(ctx))).expires_in, HUNDRED_YEARS_SECONDS, 'expires_in')
    },
  },
  {
    ...FLOW,
    id: 'oauth-token/default-scope',
    title: 'Without scope the token has read and write',
    async run(ctx) {
      expectEqual(scopesOf(await newTokens(ctx, confidentialOf(ctx))), ['read', 'write'], 'the scopes')
    },
  },
  {
    ...FLOW,
    id: 'oauth-token/scope',
    title: 'A token with the scope read may read and nothing else',
    async run(ctx) {
      const tokens = await newTokens(ctx, confidentialOf(ctx), { scope: 'read' })
      expectEqual(tokens.scope, 'read', 'scope')
      const app = ctx.anonymous.as(tokens.access_token)
      expectStatus(await app.get(ME), 200)
      expectStatus(await app.patch(ME, {}), 403)
    },
  },
  {
    ...ERRORS,
    id: 'oauth-token/wrong-client',
    title: 'A wrong client_id or client_secret, and a confidential client without one, is invalid_client',
    async run(ctx) {
      const app = confidentialOf(ctx)
      const code = await newCode(ctx, app)
      for (const more of [{ client_secret: 'wrong' }, { client_secret: undefined }, { client_id: 'no-such-client' }]) {
        const answer = await exchange(ctx, app, code, more)
        expectTrue(answer.status === 400 || answer.status === 401, `it answered ${answer.status}`)
        expectEqual(OAuthProblem.parse(JSON.parse(answer.text)).error, 'invalid_client', 'error')
      }
    },
  },
  {
    ...ERRORS,
    id: 'oauth-token/used-code',
    title: 'A code that was used is invalid_grant',
    async run(ctx) {
      const app = confidentialOf(ctx)
      const code = await newCode(ctx, app)
      expectBody(await exchange(ctx, app, code), Tokens)
      expectOAuthError(await exchange(ctx, app, code), 400, 'invalid_grant')
    },
  },
  {
    ...ERRORS,
    id: 'oauth-token/unknown-code',
    title: 'A code that was never given is invalid_grant',
    async run(ctx) {
      expectOAuthError(await exchange(ctx, confidentialOf(ctx), 'no-such-code'), 400, 'invalid_grant')
    },
  },
  {
    ...ERRORS,
    id: 'oauth-token/code-of-another',
    title: 'A code that was given to another client is invalid_grant',
    async run(ctx) {
      const code = await newCode(ctx, ctx.target.clients.public)
      expectOAuthError(await exchange(ctx, confidentialOf(ctx), code), 400, 'invalid_grant')
    },
  },
  {
    ...ERRORS,
    id: 'oauth-token/redirect-uri',
    title: 'A redirect URI that was not registered is invalid_redirect_uri',
    async run(ctx) {
      const app = confidentialOf(ctx)
      const answer = await exchange(ctx, app, await newCode(ctx, app), { redirect_uri: 'http://evil.example/' })
      expectOAuthError(answer, 400, 'invalid_redirect_uri')
    },
  },
  {
    ...FLOW,
    id: 'oauth-token/form',
    title: 'The token endpoint reads forms, not JSON',
    async run(ctx) {
      const { client_id, client_secret, redirect_uri } = confidentialOf(ctx)
      const code = await newCode(ctx, confidentialOf(ctx))
      const body = { grant_type: 'authorization_code', code, redirect_uri, client_id, client_secret }
      const { status } = await ctx.anonymous.post('/o/token/', body)
      expectTrue(status >= 400 && status < 500, `it answered ${status}`)
    },
  },
  {
    ...TOKEN_ERRORS,
    id: 'oauth-token/wrong-secret-status',
    title: 'invalid_client is 401',
    async run(ctx) {
      const answer = await exchange(ctx, confidentialOf(ctx), 'any', { client_secret: 'wrong' })
      expectOAuthError(answer, 401, 'invalid_client')
    },
  },
  {
    ...TOKEN_ERRORS,
    id: 'oauth-token/missing-field',
    title: 'A missing field is invalid_request, another grant unsupported_grant_type',
    async run(ctx) {
      const app = confidentialOf(ctx)
      for (const name of ['code', 'grant_type', 'redirect_uri']) {
        const answer = await exchange(ctx, app, 'any', { [name]: undefined })
        expectOAuthError(answer, 400, 'invalid_request')
      }
      expectOAuthError(await exchange(ctx, app, 'any', { grant_type: 'password' }), 400, 'unsupported_grant_type')
    },
  },
  {
    ...OURS,
    id: 'oauth-token/replay-revokes',
    title: 'A code that is used again revokes what it gave',
    async run(ctx) {
      const app = confidentialOf(ctx)
      const code = await newCode(ctx, app)
      const { access_token } = expectBody(await exchange(ctx, app, code), Tokens)
      expectEqual(await statusOf(ctx, access_token), 200, 'the status before')
      await exchange(ctx, app, code)
      await ctx.until(
        'the token is 401',
        (status) => status === 401,
        () => statusOf(ctx, access_token),
      )
    },
  },
  {
    ...OURS,
    id: 'oauth-token/basic',
    title: 'A client may show its secret in HTTP Basic',
    async run(ctx) {
      const app = confidentialOf(ctx)
      const { client_id, client_secret, redirect_uri } = app
      const code = await newCode(ctx, app)
      const authorization = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
      const fields = { grant_type: 'authorization_code', code, redirect_uri }
      expectBody(await postForm(ctx, '/o/token/', fields, { authorization }), Tokens)
    },
  },
  {
    ...OURS,
    id: 'oauth-token/pkce',
    title: 'With a PKCE challenge the code needs its verifier; a verifier without a challenge is refused',
    async run(ctx) {
      const app = ctx.target.clients.public
      const { verifier, challenge } = newPkce()
      const asked = { code_challenge: challenge, code_challenge_method: 'S256' }
      expectBody(await exchange(ctx, app, await newCode(ctx, app, asked), { code_verifier: verifier }), Tokens)
      for (const code_verifier of [newPkce().verifier, undefined]) {
        const answer = await exchange(ctx, app, await newCode(ctx, app, asked), { code_verifier })
        expectTrue(answer.status === 400, `it answered ${answer.status} to the verifier ${code_verifier}`)
      }
      const answer = await exchange(ctx, app, await newCode(ctx, app), { code_verifier: verifier })
      expectEqual(answer.status, 400, 'the status with a verifier that nobody asked for')
    },
  },
  {
    ...OURS,
    id: 'oauth-token/refresh',
    title: 'A refresh token gives a new pair, which works, and its scope cannot grow',
    async run(ctx) {
      const first = await newTokens(ctx, confidentialOf(ctx), { scope: 'read' })
      expectOAuthError(await refresh(ctx, first.refresh_token, { scope: 'read write' }), 400, 'invalid_scope')
      const second = expectBody(await refresh(ctx, first.refresh_token), Tokens)
      expectTrue(second.access_token !== first.access_token, 'the access token is the old one')
      expectTrue(second.refresh_token !== first.refresh_token, 'the refresh token is the old one')
      expectEqual(await statusOf(ctx, second.access_token), 200, 'the status of the new token')
      expectOAuthError(await refresh(ctx, 'no-such-token'), 400, 'invalid_grant')
    },
  },
  {
    ...OURS,
    id: 'oauth-token/not-cached',
    title: 'Tokens must not be kept by caches: Cache-Control no-store',
    async run(ctx) {
      const app = confidentialOf(ctx)
      const answer = await exchange(ctx, app, await newCode(ctx, app))
      expectTrue(expectHeader(answer, 'cache-control').includes('no-store'), 'Cache-Control lacks no-store')
    },
  },
  {
    ...OURS,
    id: 'oauth-token/metadata',
    title: 'The metadata names the endpoints and S256',
    async run({ anonymous }) {
      const answer = await anonymous.get('/.well-known/oauth-authorization-server')
      const metadata = expectBody(
        answer,
        z.looseObject({
          issuer: z.url(),
          authorization_endpoint: z.url(),
          token_endpoint: z.url(),
          revocation_endpoint: z.url(),
          code_challenge_methods_supported: z.array(z.string()),
          grant_types_supported: z.array(z.string()),
        }),
      )
      expectEqual(new URL(metadata.token_endpoint).pathname, '/o/token/', 'the token endpoint')
      expectEqual(metadata.code_challenge_methods_supported, ['S256'], 'the challenge methods')
      expectTrue(metadata.grant_types_supported.includes('authorization_code'), 'authorization_code is missing')
    },
  },
  {
    ...FLOW,
    id: 'oauth-token/revoke',
    title: 'A revoked access token is 401 from then on',
    async run(ctx) {
      const clients: readonly App[] = [confidentialOf(ctx), ctx.target.clients.public]
      for (const app of clients) {
        const { access_token } = await newTokens(ctx, app)
        expectEqual(await statusOf(ctx, access_token), 200, 'the status before')
        const { client_id, client_secret } = app
        expectStatus(await postForm(ctx, REVOKE, { token: access_token, client_id, client_secret }), 200)
        await ctx.until(
          'the token is 401',
          (status) => status === 401,
          () => statusOf(ctx, access_token),
        )
      }
    },
  },
  {
    ...FLOW,
    id: 'oauth-token/revoke-client',
    title: 'Revoking needs the client: a wrong secret revokes nothing, nor does another client',
    async run(ctx) {
      const { confidential, public: other } = ctx.target.clients
      const { access_token: token } = await newTokens(ctx, confidential)
      const { client_id } = confidential
      const wrong = await postForm(ctx, REVOKE, { token, client_id, client_secret: 'wrong' })
      expectTrue(wrong.status === 400 || wrong.status === 401, `a wrong secret was answered with ${wrong.status}`)
      await postForm(ctx, REVOKE, { token, client_id: other.client_id })
      expectEqual(await statusOf(ctx, token), 200, 'the status of the token')
    },
  },
  {
    ...OURS,
    id: 'oauth-token/revoke-unknown',
    title: 'Revoking an unknown token is 200, none at all invalid_request',
    async run(ctx) {
      const { client_id, client_secret } = confidentialOf(ctx)
      expectStatus(await postForm(ctx, REVOKE, { token: 'no-such-token', client_id, client_secret }), 200)
      expectOAuthError(await postForm(ctx, REVOKE, { client_id, client_secret }), 400, 'invalid_request')
    },
  },
  {
    ...OURS,
    id: 'oauth-token/revoke-family',
    title: 'Revoking the refresh token ends the access token too',
    async run(ctx) {
      const { client_id, client_secret } = confidentialOf(ctx)
      const { access_token, refresh_token } = await newTokens(ctx, confidentialOf(ctx))
      expectStatus(await postForm(ctx, REVOKE, { token: refresh_token, client_id, client_secret }), 200)
      await ctx.until(
        'the token is 401',
        (status) => status === 401,
        () => statusOf(ctx, access_token),
      )
      expectOAuthError(await refresh(ctx, refresh_token), 400, 'invalid_grant')
    },
  },
  {
    id: 'oauth-token/revoke-closes-live',
    group: 'decisions',
    section: 'decision 26',
    title: 'Revoking a token closes its live sockets with 4401',
    async run(ctx) {
      const { client_id, client_secret } = confidentialOf(ctx)
      const { access_token } = await newTokens(ctx, confidentialOf(ctx))
      const live = await ctx.openLive({ token: access_token })
      live.send({ subscribe: { printers: 'all' } })
      await live.take('state')
      await postForm(ctx, REVOKE, { token: access_token, client_id, client_secret })
      expectEqual(await live.takeClose(), 4401, 'the close code')
    },
  },
]
