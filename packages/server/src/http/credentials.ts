import type { IncomingHttpHeaders } from 'node:http'

/** What a request brought along to prove who sends it. */
export type Credential =
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'session'; readonly value: string }

/** The session's cookie. On https the browser itself holds it to this host (decision 27). */
export const sessionCookieName = (isHttps: boolean): string =>
  isHttps ? '__Host-printwarden_session' : 'printwarden_session'

/**
 * The credential of a user's request: `Authorization: Bearer`, else `X-API-KEY`, else the session's cookie. Another scheme of
 * `Authorization` is not for us (a proxy in front may ask for its own), and a token in the address is never read: addresses are
 * logged.
 */
export function findCredential(
  headers: IncomingHttpHeaders,
  cookies: Readonly<Record<string, string | undefined>>,
  isHttps: boolean,
): Credential | undefined {
  const bearer = schemeToken(headers.authorization, ['bearer'])
  if (bearer !== undefined) return { type: 'token', token: bearer }
  const apiKey = headers['x-api-key']
  if (typeof apiKey === 'string' && apiKey !== '') return { type: 'token', token: apiKey.trim() }
  const session = cookies[sessionCookieName(isHttps)]
  return session === undefined || session === '' ? undefined : { type: 'session', value: session }
}

/** Names under which clients put a token into the address. */
const TOKEN_PARAMETERS = ['access_token', 'api_key', 'x-api-key']

/** Whether an address holds a token. Addresses are kept in logs and histories, so a token there is refused, not read. */
export function hasTokenInQuery(query: unknown): boolean {
  const names = typeof query === 'object' && query !== null ? Object.keys(query) : []
  return names.some((name) => TOKEN_PARAMETERS.includes(name.toLowerCase()))
}

/** An agent's auth_token: `Authorization: Bearer` or `Token` (decision 15). */
export function findAgentToken(headers: IncomingHttpHeaders): string | undefined {
  return schemeToken(headers.authorization, ['bearer', 'token'])
}

function schemeToken(authorization: string | undefined, schemes: readonly string[]): string | undefined {
  const match = /^([A-Za-z]+) +(\S+) *$/.exec(authorization ?? '')
  const [, scheme = '', token] = match ?? []
  return schemes.includes(scheme.toLowerCase()) ? token : undefined
}
