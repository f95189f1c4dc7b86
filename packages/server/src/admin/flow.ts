import { randomUUID } from 'node:crypto'
import { ApiError } from '../errors.js'
import { problemOfRedirectUri } from '../oauth/redirect-uri.js'
import { deleteExpiredTokens, saveClient } from '../oauth/store.js'
import { tokenFlow } from '../oauth/token-flow.js'
import type { Bus, Clock, Database } from '../ports.js'
import type { AuthTokenSecrets } from '../printers/add-flow.js'
import type { UserFlow } from '../users/flow.js'
import { findUserByEmail, type UserRow } from '../users/store.js'
import { scopesAskedFor } from './token-scopes.js'

/** Long enough for a command, short enough not to matter when it leaks. */
const SIGN_IN_SECONDS = 15 * 60
const SIGN_IN_NAME = "an administrator's sign-in"

const CLIENT_SECRET_BYTES = 32

export interface AdminFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly secrets: AuthTokenSecrets & { hash(text: string): string }
  readonly users: UserFlow
  readonly accessTokenSeconds: number
}

export type AdminFlow = ReturnType<typeof adminFlow>

/** An app that wants to be registered. */
export interface NewClient {
  readonly name: string
  readonly description?: string | undefined
  readonly type: 'confidential' | 'public'
  readonly redirect_uris: readonly string[]
}

/** What administrators do, save for what the accounts' own flow does. */
export function adminFlow({ database, bus, clock, secrets, users, accessTokenSeconds }: AdminFlowDeps) {
  const { db } = database
  const tokens = tokenFlow({ database, bus, clock, secrets })

  /** A short-lived token for an administrator's program. @throws {ApiError} unauthorized, insufficient_scope, rate_limited */
  async function signIn(
    email: string,
    password: string,
    ip: string,
  ): Promise<{ access_token: string; expires_in: number }> {
    const user = await checkedUser(email, password, ip)
    if (user.is_admin !== 1) throw new ApiError('insufficient_scope', 'Only administrators may do this.')
    await deleteExpiredTokens(db, user.id, SIGN_IN_NAME, clock.now())
    const access_token = await tokens.issue({
      userId: user.id,
      scopes: ['read', 'write'],
      name: SIGN_IN_NAME,
      lifetimeSeconds: SIGN_IN_SECONDS,
    })
    return { access_token, expires_in: SIGN_IN_SECONDS }
  }

  async function checkedUser(email: string, password: string, ip: string): Promise<UserRow> {
    const check = await users.checkPassword(email, password, ip)
    switch (check.type) {
      case 'right':
        return check.user
      case 'limited':
        throw new ApiError('rate_limited', 'There were too many wrong tries.', {
          retryAfterSeconds: check.retryAfterSeconds,
        })
      case 'disabled':
        throw new ApiError('insufficient_scope', 'This account was disabled.')
      case 'wrong':
        throw new ApiError('unauthorized', 'The e-mail address or the password is wrong.')
    }
  }

  /** @throws {ApiError} invalid_request when nobody has the address */
  async function userOf(email: string): Promise<UserRow> {
    const user = await findUserByEmail(db, email)
    if (user !== undefined) return user
    throw invalid('email', 'no account has this address')
  }

  /** A token for an account. @throws {ApiError} invalid_request */
  async function issueToken(email: string, scope: string, name: string | undefined) {
    const scopes = scopesAskedFor(scope)
    const { id } = await userOf(email)
    const lifetimeSeconds = accessTokenSeconds
    const access_token = await tokens.issue({ userId: id, scopes, name: name ?? null, lifetimeSeconds })
    return { access_token, token_type: 'Bearer' as const, scope: scopes.join(' '), expires_in: lifetimeSeconds }
  }

  /** Registers an app. A confidential one gets a secret, which is kept as a hash alone. @throws {ApiError} invalid_request */
  async function addClient({ name, description = '', type, redirect_uris }: NewClient) {
    const issues = redirect_uris.flatMap((uri, index) => {
      const message = problemOfRedirectUri(uri, type)
      return message === undefined ? [] : [{ path: `redirect_uris.${index}`, message }]
    })
    if (issues.length > 0) throw new ApiError('invalid_request', undefined, { issues })
    const client_id = randomUUID()
    const client_secret = type === 'confidential' ? secrets.newToken(CLIENT_SECRET_BYTES) : null
    await saveClient(db, {
      client_id,
      client_secret_hash: client_secret === null ? null : secrets.hash(client_secret),
      name,
      description,
      type,
      redirect_uris: JSON.stringify(redirect_uris),
      require_pkce: 0,
      created_at: clock.now(),
    })
    return { client_id, client_secret, name, type, redirect_uris: [...redirect_uris] }
  }

  return { signIn, userOf, issueToken, addClient, tokens }
}

function invalid(path: string, message: string): ApiError {
  return new ApiError('invalid_request', undefined, { issues: [{ path, message }] })
}
