import type { OAuthErrorCode } from '@printwarden/protocol'
import { OAuthError } from '../errors.js'
import { problemOf } from './error-body.js'

/** How a value that was thrown at `/o/…` is answered. */
export interface OAuthProblem {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** RFC 6749, section 5.2. */
  readonly body: { readonly error: OAuthErrorCode; readonly error_description: string }
  readonly isDefect: boolean
}

/** Whether errors of this path take OAuth's own form (decision 3). */
export const isOAuthPath = (path: string): boolean => path.startsWith('/o/')

const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' }

const STATUS: Partial<Record<OAuthErrorCode, number>> = {
  invalid_client: 401,
  server_error: 500,
  temporarily_unavailable: 503,
}

/** What may stand in a description (RFC 6749, section 5.2): ASCII without quotes and backslashes. */
const DESCRIPTION = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g

/**
 * Any thrown value as an OAuth error. `usedHeader`: the client tried to prove itself by the Authorization header, so it is told
 * which scheme to use there.
 */
export function oauthProblemOf(thrown: unknown, usedHeader: boolean): OAuthProblem {
  if (thrown instanceof OAuthError) return oauthAnswer(thrown, usedHeader)
  const { status, headers, body, isDefect } = problemOf(thrown)
  const error = status < 500 ? 'invalid_request' : status === 503 ? 'temporarily_unavailable' : 'server_error'
  const error_description = body.detail.replaceAll(DESCRIPTION, "'")
  return { status, headers: { ...headers, ...NO_STORE }, body: { error, error_description }, isDefect }
}

function oauthAnswer({ code, message }: OAuthError, usedHeader: boolean): OAuthProblem {
  const challenge: Record<string, string> =
    code === 'invalid_client' && usedHeader ? { 'www-authenticate': 'Basic realm="Printwarden", charset="UTF-8"' } : {}
  const wait: Record<string, string> = code === 'temporarily_unavailable' ? { 'retry-after': '60' } : {}
  return {
    status: STATUS[code] ?? 400,
    headers: { ...challenge, ...wait, ...NO_STORE },
    body: { error: code, error_description: message.replaceAll(DESCRIPTION, "'") },
    isDefect: false,
  }
}
