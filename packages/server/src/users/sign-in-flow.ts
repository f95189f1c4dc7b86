import type { Bus, Clock, Counters, Database, Log } from '../ports.js'
import { AttemptLimiter } from '../limits/attempt-limiter.js'
import type { Background } from './background-flow.js'
import { hashPassword, isPassword } from './passwords-flow.js'
import { publishRevoked } from './revoked.js'
import { noteSecurityEvent, type Whence } from './security-events-store.js'
import { SESSION_LIFETIME_MS } from './session-life.js'
import { deleteSession, findSessionIdentity, findUserByEmail, insertSession, type UserRow } from './store.js'

/** 256 bits: nobody guesses a session. */
const SESSION_BYTES = 32

const USER_AGENT_MAX = 300

export interface SignInFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly counters: Counters
  readonly clock: Clock
  readonly log: Log
  readonly secrets: { hash(text: string): string; newToken(bytes: number): string }
}

/** What came of an e-mail address and a password. */
export type PasswordCheck =
  | { readonly type: 'right'; readonly user: UserRow }
  | { readonly type: 'wrong' }
  | { readonly type: 'disabled' }
  | { readonly type: 'limited'; readonly retryAfterSeconds: number }

/** Signing in and out. */
export async function signInFlow({
  database,
  bus,
  counters,
  clock,
  secrets,
  background,
}: SignInFlowDeps & { readonly background: Background }) {
  const { db } = database
  const limiter = new AttemptLimiter({ counters, clock }, 'password')
  // An address that nobody has must cost the same time as a wrong password.
  const decoyHash = await hashPassword(secrets.newToken(SESSION_BYTES))

  /** Checks a password, for the sign-in page and for programs alike, and slows those who guess. */
  async function checkPassword(
    email: string,
    password: string,
    ip: string,
    userAgent: string | null = null,
  ): Promise<PasswordCheck> {
    const attempt = await limiter.begin(email, ip)
    if (attempt.waitMs > 0) return { type: 'limited', retryAfterSeconds: Math.ceil(attempt.waitMs / 1000) }
    let outcome: 'wrong' | 'right' | 'unknown' = 'unknown'
    try {
      const user = await findUserByEmail(db, email.trim())
      const isRight = await isPassword(password, user?.password_hash ?? decoyHash)
      outcome = isRight && user !== undefined ? 'right' : 'wrong'
      if (user !== undefined && !isRight) noteFailure(user.id, { ip, userAgent })
      if (!isRight || user === undefined) return { type: 'wrong' }
      return user.disabled_at === null ? { type: 'right', user } : { type: 'disabled' }
    } finally {
      await attempt.end(outcome)
    }
  }

  /** Not waited for: an address that somebody has must not take longer than one that nobody has. */
  function noteFailure(userId: number, whence: Whence): void {
    const at = clock.now()
    background.run('a failed sign-in could not be noted', () =>
      noteSecurityEvent(db, { userId, type: 'sign_in_failed', at, whence }),
    )
  }

  /** Begins a session; the value belongs into the browser's cookie and is kept nowhere else. */
  async function beginSession(userId: number, whence: Whence | undefined): Promise<string> {
    const value = secrets.newToken(SESSION_BYTES)
    const now = clock.now()
    await database.transaction(async (trx) => {
      await insertSession(trx, {
        user_id: userId,
        token_hash: secrets.hash(value),
        created_at: now,
        expires_at: now + SESSION_LIFETIME_MS,
        user_agent: whence?.userAgent?.slice(0, USER_AGENT_MAX) ?? null,
        ip_address: whence?.ip ?? null,
      })
      await noteSecurityEvent(trx, { userId, type: 'signed_in', at: now, whence })
    })
    return value
  }

  /** Ends the session of a cookie's value, if there is one, and closes its sockets. `whence`: where its user signed out. */
  async function endSession(value: string | undefined, whence?: Whence): Promise<void> {
    if (value === undefined) return
    const session = await findSessionIdentity(db, secrets.hash(value))
    if (session === undefined) return
    await database.transaction(async (trx) => {
      await deleteSession(trx, session.session_id)
      if (whence === undefined) return
      await noteSecurityEvent(trx, { userId: session.user_id, type: 'signed_out', at: clock.now(), whence })
    })
    publishRevoked(bus, { type: 'session', session_id: session.session_id })
  }

  return { checkPassword, beginSession, endSession }
}
