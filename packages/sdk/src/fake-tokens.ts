import {
  type AccountToken,
  type PersonalToken,
  parseScopes,
  type Scope,
  type SecurityEventType,
} from '@printwarden/protocol'
import { callerOf, type Handlers } from './fake-handlers.js'
import { FakeRefusal, invalid } from './fake-refusal.js'
import { type FakeAccessToken, type FakeState, hex, tell } from './fake-state.js'

const DAY_MS = 24 * 3_600_000
const TITLES: Partial<Record<SecurityEventType, string>> = {
  token_made: 'An access token was made',
  token_revoked: 'An access token was revoked',
  app_registered: 'An app was registered',
  app_removed: 'An app was deleted',
  app_disconnected: 'An app was disconnected',
  session_ended: 'A browser was signed out',
  signed_out_everywhere: 'Every browser was signed out',
  auth_token_rotated: "A printer's auth_token was replaced",
  rights_changed: 'The rights of the account were changed',
}

/** What a new token is. */
export type NewFakeToken = { userId: number; scopes: readonly Scope[] } & Partial<
  Pick<FakeAccessToken, 'state' | 'isSession' | 'name' | 'expiresAt' | 'connectionId'>
>

/** Makes a token. */
export function addToken(state: FakeState, token: NewFakeToken): { secret: string; record: FakeAccessToken } {
  const secret = hex(40)
  const usual = { state: 'good', isSession: false, name: null, expiresAt: null, connectionId: null } as const
  const record: FakeAccessToken = { ...usual, ...token, id: state.nextId(), createdAt: state.now() }
  state.tokens.set(secret, record)
  return { secret, record }
}

/** Writes into the account's own history. */
export function noteSecurity(state: FakeState, userId: number, type: SecurityEventType, subject: string | null): void {
  const title = TITLES[type] ?? type
  const whence = { ip_address: null, user_agent: null }
  const event = { id: state.nextId(), type, title, created_at: state.now(), ...whence, subject }
  state.securityEvents.push({ userId, event })
}

/** Ends tokens and their live subscriptions. */
export function revokeTokens(state: FakeState, which: (token: FakeAccessToken) => boolean): number {
  const found = [...state.tokens.values()].filter((token) => token.state === 'good' && which(token))
  for (const token of found) token.state = 'revoked'
  tell(state, { type: 'revoked' })
  return found.length
}

const scopeText = (scopes: readonly Scope[]): string => scopes.join(' ')

const personalView = ({ id, name, scopes, createdAt, expiresAt }: FakeAccessToken): PersonalToken => ({
  id,
  name,
  scope: scopeText(scopes),
  created_at: createdAt,
  expires_at: expiresAt,
  last_used_at: null,
})

const isPersonal = (token: FakeAccessToken): boolean => token.connectionId === null && token.isSession !== true

/** Personal tokens, sessions, and everybody's tokens for administrators. */
export function tokenHandlers(state: FakeState): Handlers {
  const good = () => [...state.tokens.values()].filter((token) => token.state === 'good')

  /** Ends the one token that is meant. */
  function revokeOne(which: (token: FakeAccessToken) => boolean): void {
    if (revokeTokens(state, which) === 0) throw new FakeRefusal('not_found')
  }

  function accountToken(token: FakeAccessToken): AccountToken {
    const app = token.connectionId === null ? null : (state.connections.get(token.connectionId)?.name ?? null)
    return { ...personalView(token), email: state.users.get(token.userId)?.email ?? '', app }
  }

  return {
    listPersonalTokens(call) {
      return good()
        .filter((token) => token.userId === callerOf(call).id && isPersonal(token))
        .map(personalView)
    },
    createPersonalToken(call) {
      const { id: userId } = callerOf(call)
      const { name, scope, expires_in_days: days } = call.body
      const end = days === undefined || days === null ? null : Date.parse(state.now()) + days * DAY_MS
      const expiresAt = end === null ? null : new Date(end).toISOString()
      const { secret, record } = addToken(state, { userId, scopes: parseScopes(scope), name, expiresAt })
      noteSecurity(state, userId, 'token_made', name)
      return { ...personalView(record), access_token: secret }
    },
    revokePersonalToken(call) {
      const { id: userId } = callerOf(call)
      revokeOne((token) => token.userId === userId && token.id === call.params.id && isPersonal(token))
      noteSecurity(state, userId, 'token_revoked', null)
    },

    listSessions(call) {
      const own = [...state.tokens].filter(
        ([, token]) => token.state === 'good' && token.isSession === true && token.userId === callerOf(call).id,
      )
      const soon = new Date(Date.parse(state.now()) + 30 * DAY_MS).toISOString()
      return own.map(([secret, { id, createdAt }]) => ({
        id,
        created_at: createdAt,
        last_used_at: state.now(),
        expires_at: soon,
        ip_address: null,
        user_agent: null,
        is_current: secret === call.secret,
      }))
    },
    endSession(call) {
      const { id: userId } = callerOf(call)
      revokeOne((token) => token.isSession === true && token.userId === userId && token.id === call.params.id)
      noteSecurity(state, userId, 'session_ended', null)
    },
    signOutEverywhere(call) {
      const { id: userId } = callerOf(call)
      revokeTokens(state, (token) => token.isSession === true && token.userId === userId)
      noteSecurity(state, userId, 'signed_out_everywhere', null)
    },
    listSecurityEvents(call) {
      const { limit = 100, before } = call.query
      const own = state.securityEvents.filter(({ userId }) => userId === callerOf(call).id).map(({ event }) => event)
      call.reply.set('x-total-count', String(own.length))
      return own
        .toReversed()
        .filter(({ id }) => before === undefined || id < before)
        .slice(0, limit)
    },

    listTokens(call) {
      const { email } = call.query
      const shown = good()
        .filter((token) => token.isSession !== true)
        .toReversed()
      return shown.map(accountToken).filter((token) => email === undefined || token.email === email)
    },
    issueToken(call) {
      const { email, scope, name = null } = call.body
      const user = [...state.users.values()].find((one) => one.email === email)
      const scopes = parseScopes(scope)
      if (user === undefined) throw invalid('email', 'is no account')
      if (scopes.length === 0) throw invalid('scope', 'must be "read", "write" or "read write"')
      const { secret } = addToken(state, { userId: user.id, scopes, name })
      noteSecurity(state, user.id, 'token_made', name)
      return { access_token: secret, token_type: 'Bearer', scope: scopeText(scopes), expires_in: 3650 * 86_400 }
    },
    revokeToken(call) {
      const token = state.tokens.get(call.body.token)
      if (token !== undefined) revokeTokens(state, (one) => one === token)
    },
    revokeTokenById: (call) => revokeOne((token) => token.id === call.params.id && token.isSession !== true),
  }
}
