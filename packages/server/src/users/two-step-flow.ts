import type { Clock, Counters, Database } from '../ports.js'
import { AttemptLimiter, CODE_LIMITS } from '../limits/attempt-limiter.js'
import { plainRecoveryCode, shownRecoveryCode, stepOfCode } from './one-time-code.js'
import { noteSecurityEvent, type Whence } from './security-events-store.js'
import type { UserRow } from './store.js'
import {
  confirmSecret,
  keepUnprovenSecret,
  removeSecret,
  replaceRecoveryCodes,
  takeRecoveryCode,
  takeStep,
} from './two-step-store.js'

/** 160 bits, as RFC 4226 recommends. */
const SECRET_BYTES = 20

const RECOVERY_CODES = 10
const RECOVERY_CODE_BYTES = 6

/** How long the second step may be waited for. */
const STEP_LIFETIME_MS = 10 * 60_000

export interface TwoStepFlowDeps {
  readonly database: Database
  readonly counters: Counters
  readonly clock: Clock
  readonly secrets: {
    newToken(bytes: number): string
    encrypt(text: string): string
    decrypt(encrypted: string): string
    keyedHash(text: string): string
    sign(text: string): string
    verify(text: string, signature: string): boolean
  }
}

/** What came of a code. */
export type CodeCheck =
  | { readonly type: 'right' }
  | { readonly type: 'wrong' }
  | { readonly type: 'limited'; readonly retryAfterSeconds: number }

/** Sign-in in two steps: by an authenticator's codes (RFC 6238), or by recovery codes. */
export function twoStepFlow({ database, counters, clock, secrets }: TwoStepFlowDeps) {
  const { db } = database
  const limiter = new AttemptLimiter({ counters, clock }, 'code', CODE_LIMITS)

  /** Runs one guess under the limits of codes. */
  async function guess(userId: number, whence: Whence, isRight: () => Promise<boolean>): Promise<CodeCheck> {
    const attempt = await limiter.begin(`user ${userId}`, whence.ip ?? '')
    if (attempt.waitMs > 0) return { type: 'limited', retryAfterSeconds: Math.ceil(attempt.waitMs / 1000) }
    let outcome: 'right' | 'wrong' | 'unknown' = 'unknown'
    try {
      outcome = (await isRight()) ? 'right' : 'wrong'
      return { type: outcome }
    } finally {
      await attempt.end(outcome)
    }
  }

  /** Whether the code lets its user in. Each code does so once. */
  async function takeCode(user: UserRow, code: string, whence: Whence): Promise<boolean> {
    const now = clock.now()
    const userId = user.id
    const recovery = plainRecoveryCode(code)
    if (recovery !== undefined) {
      return database.transaction(async (trx) => {
        if (!(await takeRecoveryCode(trx, userId, hashOf(userId, recovery), now))) return false
        await noteSecurityEvent(trx, { userId, type: 'recovery_code_used', at: now, whence })
        return true
      })
    }
    if (user.totp_secret_encrypted === null) return false
    const step = stepOfCode(secrets.decrypt(user.totp_secret_encrypted), code, now)
    return step !== undefined && (await takeStep(db, userId, step))
  }

  const hashOf = (userId: number, plain: string): string => secrets.keyedHash(`recovery code ${userId} ${plain}`)

  function newRecoveryCodes(userId: number) {
    const codes = Array.from({ length: RECOVERY_CODES }, () => secrets.newToken(RECOVERY_CODE_BYTES))
    return { shown: codes.map(shownRecoveryCode), hashes: codes.map((code) => hashOf(userId, code)) }
  }

  /** Signs what the second step must find unchanged: a new password or another authenticator ends the wait. */
  const signed = (user: UserRow, until: number): string =>
    `second step ${user.id} ${until} ${user.totp_confirmed_at ?? 0} ${user.password_hash}`

  return {
    hasTwoSteps: (user: UserRow): boolean => user.totp_confirmed_at !== null,

    /** What the browser holds between the two steps. */
    issueStep(user: UserRow): string {
      const until = clock.now() + STEP_LIFETIME_MS
      return `${user.id}.${until}.${secrets.sign(signed(user, until))}`
    },
    /** Whose second step it is, unverified. */
    userIdOfStep(step: string): number | undefined {
      const id = Number(/^([1-9]\d{0,15})\./.exec(step)?.[1])
      return Number.isSafeInteger(id) ? id : undefined
    },
    isStepOf(user: UserRow, step: string): boolean {
      const [, until = '', signature = ''] = step.split('.')
      const isTimely = /^\d{1,15}$/.test(until) && Number(until) > clock.now()
      return isTimely && user.disabled_at === null && secrets.verify(signed(user, Number(until)), signature)
    },

    /** Checks a code of the authenticator, or a recovery code. */
    async checkCode(user: UserRow, code: string, whence: Whence): Promise<CodeCheck> {
      const check = await guess(user.id, whence, () => takeCode(user, code, whence))
      if (check.type === 'wrong') {
        await noteSecurityEvent(db, { userId: user.id, type: 'second_step_failed', at: clock.now(), whence })
      }
      return check
    },

    /** A new secret, which does not count until a code proves that the user has it; undefined when one counts already. */
    async begin(userId: number): Promise<string | undefined> {
      const secret = secrets.newToken(SECRET_BYTES)
      return (await keepUnprovenSecret(db, userId, secrets.encrypt(secret))) ? secret : undefined
    },
    /** The secret that waits for its proof. */
    unprovenSecret({ totp_secret_encrypted, totp_confirmed_at }: UserRow): string | undefined {
      if (totp_secret_encrypted === null || totp_confirmed_at !== null) return undefined
      return secrets.decrypt(totp_secret_encrypted)
    },
    /** Makes the secret count; hands out the recovery codes, which are shown only now. */
    async confirm(
      user: UserRow,
      code: string,
      whence: Whence,
    ): Promise<Exclude<CodeCheck, { type: 'right' }> | { type: 'done'; codes: readonly string[] }> {
      const encrypted = user.totp_secret_encrypted
      const { shown, hashes } = newRecoveryCodes(user.id)
      const check = await guess(user.id, whence, async () => {
        const now = clock.now()
        const step = encrypted === null ? undefined : stepOfCode(secrets.decrypt(encrypted), code, now)
        if (encrypted === null || step === undefined) return false
        return database.transaction(async (trx) => {
          if (!(await confirmSecret(trx, user.id, { encrypted, step, now }))) return false
          await replaceRecoveryCodes(trx, user.id, hashes)
          await noteSecurityEvent(trx, { userId: user.id, type: 'two_step_enabled', at: now, whence })
          return true
        })
      })
      return check.type === 'right' ? { type: 'done', codes: shown } : check
    },
    /** Ten new recovery codes; those before them end. */
    async renewCodes(userId: number, whence: Whence): Promise<readonly string[]> {
      const { shown, hashes } = newRecoveryCodes(userId)
      await database.transaction(async (trx) => {
        await replaceRecoveryCodes(trx, userId, hashes)
        await noteSecurityEvent(trx, { userId, type: 'recovery_codes_renewed', at: clock.now(), whence })
      })
      return shown
    },
    /** Back to the password alone. */
    async remove(userId: number, whence: Whence | undefined): Promise<void> {
      await database.transaction(async (trx) => {
        if (!(await removeSecret(trx, userId))) return
        await noteSecurityEvent(trx, { userId, type: 'two_step_disabled', at: clock.now(), whence })
      })
    },
  }
}

export type TwoStepFlow = ReturnType<typeof twoStepFlow>
