import { Browser } from '../browser.js'
import type { Context } from '../context.js'
import { expectEqual, expectTrue, show } from '../expect.js'
import type { Answer } from '../http.js'
import { type App, authorizePath, decide, newState, ownersBrowser, returnOf } from '../oauth-client.js'
import type { Case } from '../run.js'

const FLOW = { group: 'contract', section: 'api.md §5' } as const
const ERRORS = { group: 'contract', section: 'api.md §7' } as const
const OURS = { group: 'decisions', section: 'decision 13' } as const

const PERMISSIONS = [/printer status/i, /g-?code/i, /printer page/i]

/** Redirect URIs that look like the registered one. */
const lookAlikes = (uri: string): string[] => [
  `${uri}/`,
  `${uri}?a=b`,
  `${uri}/../evil`,
  uri.replace('http://', 'http://user@'),
  uri.replace('127.0.0.1', '127.0.0.1.evil.example'),
  uri.toUpperCase(),
  'http://evil.example/callback',
]

/** The browser stays here: an address that was not proven must never be sent anything. */
function expectNoRedirect(answer: Answer): void {
  expectTrue(answer.status >= 400 && answer.status < 500, `it answered ${answer.status}`)
  expectEqual(answer.headers.get('location'), null, 'the redirect')
}

async function page(ctx: Context, app: App, more: Record<string, string | undefined>): Promise<Answer> {
  return (await ownersBrowser(ctx)).get(authorizePath(app, more))
}

