import { expect, test } from 'vitest'
import { isPresent, isRefreshDue } from './presence.js'
import { mayConcern, type SeatCredential } from './seat.js'

const seat = (by: SeatCredential) => ({ printer_id: 7, user_id: 1, by })
const session = seat({ type: 'session', session_id: 5 })
const token = seat({ type: 'auth_token' })
const share = seat({ type: 'share', share_id: 3 })

test.each([
  { name: 'the session', at: session, notice: { type: 'session', session_id: 5 }, concerned: true },
  { name: 'another session', at: session, notice: { type: 'session', session_id: 6 }, concerned: false },
  { name: 'a session, at a token', at: token, notice: { type: 'session', session_id: 5 }, concerned: false },
  { name: 'the printer', at: token, notice: { type: 'printer', printer_id: 7 }, concerned: true },
  { name: 'the printer, at a share', at: share, notice: { type: 'printer', printer_id: 7 }, concerned: true },
  { name: 'another printer', at: token, notice: { type: 'printer', printer_id: 8 }, concerned: false },
  { name: 'the owner', at: share, notice: { type: 'user', user_id: 1 }, concerned: true },
  { name: 'somebody else', at: share, notice: { type: 'user', user_id: 2 }, concerned: false },
  { name: 'the share', at: share, notice: { type: 'share', share_id: 3 }, concerned: true },
  { name: 'another share', at: share, notice: { type: 'share', share_id: 4 }, concerned: false },
  { name: 'a share, at a session', at: session, notice: { type: 'share', share_id: 3 }, concerned: false },
  { name: 'an access token', at: session, notice: { type: 'token', token_id: 5 }, concerned: false },
] as const)('$name ended: $concerned', ({ at, notice, concerned }) => {
  expect(mayConcern(at, notice)).toBe(concerned)
})

test.each([
  { silentMs: 0, present: true },
  { silentMs: 119_999, present: true },
  { silentMs: 120_000, present: false },
])('silent for $silentMs ms: $present', ({ silentMs, present }) => {
  expect(isPresent(1_000_000, 1_000_000 + silentMs)).toBe(present)
})

test.each([
  { ageMs: 45_000, due: false },
  { ageMs: 45_001, due: true },
])('told $ageMs ms ago: $due', ({ ageMs, due }) => {
  expect(isRefreshDue(1_000_000, 1_000_000 + ageMs)).toBe(due)
})
