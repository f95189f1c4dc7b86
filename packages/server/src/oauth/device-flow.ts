import { randomInt } from 'node:crypto'
import type { Scope } from '@printwarden/protocol'
import { OAuthError } from '../errors.js'
import type { Clock, Counters, Database } from '../ports.js'
import { AttemptLimiter } from '../limits/attempt-limiter.js'
import { noteSecurityEvent, type Whence } from '../users/security-events-store.js'
import { type Client, clientOf } from './client.js'
import { findClientUse } from './client-store.js'
import {
  countDeviceCodes,
  type DeviceRow,
  decideDeviceCode,
  deleteEndedDeviceCodes,
  findPendingUserCode,
  insertDeviceCode,
} from './device-store.js'
import { TOKEN_BYTES } from './issue-flow.js'
import { plainUserCode, shownUserCode, USER_CODE_LETTERS, USER_CODE_LENGTH } from './user-code.js'

/** How long a person has for walking to a browser. */
const LIFETIME_SECONDS = 900
const INTERVAL_SECONDS = 5

/** Ended codes are kept so long, so that a slow device is told why. */
const MEMORY_MS = 3_600_000

/** Nobody has so many devices waiting at once; more is somebody filling the database. */
export const MAX_WAITING = 1000

export interface DeviceFlowDeps {
  readonly database: Database
  readonly counters: Counters
  readonly clock: Clock
  readonly secrets: { hash(text: string): string; keyedHash(text: string): string; newToken(bytes: number): string }
}

export type DeviceFlow = ReturnType<typeof deviceFlow>

/** A device that waits, and the app that runs on it. */
export interface WaitingDevice {
  readonly device: DeviceRow
  readonly client: Client
}

export type DeviceSearch =
  | { readonly type: 'found'; readonly waiting: WaitingDevice }
  | { readonly type: 'unknown' }
  | { readonly type: 'limited'; readonly retryAfterSeconds: number }

/** Sign-in of devices without a browser (RFC 8628). */
export function deviceFlow({ database, counters, clock, secrets }: DeviceFlowDeps) {
  const { db } = database
  const limiter = new AttemptLimiter({ counters, clock }, 'device code')

  return {
    /** @throws {OAuthError} temporarily_unavailable when far too many wait */
    async begin(client: Client, scopes: readonly Scope[]) {
      const now = clock.now()
      await deleteEndedDeviceCodes(db, now - MEMORY_MS)
      if ((await countDeviceCodes(db, client.id)) >= MAX_WAITING) {
        throw new OAuthError('temporarily_unavailable', false, 'Too many devices of this app wait already.')
      }
      const device_code = secrets.newToken(TOKEN_BYTES)
      for (;;) {
        const code = newUserCode()
        const isAdded = await insertDeviceCode(db, {
          client_id: client.id,
          user_id: null,
          device_code_hash: secrets.hash(device_code),
          user_code_hash: secrets.keyedHash(code),
          scope: scopes.join(' '),
          status: 'pending',
          created_at: now,
          expires_at: now + LIFETIME_SECONDS * 1000,
          interval_seconds: INTERVAL_SECONDS,
          polled_at: null,
        })
        if (!isAdded) continue
        const user_code = shownUserCode(code)
        return { device_code, user_code, expires_in: LIFETIME_SECONDS, interval: INTERVAL_SECONDS }
      }
    },
    /** The device whose code a signed-in user typed. Who guesses is slowed. */
    async find(userId: number, ip: string, typed: string): Promise<DeviceSearch> {
      const attempt = await limiter.begin(`user ${userId}`, ip)
      if (attempt.waitMs > 0) return { type: 'limited', retryAfterSeconds: Math.ceil(attempt.waitMs / 1000) }
      let outcome: 'right' | 'wrong' | 'unknown' = 'unknown'
      try {
        const device = await findPendingUserCode(db, secrets.keyedHash(plainUserCode(typed)), clock.now())
        const row = device === undefined ? undefined : await findClientUse(db, { id: device.client_id }, undefined)
        outcome = row === undefined ? 'wrong' : 'right'
        if (device === undefined || row === undefined) return { type: 'unknown' }
        return { type: 'found', waiting: { device, client: clientOf(row) } }
      } finally {
        await attempt.end(outcome)
      }
    },
    /** Keeps what the user decided; false when the code ran out meanwhile. */
    async decide(
      { device, client }: WaitingDevice,
      userId: number,
      isAllowed: boolean,
      whence?: Whence,
    ): Promise<boolean> {
      const status = isAllowed ? 'approved' : 'denied'
      const at = clock.now()
      const isDecided = await decideDeviceCode(db, device.id, { status, user_id: userId }, at)
      if (isDecided && isAllowed) {
        await noteSecurityEvent(db, { userId, type: 'app_connected', at, whence, subject: client.name })
      }
      return isDecided
    },
  }
}

function newUserCode(): string {
  const letters = Array.from({ length: USER_CODE_LENGTH }, () => USER_CODE_LETTERS[randomInt(USER_CODE_LETTERS.length)])
  return letters.join('')
}
