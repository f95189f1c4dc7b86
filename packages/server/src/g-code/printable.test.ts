import { flagsOf, type PrinterStatus, type StateText } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { refusalOf } from './printable.js'

const status = (text: StateText): PrinterStatus => ({ _ts: 1, state: { text, flags: flagsOf(text) } })
const ready = { hasBytes: true, isArchived: false, hasPrint: false, status: status('Operational') }
const broken = {
  ...status('Operational'),
  state: { text: 'Operational' as const, flags: { ...flagsOf('Operational'), operational: false } },
}

test.each([
  { name: 'a printer that waits', situation: ready, refusal: undefined },
  { name: 'a file on a printer', situation: { ...ready, hasBytes: false }, refusal: 'not_stored' },
  { name: 'an archived printer', situation: { ...ready, isArchived: true }, refusal: 'archived' },
  { name: 'no agent', situation: { ...ready, status: null }, refusal: 'offline' },
  { name: 'no host', situation: { ...ready, status: status('Offline') }, refusal: 'offline' },
  { name: 'a print that is recorded', situation: { ...ready, hasPrint: true }, refusal: 'busy' },
  { name: 'a print that is shown', situation: { ...ready, status: status('Printing') }, refusal: 'busy' },
  { name: 'a pause', situation: { ...ready, status: status('Paused') }, refusal: 'busy' },
  { name: 'another download', situation: { ...ready, status: status('G-Code Downloading') }, refusal: 'busy' },
  { name: 'a printer in error', situation: { ...ready, status: broken }, refusal: 'not_ready' },
])('$name: $refusal', ({ situation, refusal }) => {
  expect(refusalOf(situation)).toBe(refusal)
})