export const oauthAuthorizeCases: readonly Case[] = [
  {
    ...FLOW,
    id: 'oauth-authorize/code-and-state',
    title: 'After consent the browser is sent to the redirect URI with a code and the state that was sent',
    async run(ctx) {
      for (const app of Object.values(ctx.target.clients)) {
        const state = `${newState()} &=é`
        const told = await decide(ctx, app, true, { state })
        expectTrue((told.get('code') ?? '') !== '', 'there is no code')
        expectEqual(told.get('state'), state, 'state')
      }
    },
  },
  {
    ...FLOW,
    id: 'oauth-authorize/without-state',
    title: 'Without a state none is told',
    async run(ctx) {
      const told = await decide(ctx, ctx.target.clients.confidential, true)
      expectEqual(told.get('state'), null, 'state')
    },
  },
  {
    ...FLOW,
    id: 'oauth-authorize/consent-page',
    title: 'The consent page names the permissions: query printer status, upload G-Code, access printer page',
    async run(ctx) {
      const answer = await page(ctx, ctx.target.clients.confidential, { scope: 'read write' })
      expectEqual(answer.status, 200, 'the status')
      for (const words of PERMISSIONS) expectTrue(words.test(answer.text), `the page does not say ${words}`)
    },
  },
  {
    ...ERRORS,
    id: 'oauth-authorize/denied',
    title: 'When the user denies, the app is told access_denied with its state, and no code',
    async run(ctx) {
      const state = newState()
      const told = await decide(ctx, ctx.target.clients.confidential, false, { state })
      expectEqual(
        [told.get('error'), told.get('state'), told.get('code')],
        ['access_denied', state, null],
        'what is told',
      )
    },
  },
  {
    ...ERRORS,
    id: 'oauth-authorize/unknown-client',
    title: 'An unknown client is told invalid_client on a page, and the browser is not sent anywhere',
    async run(ctx) {
      const answer = await page(ctx, { ...ctx.target.clients.confidential, client_id: 'no-such-client' }, {})
      expectNoRedirect(answer)
      expectTrue(answer.text.includes('invalid_client'), `the page does not say invalid_client: ${show(answer.text)}`)
    },
  },
  {
    ...ERRORS,
    id: 'oauth-authorize/unregistered-redirect',
    title:
      'A redirect URI that was not registered is told invalid_redirect_uri on a page, and the browser is not sent there',
    async run(ctx) {
      const app = ctx.target.clients.confidential
      const browser = await ownersBrowser(ctx)
      for (const redirect_uri of lookAlikes(app.redirect_uri)) {
        const answer = await browser.get(authorizePath({ ...app, redirect_uri }))
        expectNoRedirect(answer)
        expectTrue(answer.text.includes('invalid_redirect_uri'), `the page does not say why, for ${redirect_uri}`)
      }
    },
  },
  {
    ...FLOW,
    id: 'oauth-authorize/required',
    title: 'client_id and redirect_uri are required',
    async run(ctx) {
      const app = ctx.target.clients.confidential
      expectNoRedirect(await page(ctx, app, { client_id: undefined }))
      expectNoRedirect(await page(ctx, app, { redirect_uri: undefined }))
    },
  },
  {
    ...OURS,
    id: 'oauth-authorize/response-type',
    title: 'A response_type that is not code is told to the app, with its state',
    async run(ctx) {
      const app = ctx.target.clients.confidential
      const state = newState()
      for (const response_type of ['token', 'id_token', undefined]) {
        const told = returnOf(await page(ctx, app, { response_type, state }), app)
        expectTrue((told.get('error') ?? '') !== '', `there is no error for ${response_type}`)
        expectEqual(told.get('state'), state, 'state')
      }
    },
  },
  {
    ...OURS,
    id: 'oauth-authorize/unknown-scope',
    title: 'A scope that there is not is told to the app as invalid_scope, with its state',
    async run(ctx) {
      const app = ctx.target.clients.confidential
      const state = newState()
      const told = returnOf(await page(ctx, app, { scope: 'read everything', state }), app)
      expectEqual([told.get('error'), told.get('state')], ['invalid_scope', state], 'what is told')
    },
  },
  {
    id: 'oauth-authorize/sign-in-first',
    group: 'decisions',
    section: 'decision 27',
    title: 'Somebody who is not signed in is sent to the sign-in page, and back after it',
    async run(ctx) {
      const browser = new Browser(ctx.anonymous, ctx.target.base_url)
      const app = ctx.target.clients.confidential
      const first = await browser.get(authorizePath(app, { state: 'x' }))
      const login = new URL(first.headers.get('location') ?? '', ctx.target.base_url)
      expectEqual(login.pathname, '/login/', 'where the redirect leads')
      const form = await browser.get(login.pathname + login.search)
      const signed = await browser.submit(form, '/login/', { ...ctx.target.owner })
      const back = new URL(signed.headers.get('location') ?? '', ctx.target.base_url)
      expectEqual(back.pathname, '/o/authorize/', 'where signing in leads')
      expectEqual(back.searchParams.get('client_id'), app.client_id, 'client_id')
    },
  },
  {
    id: 'oauth-authorize/wrong-password',
    group: 'decisions',
    section: 'decision 27',
    title: 'A wrong password does not sign in',
    async run(ctx) {
      const browser = new Browser(ctx.anonymous, ctx.target.base_url)
      const form = await browser.get('/login/')
      const { email } = ctx.target.owner
      const answer = await browser.submit(form, '/login/', { email, password: `not ${ctx.target.owner.password}` })
      expectTrue(answer.status !== 303 && answer.status !== 302, `it answered ${answer.status}`)
    },
  },
  {
    id: 'oauth-authorize/forged-consent',
    group: 'decisions',
    section: 'decision 27',
    title: 'A consent that was not given on the page of this session is refused',
    async run(ctx) {
      const browser = await ownersBrowser(ctx)
      const consent = await browser.get(authorizePath(ctx.target.clients.confidential, { state: 'x' }))
      const forged = { ...consent, text: '' }
      const { client_id, redirect_uri } = ctx.target.clients.confidential
      const fields = { allow: 'true', client_id, redirect_uri, response_type: 'code', scope: 'read write', state: 'x' }
      const answer = await browser.submit(forged, '/o/authorize/', fields)
      const location = answer.headers.get('location') ?? ''
      expectTrue(!/[?&]code=/.test(location), 'a code was given')
    },
  },
  {
    id: 'oauth-authorize/issuer',
    group: 'decisions',
    section: 'decision 12',
    title: 'The redirect names the issuer (iss) as the metadata does',
    async run(ctx) {
      const { text } = await ctx.anonymous.get('/.well-known/oauth-authorization-server')
      const { issuer } = JSON.parse(text) as { issuer: string }
      const told = await decide(ctx, ctx.target.clients.confidential, true, { state: newState() })
      expectEqual(told.get('iss'), issuer, 'iss')
    },
  },
]
