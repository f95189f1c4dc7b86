import type { Bus, Clock, Database } from '../ports.js'
import { AttemptLimiter } from './attempt-limiter.js'
import { hashPassword, isPassword } from './passwords-flow.js'
import { publishRevoked } from './revoked.js'
import { SESSION_LIFETIME_MS } from './session-life.js'
import { deleteSession, findSessionIdentity, findUserByEmail, insertSession, type UserRow } from './store.js'

/** 256 bits: nobody guesses a session. */
const SESSION_BYTES = 32

const USER_AGENT_MAX = 300

export interface SignInFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly secrets: { hash(text: string): string; newToken(bytes: number): string }
}

/** What came of an e-mail address and a password. */
export type PasswordCheck =
  | { readonly type: 'right'; readonly user: UserRow }
  | { readonly type: 'wrong' }
  | { readonly type: 'disabled' }
  | { readonly type: 'limited'; readonly retryAfterSeconds: number }

/** Signing in and out. */
export async function signInFlow({ database, bus, clock, secrets }: SignInFlowDeps) {
  const { db } = database
  const limiter = new AttemptLimiter()
  // An address that nobody has must cost the same time as a wrong password.
  const decoyHash = await hashPassword(secrets.newToken(SESSION_BYTES))

  /** Checks a password, for the sign-in page and for programs alike, and slows those who guess. */
  async function checkPassword(email: string, password: string, ip: string): Promise<PasswordCheck> {
    const attempt = limiter.begin(email, ip, clock.now())
    if (attempt.waitMs > 0) return { type: 'limited', retryAfterSeconds: Math.ceil(attempt.waitMs / 1000) }
    let outcome: 'wrong' | 'right' | 'unknown' = 'unknown'
    try {
      const user = await findUserByEmail(db, email.trim())
      const isRight = await isPassword(password, user?.password_hash ?? decoyHash)
      outcome = isRight && user !== undefined ? 'right' : 'wrong'
      if (!isRight || user === undefined) return { type: 'wrong' }
      return user.disabled_at === null ? { type: 'right', user } : { type: 'disabled' }
    } finally {
      attempt.end(outcome, clock.now())
    }
  }

  /** Begins a session; the value belongs into the browser's cookie and is kept nowhere else. */
  async function beginSession(userId: number, userAgent: string | undefined): Promise<string> {
    const value = secrets.newToken(SESSION_BYTES)
    const now = clock.now()
    await insertSession(db, {
      user_id: userId,
      token_hash: secrets.hash(value),
      created_at: now,
      expires_at: now + SESSION_LIFETIME_MS,
      user_agent: userAgent?.slice(0, USER_AGENT_MAX) ?? null,
    })
    return value
  }

  /** Ends the session of a cookie's value, if there is one, and closes its sockets. */
  async function endSession(value: string | undefined): Promise<void> {
    if (value === undefined) return
    const session = await findSessionIdentity(db, secrets.hash(value))
    if (session === undefined) return
    await deleteSession(db, session.session_id)
    publishRevoked(bus, { type: 'session', session_id: session.session_id })
  }

  return { checkPassword, beginSession, endSession }
}
