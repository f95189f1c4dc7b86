import { parseScopes, type Scope, SCOPES } from '@printwarden/protocol'
import { OAuthError } from '../errors.js'
import type { Client } from './client.js'
import { isSameRedirectUri } from './redirect-uri.js'

// One rule of the specification, one function, named after its parameter. Those of the authorization request come first; before the
// redirect URI is proven nothing may be redirected.

/** @throws {OAuthError} invalid_client, shown: there is nowhere to redirect to */
export function checkClientId(client: Client | undefined): Client {
  if (client === undefined) throw new OAuthError('invalid_client', false, 'No app is registered under this client_id.')
  return client
}

/**
 * The redirect URI must equal a registered one. Never redirectable: sending the error to an unproven address is the attack that
 * this check stops.
 */
export function checkRedirectUri(client: Client, redirectUri: string | undefined): string {
  if (redirectUri === undefined) {
    throw new OAuthError('invalid_redirect_uri', false, 'The parameter redirect_uri is missing.')
  }
  if (!client.redirect_uris.some((registered) => isSameRedirectUri(registered, redirectUri))) {
    throw new OAuthError('invalid_redirect_uri', false, 'The app has not registered this redirect_uri.')
  }
  return redirectUri
}

/** `code`; `token` only for the slicers that were allowed in so (decision 14). */
export function checkResponseType(client: Client, responseType: string | undefined): 'code' | 'token' {
  if (responseType === undefined) throw invalidRequest('The parameter response_type is missing.')
  if (responseType === 'token' && client.is_slicer) return 'token'
  if (responseType === 'code' && !client.is_slicer) return 'code'
  throw new OAuthError('unsupported_response_type', true, 'The response_type must be code.')
}

/** The answer comes in the query; nothing else is offered. */
export function checkResponseMode(responseMode: string | undefined): void {
  if (responseMode !== undefined && responseMode !== 'query') throw invalidRequest('The response_mode must be query.')
}

/** The scopes asked for, both when none are. An unknown one is refused, so that an app is never given less than it thinks. */
export function checkScope(scope: string | undefined): readonly Scope[] {
  if (scope === undefined || scope.trim() === '') return SCOPES
  const unknown = scope.split(' ').find((word) => word !== '' && !SCOPES.some((known) => known === word))
  if (unknown !== undefined) throw new OAuthError('invalid_scope', true, `The scope must be of ${SCOPES.join(', ')}.`)
  return parseScopes(scope)
}

/** PKCE (RFC 7636) by S256 alone: a challenge in plain would be the verifier itself. */
export function checkCodeChallenge(
  client: Client,
  challenge: string | undefined,
  method: string | undefined,
): string | undefined {
  if (challenge === undefined) {
    if (method !== undefined) throw invalidRequest('There is a code_challenge_method, but no code_challenge.')
    if (client.require_pkce) throw invalidRequest('This app must send a code_challenge (PKCE).')
    return undefined
  }
  if (method !== 'S256') throw invalidRequest('The code_challenge_method must be S256.')
  if (!/^[\w-]{43}$/.test(challenge)) throw invalidRequest('The code_challenge must be 43 characters of base64url.')
  return challenge
}

/** Whether the app wants the user to be asked again. */
export function checkPrompt(prompt: string | undefined): { readonly asksAgain: boolean } {
  return { asksAgain: (prompt ?? '').split(' ').some((word) => word === 'consent' || word === 'select_account') }
}

export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const
export type GrantType = (typeof GRANT_TYPES)[number]

/** The grant of a token request. */
export function checkGrantType(grantType: string | undefined): GrantType {
  const known = GRANT_TYPES.find((one) => one === required('grant_type', grantType))
  if (known === undefined) {
    throw new OAuthError('unsupported_grant_type', false, `The grant_type must be of ${GRANT_TYPES.join(', ')}.`)
  }
  return known
}

/** At the token endpoint an address that was never registered has a code of its own (decision 13). */
export function checkTokenRedirectUri(client: Client, redirectUri: string | undefined): string {
  const given = required('redirect_uri', redirectUri)
  return checkRedirectUri(client, given)
}

/** The scopes of a refreshed token: those of the grant, or fewer. */
export function checkNarrowerScope(granted: readonly Scope[], scope: string | undefined): readonly Scope[] {
  if (scope === undefined) return granted
  const asked = checkScope(scope)
  if (asked.every((one) => granted.includes(one))) return asked
  throw new OAuthError('invalid_scope', false, 'The scope goes beyond what the user allowed.')
}

/** A parameter without which the request makes no sense. */
export function required(name: string, value: string | undefined): string {
  if (value === undefined) throw new OAuthError('invalid_request', false, `The parameter ${name} is missing.`)
  return value
}

function invalidRequest(description: string): OAuthError {
  return new OAuthError('invalid_request', true, description)
}
