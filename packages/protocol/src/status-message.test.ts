import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CLOSE_CODES, isWithinDepth, MAX_MESSAGE_BYTES, StatusMessage } from './index.js'

const FOLDER = new URL('../../../test/fixtures/messages/', import.meta.url)

const Part = z.union([z.string(), z.strictObject({ repeat: z.string(), times: z.int().positive() })])
const common = { name: z.string(), note: z.string().min(1) }
const content = [
  z.strictObject({ message: z.unknown() }),
  z.strictObject({ raw: z.union([z.string(), z.array(Part)]) }),
]
const Expectation = z.union([
  z.strictObject({ error: z.strictObject({ path: z.string().optional() }) }),
  z.strictObject({ close: z.int() }),
])
const Valid = z.union(content.map((shape) => shape.extend(common)))
const Invalid = z.union(content.map((shape) => shape.extend({ ...common, expect: Expectation })))

function readAll<T extends { name: string }>(kind: 'valid' | 'invalid', schema: z.ZodType<T>): T[] {
  const folder = new URL(`${kind}/`, FOLDER)
  return readdirSync(folder).map((file) => {
    const fixture = schema.parse(JSON.parse(readFileSync(new URL(file, folder), 'utf8')))
    expect(file).toBe(`${fixture.name}.json`)
    return fixture
  })
}

/** The text of the frame. */
function textOf(fixture: z.infer<typeof Valid>): string {
  if (!('raw' in fixture)) return JSON.stringify(fixture.message)
  const parts = Array.isArray(fixture.raw) ? fixture.raw : [fixture.raw]
  return parts.map((part) => (typeof part === 'string' ? part : part.repeat.repeat(part.times))).join('')
}

/** What a reader of the protocol makes of a frame, by the protocol's own rules. */
function read(text: string): { message: StatusMessage } | z.infer<typeof Expectation> {
  if (Buffer.byteLength(text) > MAX_MESSAGE_BYTES) return { close: CLOSE_CODES.tooLarge }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { close: CLOSE_CODES.notJson }
  }
  if (!isWithinDepth(value)) return { error: {} }
  const parsed = StatusMessage.safeParse(value)
  if (parsed.success) return { message: parsed.data }
  return { error: { path: parsed.error.issues[0]?.path.join('.') ?? '' } }
}

describe('messages that must be accepted', () => {
  const fixtures = readAll('valid', Valid)

  test('there are enough', () => expect(fixtures.length).toBeGreaterThanOrEqual(40))

  test.each(fixtures)('$name: $note', (fixture) => {
    const text = textOf(fixture)
    const result = read(text)
    expect(result).toHaveProperty('message')
    // Nothing is dropped and nothing is made up: unknown fields pass through.
    const plain = JSON.stringify(JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value)))
    if ('message' in result) expect(JSON.parse(JSON.stringify(result.message))).toEqual(JSON.parse(plain))
  })
})

describe('messages that must be refused', () => {
  const fixtures = readAll('invalid', Invalid)

  test('there are enough', () => expect(fixtures.length).toBeGreaterThanOrEqual(40))

  test.each(fixtures)('$name: $note', (fixture) => {
    expect(read(textOf(fixture))).toMatchObject(fixture.expect)
  })
})

test('a message cannot reach the prototype of objects', () => {
  const text = '{"current_print_ts":-1,"__proto__":{"admin":true}}'
  StatusMessage.safeParse(JSON.parse(text))
  expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false)
})

test('depth counts objects and lists, not texts and numbers', () => {
  expect(isWithinDepth({ a: [1] }, 2)).toBe(true)
  expect(isWithinDepth({ a: [[]] }, 2)).toBe(false)
  expect(isWithinDepth('[[[', 0)).toBe(true)
})
