import '@fastify/cookie'
import type { FastifyRequest } from 'fastify'
import { parseScopes, SCOPES } from '@printwarden/protocol'
import { ApiError } from '../errors.js'
import type { TokenIdentity } from '../oauth/store.js'
import { findAgentByTokenHash, findTokenIdentity, listKnownAgentHashes, touchToken } from '../oauth/store.js'
import type { Bus, Clock, Database, Secrets } from '../ports.js'
import { REVOKED_SUBJECT } from '../printers/notices.js'
import type { SessionIdentity } from '../users/store.js'
import { extendSession, findSessionIdentity, touchUser } from '../users/store.js'
import type { AgentCaller, Caller } from './api.js'
import { findAgentToken, findCredential, hasTokenInQuery } from './credentials.js'
import { identityCache } from './identity-cache.js'
import type { UnknownLimit } from './unknown-limit.js'
import { isOwnOrigin } from './origin.js'
import { SESSION_LIFETIME_MS, SESSION_REFRESH_MS } from '../users/session-life.js'

/** How precisely `last_active_at` is kept. */
const ACTIVITY_STEP_MS = 5 * 60_000

/** How precisely it is kept when a token was used last. */
const TOKEN_USE_STEP_MS = 60_000

const IN_QUERY =
  'A token in the address is refused, since addresses are kept in logs. Send it as Authorization: Bearer.'

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/** Finds out who sends a request. */
export interface Authenticator {
  /**
   * The user, by token or session. A session counts only when the request comes from our own pages, save for plain reads.
   * @throws {ApiError} unauthorized, token_expired, token_revoked; insufficient_scope for a session used by a foreign page
   */
  authenticate(request: FastifyRequest): Promise<Caller>
  /** The agent, by its printer's auth_token. @throws {ApiError} unauthorized */
  authenticateAgent(request: FastifyRequest): Promise<AgentCaller>
  /** Those of many agents' requests that would be let in again, by one read that nothing remembered stands for. */
  stillAgents(requests: readonly FastifyRequest[]): Promise<FastifyRequest[]>
}

export interface AuthenticatorDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly secrets: Secrets
  readonly publicUrl: () => string | undefined
  /** Slows those who try tokens that nobody has. Without it nobody is slowed: for tests of single parts. */
  readonly unknownLimit?: UnknownLimit | undefined
}

export function authenticator(deps: AuthenticatorDeps): Authenticator {
  const { database, bus, clock, secrets, publicUrl } = deps
  const guarded = deps.unknownLimit ?? ((_ip, _hash, find) => find())
  const { db, quick } = database
  const tokens = identityCache<TokenIdentity>(clock)
  const sessions = identityCache<SessionIdentity>(clock)
  const agents = identityCache<AgentCaller>(clock)
  // One revoked credential empties the caches: revoking is rare, and what stays valid is found again by one read.
  bus.subscribe(REVOKED_SUBJECT, () => {
    for (const cache of [tokens, sessions, agents]) cache.clear()
  })

  /** Notes that the user is active: on a look-up, so that a busy client costs no write for each request. */
  async function touched<Identity extends { readonly user_id: number }>(
    finding: Promise<Identity | undefined>,
  ): Promise<Identity | undefined> {
    const identity = await finding
    if (identity !== undefined) await touchUser(db, identity.user_id, clock.now(), ACTIVITY_STEP_MS)
    return identity
  }

  async function byToken(token: string, ip: string): Promise<Caller> {
    const hash = secrets.hash(token)
    const identity = await tokens.get(hash, () => guarded(ip, hash, () => touched(findToken(hash))))
    if (identity === undefined) throw new ApiError('unauthorized', 'The token is not known.')
    const now = clock.now()
    if (identity.revoked_at !== null || identity.disabled_at !== null) throw new ApiError('token_revoked')
    if (identity.expires_at !== null && identity.expires_at <= now) throw new ApiError('token_expired')
    const { token_id, user_id, email, is_admin } = identity
    return {
      user_id,
      email,
      is_admin: is_admin === 1,
      scopes: parseScopes(identity.scope),
      via: { type: 'token', token_id },
    }
  }

  /** Notes the use of a token that counts, on a look-up and at most once a minute. */
  async function findToken(hash: string): Promise<TokenIdentity | undefined> {
    const identity = await findTokenIdentity(db, hash)
    const now = clock.now()
    if (identity === undefined || !isInForce(identity, now)) return identity
    if ((identity.last_used_at ?? 0) <= now - TOKEN_USE_STEP_MS) await touchToken(db, identity.token_id, now)
    return identity
  }

  async function bySession(value: string, ip: string): Promise<Caller> {
    const hash = secrets.hash(value)
    const identity = await sessions.get(hash, () => guarded(ip, hash, () => touched(findSession(hash))))
    const now = clock.now()
    if (identity === undefined || identity.disabled_at !== null || identity.expires_at <= now) {
      throw new ApiError('unauthorized', 'The session has ended; sign in again.')
    }
    const { session_id, user_id, email, is_admin } = identity
    return { user_id, email, is_admin: is_admin === 1, scopes: SCOPES, via: { type: 'session', session_id } }
  }

  /** Each day of use moves the end of a session. */
  async function findSession(hash: string): Promise<SessionIdentity | undefined> {
    const identity = await findSessionIdentity(db, hash)
    const now = clock.now()
    if (identity === undefined || identity.expires_at <= now) return identity
    if (identity.expires_at - now > SESSION_LIFETIME_MS - SESSION_REFRESH_MS) return identity
    await extendSession(db, identity.session_id, now + SESSION_LIFETIME_MS)
    return { ...identity, expires_at: now + SESSION_LIFETIME_MS }
  }

  return {
    async authenticate(request) {
      const credential = findCredential(request.headers, request.cookies, request.protocol === 'https')
      const isInQuery = hasTokenInQuery(request.query)
      if (credential === undefined) throw new ApiError('unauthorized', isInQuery ? IN_QUERY : undefined)
      if (isInQuery) throw new ApiError('invalid_request', IN_QUERY)
      if (credential.type === 'session' && needsOwnOrigin(request) && !isOwnOrigin(request, publicUrl())) {
        throw new ApiError('insufficient_scope', "A session is of use only to this server's own pages.")
      }
      const { ip } = request
      return credential.type === 'token' ? byToken(credential.token, ip) : bySession(credential.value, ip)
    },
    async authenticateAgent(request) {
      const token = findAgentToken(request.headers)
      if (token === undefined) throw new ApiError('unauthorized')
      const hash = secrets.keyedHash(token)
      const agent = await agents.get(hash, () => guarded(request.ip, hash, () => findAgentByTokenHash(quick, hash)))
      if (agent === undefined) throw new ApiError('unauthorized', 'The token is not known.')
      return agent
    },
    async stillAgents(requests) {
      const hashes = requests.map(({ headers }) => secrets.keyedHash(findAgentToken(headers) ?? ''))
      const known = new Set(await listKnownAgentHashes(database.quick, hashes))
      return requests.filter((_, index) => known.has(hashes[index] ?? ''))
    },
  }
}

/** Browsers send cookies with what a foreign page starts; only a plain read is harmless, and opening a websocket is none. */
const needsOwnOrigin = ({ method, headers }: FastifyRequest): boolean =>
  !SAFE_METHODS.includes(method) || headers.upgrade !== undefined

const isInForce = ({ revoked_at, disabled_at, expires_at }: TokenIdentity, now: number): boolean =>
  revoked_at === null && disabled_at === null && (expires_at === null || expires_at > now)
