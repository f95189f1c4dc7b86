import { expect, test } from 'vitest'
import { isUntold, UNTOLD_AFTER_MS, type UntoldFacts } from './untold-pause.js'

const NOW = 1_795_000_000_000
const PAUSED_AT = NOW - UNTOLD_AFTER_MS

const OURS = { initiator: 'system', reason: 'failing', created_at: PAUSED_AT }
const UNTOLD: UntoldFacts = { pause: OURS, auto_paused_at: null, alert_muted_at: null }

test.each<{ name: string; facts: Partial<UntoldFacts>; isUntold: boolean }>([
  { name: 'a pause by the server of which nothing was recorded', facts: {}, isUntold: true },
  { name: 'no pause at all', facts: { pause: undefined }, isUntold: false },
  { name: 'a pause by its user', facts: { pause: { ...OURS, initiator: 'user', reason: null } }, isUntold: false },
  { name: 'a pause for another reason', facts: { pause: { ...OURS, reason: null } }, isUntold: false },
  { name: 'a pause that is recorded', facts: { auto_paused_at: PAUSED_AT + 20 }, isUntold: false },
  {
    name: 'a second pause, where the first one is recorded',
    facts: { auto_paused_at: PAUSED_AT - 60_000 },
    isUntold: true,
  },
  { name: 'one that may be recorded yet', facts: { pause: { ...OURS, created_at: PAUSED_AT + 1 } }, isUntold: false },
  { name: 'a print whose user wants to hear nothing', facts: { alert_muted_at: NOW - 1_000 }, isUntold: false },
])('$name', ({ facts, isUntold: expected }) => {
  expect(isUntold({ ...UNTOLD, ...facts }, NOW)).toBe(expected)
})
