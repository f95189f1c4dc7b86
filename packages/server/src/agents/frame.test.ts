import { CLOSE_CODES, MAX_MESSAGE_BYTES } from '@printwarden/protocol'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readFrame } from './frame.js'

const FOLDER = new URL('../../../../test/fixtures/messages/', import.meta.url)

const Part = z.union([z.string(), z.object({ repeat: z.string(), times: z.int() })])
const Fixture = z.object({
  name: z.string(),
  message: z.unknown().optional(),
  raw: z.union([z.string(), z.array(Part)]).optional(),
  expect: z
    .object({ error: z.object({ path: z.string().optional() }).optional(), close: z.int().optional() })
    .optional(),
})

function fixtures(kind: 'valid' | 'invalid') {
  const folder = new URL(`${kind}/`, FOLDER)
  return readdirSync(folder).map((file) => {
    const {
      name,
      message,
      raw,
      expect: expected,
    } = Fixture.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8')))
    const parts = raw === undefined ? [JSON.stringify(message)] : [raw].flat()
    const text = parts.map((part) => (typeof part === 'string' ? part : part.repeat.repeat(part.times))).join('')
    return { name, bytes: Buffer.from(text), expected }
  })
}

describe('fixtures of the protocol', () => {
  test.each(fixtures('valid'))('$name is read', ({ bytes }) => {
    expect(readFrame(bytes, false).type).toBe('status')
  })

  test.each(fixtures('invalid'))('$name is not applied', ({ bytes, expected }) => {
    const frame = readFrame(bytes, false)
    if (expected?.close !== undefined) expect(frame).toMatchObject({ type: 'close', code: expected.close })
    else expect(frame).toMatchObject({ type: 'refused', error: { code: 'invalid_message', ...expected?.error } })
  })
})

const id = 'a1b2c3d4-0000-4000-8000-000000000001'
const read = (value: unknown) => readFrame(Buffer.from(JSON.stringify(value)), false)

test.each([
  { name: 'with a result', ack: { id, result: { ok: true } } },
  { name: 'without one', ack: { id } },
  { name: 'with an error', ack: { id, error: { code: 'rejected', detail: 'The host said no.' } } },
])('an acknowledgement $name is read', ({ ack }) => {
  expect(read({ ack })).toEqual({ type: 'command_ack', ack })
})

test.each([
  { name: 'no id', ack: {}, path: 'ack.id' },
  { name: 'an id that is none', ack: { id: '7' }, path: 'ack.id' },
  { name: 'half an error', ack: { id, error: { code: 'x' } }, path: 'ack.error.detail' },
  { name: 'null', ack: null, path: 'ack' },
])('an acknowledgement with $name is refused', ({ ack, path }) => {
  expect(read({ ack })).toMatchObject({ type: 'refused', error: { path } })
})

test('binary frames are no JSON', () => {
  const frame = readFrame(Buffer.from('{"current_print_ts":-1}'), true)
  expect(frame).toMatchObject({ type: 'close', code: CLOSE_CODES.notJson })
})

test('a frame is measured in bytes, not in characters', () => {
  const text = JSON.stringify({ pad: 'é'.repeat(MAX_MESSAGE_BYTES / 2) })
  expect(text.length).toBeLessThan(MAX_MESSAGE_BYTES)
  expect(readFrame(Buffer.from(text), false)).toMatchObject({ type: 'close', code: CLOSE_CODES.tooLarge })
})

describe('the text of a status section', () => {
  const flags = ['operational', 'printing', 'cancelling', 'pausing', 'resuming', 'finishing', 'paused']
  const state = { text: 'Operational', flags: Object.fromEntries(flags.map((name) => [name, name === 'operational'])) }
  const section = JSON.stringify({ _ts: 1, state, note: '"status":{' })
  const readText = (text: string) => readFrame(Buffer.from(text), false)

  test.each([
    { name: 'with a sequence number', before: '"current_print_ts":1795000000,"seq":7,', rest: { seq: 7 } },
    { name: 'without one', before: '"current_print_ts":1795000000,', rest: {} },
  ])('comes with a message as agents write it, $name', ({ before, rest }) => {
    expect(readText(`{${before}"status":${section}}`)).toEqual({
      type: 'status',
      message: { current_print_ts: 1_795_000_000, ...rest, status: JSON.parse(section) },
      text: { text: section },
    })
  })

  test.each([
    { name: 'the status is not last', text: `{"current_print_ts":-1,"status":${section},"seq":7}` },
    { name: 'there are two of them', text: `{"current_print_ts":-1,"status":{"_ts":2},"status":${section}}` },
    { name: 'something stands behind it', text: `{"current_print_ts":-1,"status":${section},"extra":{}}` },
  ])('is left to the reading of the whole where $name', ({ text }) => {
    expect(readText(text)).toEqual({ type: 'status', message: JSON.parse(text) })
  })

  test.each([
    { name: 'a number that is none in JSON', text: `{"current_print_ts":01,"status":${section}}` },
    { name: 'a brace that is missing', text: `{"current_print_ts":-1,"status":${section}` },
    { name: 'a brace too many', text: `{"current_print_ts":-1,"status":${section}}}` },
  ])('$name is no JSON', ({ text }) => {
    expect(readText(text)).toMatchObject({ type: 'close', code: CLOSE_CODES.notJson })
  })
})
