import type { Scope } from '@printwarden/protocol'
import { OAuthError } from '../errors.js'
import {
  checkClientId,
  checkCodeChallenge,
  checkPrompt,
  checkRedirectUri,
  checkResponseMode,
  checkResponseType,
  checkScope,
} from './checks.js'
import type { Client } from './client.js'
import type { OAuthParameters } from './parameters.js'
import { withFragment, withQuery } from './redirect-uri.js'

/** The page of ours from which a slicer takes its token. */
export const SLICER_PATH = '/o/slicer/'

/** Where the answer goes, once that is proven. */
export interface AuthorizationTarget {
  readonly client: Client
  readonly redirectUri: string
  readonly state: string | undefined
  /** Implicit answers go into the fragment, which no server sees. */
  readonly answersIn: 'query' | 'fragment'
}

/** What an app asks a user for. */
export interface AuthorizationRequest extends AuthorizationTarget {
  readonly responseType: 'code' | 'token'
  readonly scopes: readonly Scope[]
  readonly codeChallenge: string | undefined
  /** The user is to be asked although nothing new is asked for. */
  readonly asksAgain: boolean
}

/** What our own form carries from one step to the next, and what its signature covers. */
export const AUTHORIZATION_PARAMETERS = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'prompt',
] as const

/**
 * The first part: who asks, and where the answer may go.
 * @throws {OAuthError} never redirectable
 */
export function authorizationTarget(
  parameters: OAuthParameters,
  found: Client | undefined,
  origin: string,
): AuthorizationTarget {
  const wrong = parameters.problem('client_id') ?? parameters.problem('redirect_uri')
  if (wrong !== undefined) throw new OAuthError('invalid_request', false, `The parameter ${wrong}.`)
  const client = checkClientId(found)
  const given = parameters.get('redirect_uri')
  const state = parameters.get('state')
  if (!client.is_slicer) {
    return { client, redirectUri: checkRedirectUri(client, given), state, answersIn: 'query' }
  }
  const own = { ...client, redirect_uris: [`${origin}${SLICER_PATH}`] }
  return { client, redirectUri: checkRedirectUri(own, given ?? own.redirect_uris[0]), state, answersIn: 'fragment' }
}

/**
 * The rest, in order.
 * @throws {OAuthError} redirectable
 */
export function authorizationRequest(target: AuthorizationTarget, parameters: OAuthParameters): AuthorizationRequest {
  const { client } = target
  const problem = parameters.problem()
  if (problem !== undefined) throw new OAuthError('invalid_request', true, `The parameter ${problem}.`)
  const responseType = checkResponseType(client, parameters.get('response_type'))
  checkResponseMode(parameters.get('response_mode'))
  const scopes = checkScope(parameters.get('scope'))
  const method = parameters.get('code_challenge_method')
  const codeChallenge = checkCodeChallenge(client, parameters.get('code_challenge'), method)
  return { ...target, responseType, scopes, codeChallenge, ...checkPrompt(parameters.get('prompt')) }
}

/** The address to which an answer sends the browser. `iss` says who answers, so that an app with several servers is not misled (RFC 9207). */
export function answerLocation(
  { redirectUri, state, answersIn }: AuthorizationTarget,
  answer: Readonly<Record<string, string | undefined>>,
  issuer: string,
): string {
  const parameters = { ...answer, state, iss: issuer }
  return answersIn === 'query' ? withQuery(redirectUri, parameters) : withFragment(redirectUri, parameters)
}

/** What our own form carries on. */
export function carriedParameters(parameters: OAuthParameters): [string, string][] {
  return AUTHORIZATION_PARAMETERS.flatMap((name): [string, string][] => {
    const value = parameters.get(name)
    return value === undefined ? [] : [[name, value]]
  })
}
