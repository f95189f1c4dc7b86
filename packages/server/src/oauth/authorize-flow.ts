import { parseScopes } from '@printwarden/protocol'
import { OAuthError } from '../errors.js'
import type { Clock, Database } from '../ports.js'
import {
  type AuthorizationRequest,
  type AuthorizationTarget,
  answerLocation,
  authorizationRequest,
  authorizationTarget,
} from './authorization.js'
import { clientOf } from './client.js'
import { findClient } from './client-store.js'
import { noteSecurityEvent, type Whence } from '../users/security-events-store.js'
import { findConsent, saveConsent } from './consent-store.js'
import { CODE_LIFETIME_MS } from './grant.js'
import { deleteUnusedCodes, insertGrant } from './grant-store.js'
import { type IssueFlowDeps, issueFlow, TOKEN_BYTES } from './issue-flow.js'
import type { OAuthParameters } from './parameters.js'
import { provesApp } from './redirect-uri.js'

export interface AuthorizeFlowDeps extends IssueFlowDeps {
  readonly database: Database
  readonly clock: Clock
}

export type AuthorizeFlow = ReturnType<typeof authorizeFlow>

/** A request that can be asked of the user, or one that is wrong and answered to the app. */
export type Preparation =
  | { readonly type: 'ask'; readonly request: AuthorizationRequest }
  | { readonly type: 'refuse'; readonly location: string }

/** Unused codes are kept a little longer than they count. */
const UNUSED_CODE_MEMORY_MS = 3_600_000

/** The authorization endpoint: what an app asks for, and what the user answers. */
export function authorizeFlow(deps: AuthorizeFlowDeps) {
  const { database, clock, secrets } = deps
  const { db } = database
  const { issueAlone } = issueFlow(deps)

  async function issueCode(userId: number, request: AuthorizationRequest): Promise<Record<string, string>> {
    const code = secrets.newToken(TOKEN_BYTES)
    const now = clock.now()
    await deleteUnusedCodes(db, userId, now - UNUSED_CODE_MEMORY_MS)
    await insertGrant(db, {
      user_id: userId,
      client_id: request.client.id,
      scope: request.scopes.join(' '),
      created_at: now,
      redirect_uri: request.redirectUri,
      code_hash: secrets.hash(code),
      code_challenge: request.codeChallenge ?? null,
      code_expires_at: now + CODE_LIFETIME_MS,
    })
    return { code }
  }

  async function issueToken(userId: number, { client, scopes }: AuthorizationRequest): Promise<Record<string, string>> {
    const issued = await database.transaction(async (trx) => {
      const grant = { user_id: userId, client_id: client.id, scope: scopes.join(' '), created_at: clock.now() }
      return issueAlone(trx, { grantId: await insertGrant(trx, grant), userId, clientId: client.id, scopes })
    })
    return { ...issued, expires_in: String(issued.expires_in) }
  }

  async function answer(userId: number, request: AuthorizationRequest, issuer: string): Promise<string> {
    const given = request.responseType === 'code' ? await issueCode(userId, request) : await issueToken(userId, request)
    return answerLocation(request, given, issuer)
  }

  return {
    /** Checks a request. @throws {OAuthError} while it is not proven where the answer may go */
    async prepare(parameters: OAuthParameters, origin: string, issuer: string): Promise<Preparation> {
      const row = await findClient(db, parameters.get('client_id') ?? '')
      const target = authorizationTarget(parameters, row === undefined ? undefined : clientOf(row), origin)
      try {
        return { type: 'ask', request: authorizationRequest(target, parameters) }
      } catch (error) {
        if (!(error instanceof OAuthError && error.redirectable)) throw error
        return { type: 'refuse', location: errorLocation(target, error, issuer) }
      }
    },
    /**
     * Whether the user allowed the same before. What a program on the user's own machine could pretend to be is asked each time
     * (RFC 8252, section 8.6).
     */
    async isAllowedBefore(userId: number, request: AuthorizationRequest): Promise<boolean> {
      const { client, redirectUri, scopes, asksAgain } = request
      if (asksAgain || (client.type === 'public' && !provesApp(redirectUri))) return false
      const allowed = parseScopes((await findConsent(db, userId, client.id)) ?? '')
      return scopes.every((scope) => allowed.includes(scope))
    },
    /** The user allowed it; where to send the browser. */
    async allow(userId: number, request: AuthorizationRequest, issuer: string, whence?: Whence): Promise<string> {
      const { client, scopes } = request
      const before = (await findConsent(db, userId, client.id)) ?? ''
      const scope = parseScopes(`${before} ${scopes.join(' ')}`).join(' ')
      await saveConsent(db, { user_id: userId, client_id: client.id, scope, created_at: clock.now() })
      const at = clock.now()
      await noteSecurityEvent(db, { userId, type: 'app_connected', at, whence, subject: client.name })
      return answer(userId, request, issuer)
    },
    /** Nothing new is asked for; where to send the browser. */
    goOn: answer,
    /** The user said no; where to send the browser. */
    deny(request: AuthorizationRequest, issuer: string): string {
      return errorLocation(request, new OAuthError('access_denied', true, 'The user said no.'), issuer)
    },
  }
}

function errorLocation(target: AuthorizationTarget, { code, message }: OAuthError, issuer: string): string {
  return answerLocation(target, { error: code, error_description: message }, issuer)
}
