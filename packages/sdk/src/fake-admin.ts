import type { Account, Invitation, User } from '@printwarden/protocol'
import { callerOf, type Handlers } from './fake-handlers.js'
import { addPrinter } from './fake-printers.js'
import { FakeRefusal, invalid } from './fake-refusal.js'
import { type FakeState, hex } from './fake-state.js'
import { addToken, noteSecurity, revokeTokens } from './fake-tokens.js'
import { newUser } from './fake-users.js'

const HOUR_MS = 3_600_000

/** What administrators do: accounts, invitations, printers for others, retention. */
export function adminHandlers(state: FakeState, baseUrl: string): Handlers {
  const invitations = new Map<number, Invitation>()
  const after = (hours: number): string => new Date(Date.parse(state.now()) + hours * HOUR_MS).toISOString()
  const withEmail = (email: string): User | undefined => [...state.users.values()].find((user) => user.email === email)

  function accountView({ id, email, is_admin, date_joined, last_active_at }: User): Account {
    const printers = [...state.printers.values()].filter(({ userId }) => userId === id)
    const disabled_at = state.disabledAt.get(id) ?? null
    const ai_credit_free_monthly_quota = state.aiQuotas.get(id) ?? -1
    const shown = { id, email, is_admin, disabled_at, date_joined, last_active_at, ai_credit_free_monthly_quota }
    return { ...shown, printer_count: printers.length }
  }

  function account(id: number): User {
    const user = state.users.get(id)
    if (user === undefined) throw new FakeRefusal('not_found')
    return user
  }

  const endSessions = (userId: number): number =>
    revokeTokens(state, (token) => token.userId === userId && token.isSession === true)

  return {
    adminSignIn(call) {
      const user = withEmail(call.body.email)
      if (user === undefined || state.passwords.get(user.id) !== call.body.password) {
        throw new FakeRefusal('unauthorized', 'The e-mail address or the password is wrong.')
      }
      if (!user.is_admin) throw new FakeRefusal('insufficient_scope', 'Only administrators may do this.')
      const { secret } = addToken(state, { userId: user.id, scopes: ['read', 'write'] })
      return { access_token: secret, expires_in: 3600 }
    },
    listAccounts: () => [...state.users.values()].map(accountView),
    createAccount(call) {
      const { email, password, is_admin = false } = call.body
      if (withEmail(email) !== undefined) throw new FakeRefusal('conflict', 'There is an account with this address.')
      const user = newUser(state, email, is_admin)
      state.users.set(user.id, user)
      state.passwords.set(user.id, password)
      return accountView(user)
    },
    updateAccount(call) {
      const user = account(call.params.id)
      const { is_admin = user.is_admin, disabled, password, ai_credit_free_monthly_quota: quota } = call.body
      if (quota !== undefined) state.aiQuotas.set(user.id, quota)
      const others = [...state.users.values()].filter(
        (one) => one.is_admin && one.id !== user.id && !state.disabledAt.has(one.id),
      )
      if (user.is_admin && (!is_admin || disabled === true) && others.length === 0) {
        throw new FakeRefusal('conflict', 'One administrator has to remain.')
      }
      state.users.set(user.id, { ...user, is_admin })
      if (is_admin !== user.is_admin) noteSecurity(state, user.id, 'rights_changed', null)
      if (disabled === true) state.disabledAt.set(user.id, state.disabledAt.get(user.id) ?? state.now())
      if (disabled === false) state.disabledAt.delete(user.id)
      if (password !== undefined) state.passwords.set(user.id, password)
      if (disabled === true || password !== undefined) endSessions(user.id)
      return accountView(account(user.id))
    },
    createPasswordResetLink(call) {
      account(call.params.id)
      return { url: `${baseUrl}/password/reset/?token=${hex(64)}`, expires_at: after(1) }
    },
    removeTwoStep: (call) => void endSessions(account(call.params.id).id),

    listInvitations: () => [...invitations.values()],
    createInvitation(call) {
      const { email = null, is_admin = false } = call.body
      if (email !== null && withEmail(email) !== undefined) {
        throw new FakeRefusal('conflict', 'There is an account with this address.')
      }
      const times = { created_at: state.now(), expires_at: after(7 * 24) }
      const invitation: Invitation = { id: state.nextId(), email, is_admin, ...times }
      invitations.set(invitation.id, invitation)
      return { ...invitation, url: `${baseUrl}/invitation/?token=${hex(64)}`, mailed: false }
    },
    deleteInvitation(call) {
      if (!invitations.delete(call.params.id)) throw new FakeRefusal('not_found')
    },

    addPrinterFor(call) {
      const user = withEmail(call.body.email)
      if (user === undefined) throw invalid('email', 'is no account')
      const { id, settings, authToken } = addPrinter(state, user.id, { name: call.body.name })
      return { id, name: settings.name, auth_token: authToken }
    },

    importRecords(call) {
      const { email, records } = call.body
      const user = email === undefined ? callerOf(call) : withEmail(email)
      if (user === undefined) throw invalid('email', 'no account has this address')
      const notes = ['the fake brings nothing over']
      const outcomes = records.map(({ kind, source_id }) => {
        return { kind, source_id, outcome: 'left_out' as const, id: null, notes, wants: [] }
      })
      return { email: user.email, outcomes }
    },
    importBytes() {
      throw new FakeRefusal('not_found')
    },

    getRetention: () => nothingToTake(state),
    applyRetention: () => nothingToTake(state),
  }
}

/** The fake has no limits, so that nothing is ever taken away. */
function nothingToTake(state: FakeState) {
  const kept_bytes = [...state.media.values()].reduce((sum, { size }) => sum + size, 0)
  const limits = { finished_days: null, cancelled_days: null, failed_days: null, bytes: null }
  return { limits, kept_bytes, freed_bytes: 0, prints: [] }
}
