import { expect, test } from 'vitest'
import { mergeLive, readLiveMessage } from './live-messages.js'
import type { Printer } from './resources.js'

const printer = (id: number, fields: Partial<Printer> = {}): Printer =>
  ({ id, name: `Printer ${id}`, status: null, normalized_p: 0, ...fields }) as Printer

const mapOf = (...printers: Printer[]): ReadonlyMap<number, Printer> => new Map(printers.map((one) => [one.id, one]))

test.each([
  {
    name: 'a state replaces everything',
    from: mapOf(printer(1)),
    message: { state: { cursor: 'c', printers: [printer(2)] } },
    to: mapOf(printer(2)),
  },
  {
    name: 'a change replaces the fields it names',
    from: mapOf(printer(1), printer(2)),
    message: { printer: { cursor: 'c', id: 2, changes: { normalized_p: 0.4 } } },
    to: mapOf(printer(1), printer(2, { normalized_p: 0.4 })),
  },
  {
    name: 'a printer that comes whole is added',
    from: mapOf(printer(1)),
    message: { printer: { cursor: 'c', id: 3, changes: printer(3) } },
    to: mapOf(printer(1), printer(3)),
  },
  {
    name: 'a change of an unknown printer cannot be merged',
    from: mapOf(printer(1)),
    message: { printer: { cursor: 'c', id: 3, changes: { normalized_p: 1 } } },
    to: undefined,
  },
  {
    name: 'a removal removes',
    from: mapOf(printer(1), printer(2)),
    message: { removed: { cursor: 'c', id: 1 } },
    to: mapOf(printer(2)),
  },
])('$name', ({ from, message, to }) => {
  expect(mergeLive(from, message)).toEqual(to)
})

test.each([
  { name: 'the removal of an unknown printer', message: { removed: { cursor: 'c', id: 9 } } },
  { name: 'an error', message: { error: { code: 'invalid_request', detail: 'what?' } } },
])('$name leaves the very same map', ({ message }) => {
  const from = mapOf(printer(1))
  expect(mergeLive(from, message)).toBe(from)
})

test('a change leaves the old map as it was', () => {
  const from = mapOf(printer(1))
  mergeLive(from, { printer: { cursor: 'c', id: 1, changes: { name: 'New' } } })
  expect(from.get(1)?.name).toBe('Printer 1')
})

test.each([
  { name: 'no JSON', text: '{' },
  { name: 'a list', text: '[]' },
  { name: 'a kind of message that is not known yet', text: '{"weather":{"sunny":true}}' },
  { name: 'a known key with nothing in it', text: '{"state":null}' },
])('$name is passed over', ({ text }) => {
  expect(readLiveMessage(text)).toBeUndefined()
})

test('a known message is read', () => {
  expect(readLiveMessage('{"removed":{"cursor":"7","id":1}}')).toEqual({ removed: { cursor: '7', id: 1 } })
})
