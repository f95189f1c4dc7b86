import { pause } from './deadline.js'
import { ApiError, NetworkError } from './errors.js'
import { isCallback, parsePending, readCallback, withPending } from './oauth-callback.js'
import { type DeviceOptions, pollForTokens, readDeviceSignIn } from './oauth-device.js'
import { type OAuthServer, postForm, unexpectedAnswer } from './oauth-endpoint.js'
import { OAuthError } from './oauth-error.js'
import { exclusiveOf } from './oauth-exclusive.js'
import { challengeOf, randomText } from './oauth-pkce.js'
import { memoryStorage, type TokenStorage, webStorage } from './oauth-storage.js'
import { parseTokens, readTokens, type Tokens } from './oauth-tokens.js'
import type { TokenSource } from './token-source.js'

const TIMEOUT_MS = 10_000

/** A token that ends so soon is replaced before it is used. */
const EARLY_MS = 10_000

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** The app, and where its users' accounts are. */
export interface OAuthOptions {
  /** The server's address, as for `createClient`. */
  baseUrl: string
  /** What the server's developer page shows for the app. */
  clientId: string
  /** For an app of type confidential, which runs on a server of yours. Never in a page or in what users install. */
  clientSecret?: string
  /** Where the browser is sent back to, exactly as it was registered. Not needed on devices. */
  redirectUri?: string
  /** Where tokens are kept. Default: `sessionStorage` in a browser, else memory. */
  storage?: TokenStorage
  /** Who the server says it is, when that is another address than `baseUrl`, such as its public one. Default: the origin of `baseUrl`. */
  issuer?: string
  /** Used instead of the platform's `fetch`. */
  fetch?: (request: Request) => Promise<Response>
  /** Longest wait for an answer of the authorization server, in milliseconds. Default 10 000. */
  timeoutMs?: number
}

/** What an app asks the user for. */
export interface AuthorizeOptions {
  /** Space-separated; default `read write`. */
  scope?: string
  /** `consent` asks the user even if they have allowed the same before. */
  prompt?: 'consent'
}

/** Signs users in, and is the `token` of a client: `createClient({ baseUrl, token: oauth })`. */
export interface OAuth extends TokenSource {
  /**
   * Begins a sign-in: where to send the browser. What the callback must match is put into the storage first.
   *
   * @example
   * location.assign(await oauth.authorizeUrl({ scope: 'read' }))
   */
  authorizeUrl(options?: AuthorizeOptions): Promise<URL>
  /** Whether the browser was sent back with an answer: then call {@link OAuth.handleCallback}, once. */
  isCallback(url: string | URL): boolean
  /**
   * Ends a sign-in. `state` and `iss` are checked before anything is sent; take the answer out of the page's address afterwards.
   *
   * @throws {OAuthError} access_denied when the user said no; state_mismatch; issuer_mismatch; invalid_grant when the code was too old
   * @throws {NetworkError} when no answer came: sign in again
   */
  handleCallback(url: string | URL): Promise<Tokens>
  /**
   * Signs in on a device without a browser: the user enters a code elsewhere.
   *
   * @throws {OAuthError} access_denied when the user said no; expired_token when they did not answer
   */
  deviceSignIn(options: DeviceOptions): Promise<Tokens>
  /** The tokens as they are stored; undefined when nobody is signed in. Whether the server still takes them shows when they are used. */
  tokens(): Promise<Tokens | undefined>
  /**
   * Forgets the tokens here and revokes them, with all that came from the same sign-in, at the server.
   *
   * @throws {NetworkError} {@link OAuthError} when the server could not be told; they are forgotten here all the same
   */
  signOut(): Promise<void>
}

/**
 * Sign-in with a Printwarden account, by OAuth 2.0 with PKCE; in browsers, on servers and on devices.
 *
 * Tokens are renewed before they end, once for all calls that wait and, where the browser has locks, for all tabs that share the storage.
 * When the server does not renew them any more, because the user or an administrator has disconnected the app, they are
 * forgotten, and calls reject with an `ApiError` of status 401 and code `sign_in_required`.
 *
 * @example
 * const oauth = createOAuth({ baseUrl, clientId, redirectUri: location.origin + '/', storage: webStorage(localStorage) })
 * if (oauth.isCallback(location.href)) await oauth.handleCallback(location.href)
 * if ((await oauth.tokens()) === undefined) location.assign(await oauth.authorizeUrl())
 * const client = createClient({ baseUrl, token: oauth })
 */
