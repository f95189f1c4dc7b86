import type { NewOAuthApp } from '@printwarden/protocol'
import type { CreditsFlow } from '../assistant/credits/credits-flow.js'
import { ApiError } from '../errors.js'
import { clientFlow } from '../oauth/client-flow.js'
import { deleteExpiredTokens } from '../oauth/store.js'
import { tokenFlow } from '../oauth/token-flow.js'
import type { Bus, Clock, Database } from '../ports.js'
import type { AuthTokenSecrets } from '../printers/add-flow.js'
import type { UserFlow } from '../users/flow.js'
import type { Whence } from '../users/security-events-store.js'
import { findUserByEmail, type UserRow } from '../users/store.js'
import { scopesAskedFor } from './token-scopes.js'

/** Long enough for a command, short enough not to matter when it leaks. */
const SIGN_IN_SECONDS = 15 * 60
const SIGN_IN_NAME = "an administrator's sign-in"

export interface AdminFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly secrets: AuthTokenSecrets & { hash(text: string): string }
  readonly users: UserFlow
  readonly credits: Pick<CreditsFlow, 'setQuota' | 'quotas'>
  readonly accessTokenSeconds: number
}

export type AdminFlow = ReturnType<typeof adminFlow>

/** What administrators do, save for what the accounts' own flow does. */
export function adminFlow({ database, bus, clock, secrets, users, accessTokenSeconds }: AdminFlowDeps) {
  const { db } = database
  const tokens = tokenFlow({ database, bus, clock, secrets })
  const clients = clientFlow({ database, clock, secrets })

  /** A short-lived token for an administrator's program. @throws {ApiError} unauthorized, insufficient_scope, rate_limited */
  async function signIn(
    email: string,
    password: string,
    code: string | undefined,
    whence: Whence,
  ): Promise<{ access_token: string; expires_in: number }> {
    const user = await checkedUser(email, password, whence)
    if (users.twoSteps.hasTwoSteps(user)) await checkSecondStep(user, code, whence)
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

  async function checkedUser(email: string, password: string, { ip, userAgent }: Whence): Promise<UserRow> {
    const check = await users.checkPassword(email, password, ip ?? '', userAgent)
    switch (check.type) {
      case 'right':
        return check.user
      case 'limited':
        throw limited('There were too many wrong tries.', check.retryAfterSeconds)
      case 'disabled':
        throw new ApiError('insufficient_scope', 'This account was disabled.')
      case 'wrong':
        throw new ApiError('unauthorized', 'The e-mail address or the password is wrong.')
    }
  }

  /** @throws {ApiError} unauthorized, with an issue at `code`; rate_limited */
  async function checkSecondStep(user: UserRow, code: string | undefined, whence: Whence): Promise<void> {
    if (code === undefined) throw wrongCode('is needed: this account signs in in two steps')
    const check = await users.twoSteps.checkCode(user, code, whence)
    if (check.type === 'wrong') throw wrongCode('is wrong, or was used already')
    if (check.type === 'limited') throw limited('There were too many wrong codes.', check.retryAfterSeconds)
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

  /** Registers an app of the operator's, which may do without PKCE. @throws {ApiError} invalid_request */
  async function addClient(app: NewOAuthApp) {
    const { row, client_secret } = await clients.register(app, null)
    const { name, type, redirect_uris } = app
    return { client_id: row.client_id, client_secret, name, type, redirect_uris: [...redirect_uris] }
  }

  return { signIn, userOf, issueToken, addClient, tokens }
}

const limited = (detail: string, retryAfterSeconds: number): ApiError =>
  new ApiError('rate_limited', detail, { retryAfterSeconds })

const wrongCode = (message: string): ApiError =>
  new ApiError('unauthorized', `The code ${message}.`, { issues: [{ path: 'code', message }] })

function invalid(path: string, message: string): ApiError {
  return new ApiError('invalid_request', undefined, { issues: [{ path, message }] })
}
