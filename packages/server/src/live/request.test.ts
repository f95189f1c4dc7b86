import { expect, test } from 'vitest'
import { readFrame } from './request.js'

const frame = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const refused = (code: string) => ({ type: 'refused', error: { code, detail: expect.any(String) } })

test.each([
  { name: 'everything', value: { subscribe: { printers: 'all' } } },
  { name: 'some printers', value: { subscribe: { printers: [1, 2] }, since: 'c' } },
  { name: 'none', value: { subscribe: { printers: [] } } },
  { name: 'what a newer client sends besides', value: { subscribe: { printers: 'all', depth: 3 }, later: true } },
])('understood: $name', ({ value }) => {
  expect(readFrame(frame(value), false)).toEqual({ type: 'request', request: value })
})

test.each([
  { name: 'no request', value: {} },
  { name: 'null', value: null },
  { name: 'another word than all', value: { subscribe: { printers: 'some' } } },
  { name: 'an id that is none', value: { subscribe: { printers: [0] } } },
  { name: 'too many ids', value: { subscribe: { printers: Array<number>(10_001).fill(1) } } },
  { name: 'a cursor of the wrong type', value: { subscribe: { printers: 'all' }, since: 7 } },
])('not understood: $name', ({ value }) => {
  expect(readFrame(frame(value), false)).toEqual(refused('invalid_request'))
})

test.each([
  { name: 'the whole', value: [], detail: /^Invalid input/ },
  { name: 'a part', value: { subscribe: { printers: [0] } }, detail: /^subscribe\.printers\.0: / },
])('what is wrong with $name is told', ({ value, detail }) => {
  expect(readFrame(frame(value), false)).toMatchObject({ error: { detail: expect.stringMatching(detail) } })
})

test('deep nesting is no request, and harmless', () => {
  expect(readFrame(Buffer.from('['.repeat(200_000)), false)).toEqual(refused('malformed_json'))
})

test('bytes are not text', () => {
  expect(readFrame(frame({}), true)).toEqual(refused('malformed_json'))
})

test('what is too large is not even parsed', () => {
  expect(readFrame(Buffer.alloc(1024 * 1024 + 1, '['), false)).toMatchObject({ type: 'close', code: 4413 })
})
