import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { Browser } from './browser.js'
import type { Context } from './context.js'
import { expectBody, expectEqual, expectTrue, show } from './expect.js'
import type { Answer } from './http.js'

// A third-party app of the target, and its user.

/** The client, as the target has it; a public one has no secret. */
export interface App {
  readonly client_id: string
  readonly client_secret?: string
  readonly redirect_uri: string
}

export const Tokens = z.looseObject({
  access_token: z.string().min(1),
  token_type: z.literal('Bearer'),
  expires_in: z.int().positive(),
  scope: z.string(),
  refresh_token: z.string().min(1),
})
export type Tokens = z.infer<typeof Tokens>

/** The error of an OAuth endpoint. */
export const OAuthProblem = z.looseObject({ error: z.string() })

/** A text that cannot be guessed, for `state`. */
export const newState = (): string => randomBytes(16).toString('base64url')

/** A proof key (RFC 7636), with its challenge. */
export function newPkce(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** The address to which the app sends the browser. A parameter that is undefined is left out. */
export function authorizePath(app: App, more: Readonly<Record<string, string | undefined>> = {}): string {
  const { client_id, redirect_uri } = app
  const all = { client_id, redirect_uri, response_type: 'code', prompt: 'consent', ...more }
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `/o/authorize/?${new URLSearchParams(given).toString()}`
}

/** The owner's browser, signed in. */
export async function ownersBrowser(ctx: Context): Promise<Browser> {
  const browser = new Browser(ctx.anonymous, ctx.target.base_url)
  await browser.signIn(ctx.target.owner)
  return browser
}

/** Where a redirect leads, which must be the app's own address. */
export function returnOf(answer: Answer, { redirect_uri }: App): URLSearchParams {
  expectTrue(
    answer.status === 302 || answer.status === 303,
    `${answer.status} instead of a redirect: ${show(answer.text)}`,
  )
  const to = new URL(answer.headers.get('location') ?? '', 'http://nowhere.invalid')
  expectEqual(to.origin + to.pathname, redirect_uri, 'where the redirect leads')
  return to.searchParams
}

/** The user decides on the consent page; gives what the app is told. */
export async function decide(
  ctx: Context,
  app: App,
  allow: boolean,
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<URLSearchParams> {
  const browser = await ownersBrowser(ctx)
  const page = await browser.get(authorizePath(app, more))
  expectEqual(page.status, 200, 'the status of the consent page')
  return returnOf(await browser.submit(page, '/o/authorize/', { allow: String(allow) }), app)
}

/** A fresh authorization code. */
export async function newCode(ctx: Context, app: App, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const code = (await decide(ctx, app, true, more)).get('code')
  expectTrue(code !== null && code !== '', 'there is no code')
  return code
}

/** Sends a form to an OAuth endpoint. Fields that are undefined are left out. */
export function postForm(
  { anonymous }: Context,
  path: string,
  fields: Readonly<Record<string, string | undefined>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return anonymous.send('POST', path, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(given).toString(),
  })
}

/** Asks for tokens in exchange for a code. */
export function exchange(
  ctx: Context,
  app: App,
  code: string,
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<Answer> {
  const { client_id, client_secret, redirect_uri } = app
  const grant_type = 'authorization_code'
  return postForm(ctx, '/o/token/', { grant_type, code, redirect_uri, client_id, client_secret, ...more })
}

/** Tokens of the owner for the app. */
export async function newTokens(ctx: Context, app: App, more: Readonly<Record<string, string>> = {}): Promise<Tokens> {
  return expectBody(await exchange(ctx, app, await newCode(ctx, app, more)), Tokens)
}

/** An OAuth error with this status. */
export function expectOAuthError(answer: Answer, status: number, error: string): void {
  expectEqual(expectBody(answer, OAuthProblem, status).error, error, `${answer.request}: "error"`)
}
