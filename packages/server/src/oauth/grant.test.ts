import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  type CodeExchange,
  type CodeGrant,
  type CodeOutcome,
  codeState,
  type DeviceOutcome,
  type DeviceState,
  exchangeCode,
  isVerified,
  pollDevice,
  type RefreshOutcome,
  type RefreshState,
  useRefreshToken,
} from './grant.js'

const NOW = 1_800_000_000_000
const URI = 'https://app.example/cb'
const VERIFIER = 'v'.repeat(43)
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url')

const grant = (changes: Partial<CodeGrant> = {}): CodeGrant => ({
  ...{ client_id: 7, redirect_uri: URI, code_challenge: null, code_used_at: null, revoked_at: null },
  code_expires_at: NOW + 60_000,
  ...changes,
})
const sent = (changes: Partial<CodeExchange> = {}): CodeExchange => ({
  ...{ clientId: 7, redirectUri: URI, codeVerifier: undefined },
  ...changes,
})

test.each<{ name: string; from: CodeGrant; exchange: CodeExchange; outcome: CodeOutcome }>([
  { name: 'a fresh code', from: grant(), exchange: sent(), outcome: 'issue' },
  { name: 'in its last moment', from: grant({ code_expires_at: NOW + 1 }), exchange: sent(), outcome: 'issue' },
  { name: 'an expired code', from: grant({ code_expires_at: NOW }), exchange: sent(), outcome: 'ignore' },
  { name: 'a used code', from: grant({ code_used_at: NOW - 1 }), exchange: sent(), outcome: 'revoke' },
  {
    name: 'a used code, long after it would have expired',
    from: grant({ code_used_at: NOW - 9e9, code_expires_at: NOW - 8e9 }),
    exchange: sent(),
    outcome: 'revoke',
  },
  { name: 'a revoked grant', from: grant({ revoked_at: NOW }), exchange: sent(), outcome: 'ignore' },
  { name: "another client's code", from: grant(), exchange: sent({ clientId: 8 }), outcome: 'ignore' },
  {
    name: "another client's used code",
    from: grant({ code_used_at: NOW }),
    exchange: sent({ clientId: 8 }),
    outcome: 'ignore',
  },
  { name: 'another redirect URI', from: grant(), exchange: sent({ redirectUri: `${URI}/` }), outcome: 'refuse' },
  {
    name: 'the right verifier',
    from: grant({ code_challenge: CHALLENGE }),
    exchange: sent({ codeVerifier: VERIFIER }),
    outcome: 'issue',
  },
  {
    name: 'a wrong verifier uses the code up',
    from: grant({ code_challenge: CHALLENGE }),
    exchange: sent({ codeVerifier: 'w'.repeat(43) }),
    outcome: 'refuse',
  },
  { name: 'no verifier', from: grant({ code_challenge: CHALLENGE }), exchange: sent(), outcome: 'refuse' },
  {
    name: 'a verifier without a challenge',
    from: grant(),
    exchange: sent({ codeVerifier: VERIFIER }),
    outcome: 'refuse',
  },
])('code: $name: $outcome', ({ from, exchange, outcome }) => {
  expect(exchangeCode(from, exchange, NOW)).toBe(outcome)
})

test.each([
  { from: grant(), state: 'issued' },
  { from: grant({ code_used_at: NOW }), state: 'used' },
  { from: grant({ code_expires_at: NOW }), state: 'expired' },
  { from: grant({ code_expires_at: null }), state: 'expired' },
  { from: grant({ code_used_at: NOW, revoked_at: NOW }), state: 'revoked' },
])('a code that is $state', ({ from, state }) => {
  expect(codeState(from, NOW)).toBe(state)
})

test.each([
  { name: 'the example of RFC 7636, appendix B', verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', ok: true },
  { name: 'the challenge itself', verifier: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', ok: false },
  { name: 'too short', verifier: 'dBjftJeZ4CVP', ok: false },
  { name: 'too long', verifier: 'd'.repeat(129), ok: false },
  { name: 'other characters', verifier: `${'d'.repeat(42)} `, ok: false },
])('a verifier: $name', ({ verifier, ok }) => {
  expect(isVerified('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', verifier)).toBe(ok)
})

const refresh = (changes: Partial<RefreshState> = {}): RefreshState => ({
  ...{ rotated_at: null, retried_at: null, revoked_at: null, isGrantRevoked: false, isChildRotated: false },
  ...changes,
})

test.each<{ name: string; from: RefreshState; outcome: RefreshOutcome }>([
  { name: 'the newest one', from: refresh(), outcome: 'rotate' },
  { name: 'again right away: the answer was lost', from: refresh({ rotated_at: NOW }), outcome: 'retry' },
  { name: 'again at the end of the grace', from: refresh({ rotated_at: NOW - 30_000 }), outcome: 'retry' },
  { name: 'again after the grace', from: refresh({ rotated_at: NOW - 30_001 }), outcome: 'revoke' },
  { name: 'a third time', from: refresh({ rotated_at: NOW, retried_at: NOW }), outcome: 'revoke' },
  {
    name: 'again, although its successor was used',
    from: refresh({ rotated_at: NOW, isChildRotated: true }),
    outcome: 'revoke',
  },
  { name: 'the unused one of a retried pair', from: refresh({ revoked_at: NOW }), outcome: 'revoke' },
  { name: 'of a revoked family', from: refresh({ isGrantRevoked: true, revoked_at: NOW }), outcome: 'ignore' },
])('refresh: $name: $outcome', ({ from, outcome }) => {
  expect(useRefreshToken(from, NOW)).toBe(outcome)
})

const device = (changes: Partial<DeviceState> = {}): DeviceState => ({
  ...{ status: 'pending', expires_at: NOW + 1000, polled_at: null, interval_seconds: 5 },
  ...changes,
})

test.each<{ name: string; from: DeviceState; outcome: DeviceOutcome }>([
  { name: 'asks for the first time', from: device(), outcome: 'authorization_pending' },
  { name: 'asks in time', from: device({ polled_at: NOW - 5000 }), outcome: 'authorization_pending' },
  {
    name: 'has a timer that is a little fast',
    from: device({ polled_at: NOW - 4500 }),
    outcome: 'authorization_pending',
  },
  { name: 'asks too soon', from: device({ polled_at: NOW - 4499 }), outcome: 'slow_down' },
  { name: 'was let in', from: device({ status: 'approved', polled_at: NOW }), outcome: 'issue' },
  { name: 'was let in too late', from: device({ status: 'approved', expires_at: NOW }), outcome: 'expired_token' },
  { name: 'was refused', from: device({ status: 'denied' }), outcome: 'access_denied' },
  { name: 'waited too long', from: device({ expires_at: NOW }), outcome: 'expired_token' },
  { name: 'was let in before', from: device({ status: 'used' }), outcome: 'invalid_grant' },
])('a device that $name: $outcome', ({ from, outcome }) => {
  expect(pollDevice(from, NOW)).toBe(outcome)
})