export function createOAuth(options: OAuthOptions): OAuth {
  const { origin, pathname } = new URL(options.baseUrl)
  const baseUrl = (origin + pathname).replace(/\/+$/, '')
  const issuer = options.issuer?.replace(/\/+$/, '') ?? origin
  const { clientId, clientSecret, redirectUri, fetch, timeoutMs = TIMEOUT_MS } = options
  const server: OAuthServer = { baseUrl, clientId, clientSecret, fetch, timeoutMs }
  const storage = options.storage ?? defaultStorage()
  // One page may hold several apps and servers.
  const prefix = `printwarden ${baseUrl} ${clientId} `
  const keys = { tokens: `${prefix}tokens`, pending: `${prefix}sign-ins` }
  const exclusive = exclusiveOf(prefix)
  let renewing: Promise<Tokens> | undefined

  const load = async (): Promise<Tokens | undefined> => parseTokens(await storage.get(keys.tokens))
  const loadPending = async () => parsePending(await storage.get(keys.pending), Date.now())
  const savePending = async (pending: object) => storage.set(keys.pending, JSON.stringify(pending))

  async function keep(tokens: Tokens): Promise<Tokens> {
    await storage.set(keys.tokens, JSON.stringify(tokens))
    return tokens
  }

  async function ask(fields: Readonly<Record<string, string | undefined>>, signal?: AbortSignal): Promise<Tokens> {
    const tokens = readTokens(await postForm(server, '/o/token/', fields, signal), Date.now())
    if (tokens === undefined) throw unexpectedAnswer()
    return tokens
  }

  /** The stored tokens if they are not `old` any more, else new ones. Whoever comes meanwhile waits for the same. */
  function renewed(old: string): Promise<Tokens> {
    renewing ??= exclusive(() => renewNow(old)).finally(() => {
      renewing = undefined
    })
    return renewing
  }

  async function renewNow(old: string): Promise<Tokens> {
    const tokens = await load()
    if (tokens === undefined) throw signInRequired('Nobody is signed in.')
    if (tokens.access_token !== old && isFresh(tokens)) return tokens
    if (tokens.refresh_token === undefined) throw signInRequired('The token cannot be renewed.')
    try {
      return await keep(await refresh(tokens.refresh_token))
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error
      if (error.code === 'invalid_grant') await storage.remove(keys.tokens)
      throw refusalOf(error)
    }
  }

  /** Asks twice when the answer is lost: the server takes a token that it has replaced once more, for half a minute. */
  async function refresh(refresh_token: string): Promise<Tokens> {
    const fields = { grant_type: 'refresh_token', refresh_token }
    try {
      return await ask(fields)
    } catch (error) {
      if (error instanceof NetworkError) return ask(fields)
      throw error
    }
  }

  return {
    async authorizeUrl({ scope = 'read write', prompt } = {}) {
      const pending = { state: randomText(), verifier: randomText(), begun_at: Date.now() }
      const fields = {
        ...{
          response_type: 'code',
          client_id: clientId,
          redirect_uri: needed(redirectUri),
          scope,
          state: pending.state,
        },
        ...{ code_challenge: await challengeOf(pending.verifier), code_challenge_method: 'S256' },
        ...(prompt === undefined ? {} : { prompt }),
      }
      await exclusive(async () => savePending(withPending(await loadPending(), pending)))
      return new URL(`${baseUrl}/o/authorize/?${new URLSearchParams(fields).toString()}`)
    },
    isCallback: (url) => isCallback(new URL(url), needed(redirectUri)),
    async handleCallback(url) {
      const outcome = await exclusive(async () => {
        const begun = await loadPending()
        const read = readCallback(new URL(url), begun, issuer)
        // Each is of use once, whatever comes of it.
        await savePending(begun.filter((one) => one !== read.pending))
        return read
      })
      if ('error' in outcome) throw outcome.error
      const { code, pending } = outcome
      const fields = { grant_type: 'authorization_code', code, redirect_uri: needed(redirectUri) }
      const tokens = await ask({ ...fields, code_verifier: pending.verifier })
      return exclusive(() => keep(tokens))
    },
    async deviceSignIn({ onCode, scope = 'read write', signal = new AbortController().signal }) {
      const begun = readDeviceSignIn(await postForm(server, '/o/device_authorization/', { scope }, signal))
      onCode(begun.code)
      const fields = { grant_type: DEVICE_GRANT, device_code: begun.deviceCode }
      const tokens = await pollForTokens(
        begun,
        () => ask(fields, signal),
        (ms) => pause(ms, signal),
      )
      return exclusive(() => keep(tokens))
    },
    tokens: load,
    async token() {
      const tokens = await load()
      if (tokens === undefined) throw signInRequired('Nobody is signed in.')
      return isFresh(tokens) ? tokens.access_token : (await renewed(tokens.access_token)).access_token
    },
    async renew(ended) {
      await renewed(ended)
    },
    signOut: () =>
      exclusive(async () => {
        const tokens = await load()
        await storage.remove(keys.tokens)
        if (tokens === undefined) return
        await postForm(server, '/o/revoke_token/', { token: tokens.refresh_token ?? tokens.access_token })
      }),
  }
}

const isFresh = ({ expires_at }: Tokens): boolean => expires_at - EARLY_MS > Date.now()

function defaultStorage(): TokenStorage {
  return typeof document === 'undefined' ? memoryStorage() : webStorage(sessionStorage)
}

function needed(redirectUri: string | undefined): string {
  if (redirectUri === undefined) throw new TypeError('redirectUri is needed to sign in by a browser')
  return redirectUri
}

const signInRequired = (detail: string, options?: ErrorOptions): ApiError =>
  new ApiError({ status: 401, code: 'sign_in_required', title: 'The user must sign in', detail }, options)

/** Why a token was not renewed, as calls of the API tell it. */
function refusalOf(error: OAuthError): ApiError {
  const { status = 502 } = error
  if (status >= 400 && status < 500 && status !== 429) return signInRequired(error.message, { cause: error })
  const fields = { status, code: 'unavailable', title: 'The token could not be renewed', detail: error.message }
  return new ApiError(fields, { cause: error })
}
