import { describe, expect, test } from 'vitest'
import { ApiError } from '../errors.js'
import { EventFields, PicFields, readFields, requiredFile } from './form.js'

const pic = (fields: Record<string, string>) => readFields(PicFields, new Map(Object.entries(fields)))
const event = (fields: Record<string, string>) => readFields(EventFields, new Map(Object.entries(fields)))

/** The parts that are named as wrong. */
function wrong(read: () => unknown): string[] | undefined {
  try {
    read()
  } catch (err) {
    if (err instanceof ApiError && err.code === 'invalid_request') return err.issues?.map(({ path }) => path)
    throw err
  }
  return undefined
}

test('a picture alone is of the primary camera, and taken now', () => {
  const fields = {
    frame_age_ms: 0,
    pics_to_come: 0,
    is_primary_camera: true,
    is_nozzle_camera: false,
    camera_name: '',
    viewing_boost: false,
    age_ms: 0,
  }
  expect(pic({})).toEqual(fields)
})

describe('booleans as text', () => {
  test.each([
    { text: 'true', expected: true },
    { text: 'True', expected: true },
    { text: 'TRUE', expected: true },
    { text: '1', expected: true },
    { text: 'false', expected: false },
    { text: 'False', expected: false },
    { text: '0', expected: false },
    { text: '', expected: false },
  ])('"$text"', ({ text, expected }) => expect(pic({ viewing_boost: text }).viewing_boost).toBe(expected))

  test('an empty one is as good as none', () => expect(pic({ is_primary_camera: '' }).is_primary_camera).toBe(true))
})

test.each([
  { name: 'a boolean that is none', fields: { is_primary_camera: 'perhaps' }, paths: ['is_primary_camera'] },
  { name: 'an age in the future', fields: { age_ms: '-5' }, paths: ['age_ms'] },
  { name: 'an age that is no number', fields: { age_ms: 'NaN' }, paths: ['age_ms'] },
  { name: 'an age of a day', fields: { age_ms: '86400000' }, paths: ['age_ms'] },
  { name: 'an age beyond numbers', fields: { age_ms: '1e999' }, paths: ['age_ms'] },
  { name: 'two at once', fields: { age_ms: 'x', viewing_boost: 'y' }, paths: ['viewing_boost', 'age_ms'] },
])('$name is refused', ({ fields, paths }) => {
  expect(wrong(() => pic(fields))).toEqual(paths)
})

test.each(['0', '1500', '1500.25', ''])('an age of "%s" is fine', (age_ms) => {
  expect(pic({ age_ms }).age_ms).toBe(Number(age_ms))
})

const needed = {
  event_type: 'PRINTER_ERROR',
  event_class: 'ERROR',
  event_title: 'Jam',
  event_text: 'The filament is stuck.',
}

test('an event is read', () => {
  expect(event({ ...needed, notify: 't', info_url: 'https://example.org/jam' })).toEqual({
    ...needed,
    age_ms: 0,
    notify: true,
    info_url: 'https://example.org/jam',
  })
  expect(event({ ...needed, info_url: '' }).info_url).toBeUndefined()
})

test.each([
  { name: 'nothing', fields: {}, paths: ['event_type', 'event_class', 'event_title', 'event_text'] },
  { name: 'an unknown type', fields: { ...needed, event_type: 'EXPLODED' }, paths: ['event_type'] },
  { name: 'an unknown class', fields: { ...needed, event_class: 'error' }, paths: ['event_class'] },
  { name: 'a script for an address', fields: { ...needed, info_url: 'javascript:alert(1)' }, paths: ['info_url'] },
])('an event with $name is refused', ({ fields, paths }) => {
  expect(wrong(() => event(fields as Record<string, string>))).toEqual(paths)
})

test('texts fit their columns', () => {
  const { event_title, event_text } = event({
    ...needed,
    event_title: `\0${'a'.repeat(999)}`,
    event_text: 'b'.repeat(9999),
  })
  expect(event_title).toBe('a'.repeat(256))
  expect(event_text).toHaveLength(4000)
})

test('a missing file is named', () => {
  expect(wrong(() => requiredFile(undefined, 'pic'))).toEqual(['pic'])
  expect(requiredFile(Buffer.from('x'), 'pic').toString()).toBe('x')
})
