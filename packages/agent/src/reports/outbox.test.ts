import { StatusMessage, type PrinterStatus } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { stateOfPhase } from '../tracking/host-state.js'
import { acknowledge, addEvent, eventMessage, type Outbox, type UnsentEvent } from './outbox.js'

const status: PrinterStatus = { _ts: 1, state: stateOfPhase('printing') }
const event = (id: string, atMs = 0): UnsentEvent => ({ id, type: 'PrintStarted', printTs: 7, atMs, status })
const ids = (outbox: Outbox) => outbox.map(({ id }) => id).join('')
const abc = ['a', 'b', 'c'].map((id) => event(id))

test('events stay in order', () => {
  expect(ids(addEvent(abc, event('d')))).toBe('abcd')
})

test('a full outbox lets go of its oldest event', () => {
  expect(ids(addEvent(abc, event('d'), 3))).toBe('bcd')
})

test.each([
  { name: 'one', acked: ['b'], left: 'ac' },
  { name: 'several, in any order', acked: ['c', 'a'], left: 'b' },
  { name: 'unknown and repeated ids', acked: ['x', 'b', 'b'], left: 'ac' },
  { name: 'none', acked: [], left: 'abc' },
])('acknowledging $name', ({ acked, left }) => {
  expect(ids(acknowledge(abc, acked))).toBe(left)
})

test('an acknowledgement of nothing we hold leaves the outbox untouched, so that nothing is written', () => {
  expect(acknowledge(abc, ['x'])).toBe(abc)
})

test('the age counts from the event, and never below zero', () => {
  expect(eventMessage(event('a', 1000), 61_000.4).event).toEqual({
    event_type: 'PrintStarted',
    id: 'a',
    age_ms: 60_000,
  })
  expect(eventMessage(event('a', 1000), 0).event?.age_ms).toBe(0)
})

test('the message is a valid status message', () => {
  const message = eventMessage(event('0b5bbc2a-9d5c-4b1e-8f0e-4d1f5f1f3b1a'), 5)
  expect(StatusMessage.safeParse(message).error).toBeUndefined()
})
