import { flagsOf, type PrinterStatus, type StateText } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { notWatchingCode, PIC_MISSING_AFTER_MS, shouldWatch, type WatchingFacts } from './watching.js'

const NOW = 1_795_251_649_000

const status = (text: StateText): PrinterStatus => ({ _ts: NOW / 1000, state: { text, flags: flagsOf(text) } })

/** A printer that is watched, but for what the row says. */
const facts = (changes: Partial<WatchingFacts> = {}): WatchingFacts => ({
  printer: { watching_enabled: 1 },
  print: { alert_muted_at: null },
  status: status('Printing'),
  pic: { ts: NOW / 1000 - 10 },
  detectorReady: true,
  ...changes,
})

const disabled = { printer: { watching_enabled: 0 } }
const muted = { print: { alert_muted_at: NOW } }

test.each([
  { name: 'all is well', changes: {}, code: null },
  { name: 'turned off', changes: disabled, code: 'disabled' },
  { name: 'turned off comes before everything else', changes: { ...disabled, status: null }, code: 'disabled' },
  { name: 'no detector', changes: { detectorReady: false }, code: 'detector_unavailable' },
  { name: 'no status', changes: { status: null, pic: null }, code: 'offline' },
  { name: 'the agent has lost the printer', changes: { status: status('Offline') }, code: 'offline' },
  { name: 'idle', changes: { status: status('Operational'), print: null }, code: 'not_printing' },
  { name: 'paused, though muted', changes: { status: status('Paused'), ...muted }, code: 'not_printing' },
  { name: 'printing what we know no print of', changes: { print: null }, code: 'not_printing' },
  { name: 'muted', changes: muted, code: 'muted' },
  { name: 'no picture yet', changes: { pic: null }, code: 'no_picture' },
  { name: 'an old picture', changes: { pic: { ts: (NOW - PIC_MISSING_AFTER_MS - 1) / 1000 } }, code: 'no_picture' },
  { name: 'a picture just young enough', changes: { pic: { ts: (NOW - PIC_MISSING_AFTER_MS) / 1000 } }, code: null },
  { name: 'a picture from a clock ahead of ours', changes: { pic: { ts: NOW / 1000 + 600 } }, code: null },
])('$name', ({ changes, code }) => {
  expect(notWatchingCode(facts(changes), NOW)).toBe(code)
})

test.each([
  { name: 'a running print', changes: {}, told: true },
  { name: 'turned off', changes: disabled, told: false },
  { name: 'muted', changes: muted, told: false },
  { name: 'no print', changes: { print: null }, told: false },
])('the agent is told to send pictures often: $name', ({ changes, told }) => {
  expect(shouldWatch(facts(changes))).toBe(told)
})
