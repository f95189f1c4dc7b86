import { expect, test } from 'vitest'
import { restoreMoment, storeMoment, type Now } from './stored-time.js'

const SET = Date.UTC(2026, 5, 1)
const HOUR = 3_600_000

const now = (change: Partial<Now>): Now => ({ wallMs: SET, monotonicMs: 2 * HOUR, bootId: 'boot-1', ...change })

/** An event an hour and a half after the start of the machine, kept half an hour later, and read again later still. */
test.each<{ name: string; kept: Partial<Now>; read: Partial<Now>; agoMs: number }>([
  { name: 'the agent was restarted', kept: {}, read: { monotonicMs: 3 * HOUR, wallMs: SET + HOUR }, agoMs: 1.5 * HOUR },
  {
    name: 'the clock was set by fifty-six years meanwhile',
    kept: { wallMs: 2 * HOUR },
    read: { monotonicMs: 3 * HOUR },
    agoMs: 1.5 * HOUR,
  },
  { name: 'the clock went back a day meanwhile', kept: {}, read: { wallMs: SET - 24 * HOUR }, agoMs: 0.5 * HOUR },
  {
    name: 'the machine was off for a night',
    kept: {},
    read: { bootId: 'boot-2', monotonicMs: 1000, wallMs: SET + 8 * HOUR },
    agoMs: 8.5 * HOUR,
  },
  {
    name: 'the machine was off and has not heard the time yet',
    kept: {},
    read: { bootId: 'boot-2', monotonicMs: 60_000, wallMs: 60_000 },
    agoMs: 60_000,
  },
  {
    name: 'the machine never knew the time when it was kept',
    kept: { wallMs: 2 * HOUR },
    read: { bootId: 'boot-2', monotonicMs: 60_000 },
    agoMs: 60_000,
  },
  {
    name: 'a machine that does not name its starts goes by its clock',
    kept: { bootId: undefined },
    read: { bootId: undefined, monotonicMs: 5, wallMs: SET + HOUR },
    agoMs: 1.5 * HOUR,
  },
  {
    name: 'a clock that was set back puts nothing into the future',
    kept: { bootId: undefined },
    read: { bootId: undefined, monotonicMs: 5, wallMs: SET - HOUR },
    agoMs: 0,
  },
])('$name', ({ kept, read, agoMs }) => {
  const then = now(kept)
  const { wall_ms, boot_ms } = storeMoment(1.5 * HOUR, then)
  const later = now(read)
  const atMs = restoreMoment({ wallMs: wall_ms, bootMs: boot_ms, bootId: then.bootId }, later)
  expect(later.monotonicMs - atMs).toBe(agoMs)
})
