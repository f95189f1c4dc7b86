import { Binary, Code, Double, Long, MaxKey, ObjectId, serialize, Timestamp } from 'bson'
import { describe, expect, test } from 'vitest'
import { decodeFrame } from './decoding.js'

const bson = (value: object): Buffer => Buffer.from(serialize(value))

/** A document with one field, by hand: type, name, content. */
function document(type: number, name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), content, Buffer.from([0])])
  const length = Buffer.alloc(4)
  length.writeInt32LE(body.length + 4)
  return Buffer.concat([length, body])
}

function nested(depth: number): Buffer {
  let inner: Buffer = Buffer.from([5, 0, 0, 0, 0])
  for (let level = 0; level < depth; level += 1) inner = document(3, 'a', inner)
  return inner
}

test('text is JSON', () => {
  expect(decodeFrame(Buffer.from('{"a":[1,null]}'), false)).toEqual({ a: [1, null] })
  expect(decodeFrame(Buffer.from('{"a":'), false)).toBeUndefined()
  expect(decodeFrame(bson({ a: 1 }), false)).toBeUndefined()
})

test('bytes are BSON, with what JSON has', () => {
  const value = { text: 'å', yes: true, whole: 7, part: 0.5, nothing: null, list: [1, { a: 'b' }] }
  expect(decodeFrame(bson(value), true)).toEqual(value)
  expect(decodeFrame(bson({ a: Long.fromNumber(2 ** 40), b: new Double(1) }), true)).toEqual({ a: 2 ** 40, b: 1 })
})

test.each([
  { name: 'bytes', value: new Binary(Buffer.from('abc')) },
  { name: 'a date', value: new Date(0) },
  { name: 'an object id', value: new ObjectId() },
  { name: 'code', value: new Code('process.exit(1)', { a: 1 }) },
  { name: 'a regular expression', value: /(a+)+$/ },
  { name: 'a time stamp', value: Timestamp.fromNumber(1) },
  { name: 'the largest key', value: new MaxKey() },
  { name: 'a number beyond numbers', value: Number.NaN },
  { name: 'infinity', value: Number.POSITIVE_INFINITY },
])('$name is nothing', ({ value }) => {
  expect(decodeFrame(bson({ a: value }), true)).toEqual({ a: null })
})

describe('what somebody might send to do harm', () => {
  const good = bson({ passthru: { ref: 'a', ret: 'b' } })

  test.each([
    { name: 'no bytes', bytes: Buffer.alloc(0) },
    { name: 'four bytes', bytes: Buffer.from([4, 0, 0, 0]) },
    {
      name: 'a length above what is there',
      bytes: Buffer.concat([Buffer.from([255, 255, 255, 127]), good.subarray(4)]),
    },
    { name: 'a length below it', bytes: Buffer.concat([Buffer.from([5, 0, 0, 0]), good.subarray(4)]) },
    { name: 'a negative length', bytes: Buffer.concat([Buffer.from([255, 255, 255, 255]), good.subarray(4)]) },
    { name: 'no end', bytes: Buffer.concat([good.subarray(0, -1), Buffer.from([1])]) },
    { name: 'an unknown type', bytes: document(0x42, 'a', Buffer.alloc(4)) },
    { name: 'a text longer than the document', bytes: document(2, 'a', Buffer.from([255, 255, 255, 0, 65, 0])) },
    { name: 'a text of negative length', bytes: document(2, 'a', Buffer.from([255, 255, 255, 255, 65, 0])) },
    { name: 'bytes longer than the document', bytes: document(5, 'a', Buffer.from([255, 255, 255, 127, 0, 1])) },
    { name: 'a list longer than the document', bytes: document(4, 'a', Buffer.from([255, 255, 0, 0, 0])) },
    { name: '65 levels', bytes: nested(65) },
    { name: '100,000 levels', bytes: nested(20_000) },
  ])('$name: nothing is read', ({ bytes }) => {
    expect(decodeFrame(bytes, true)).toBeUndefined()
  })

  test('64 levels are read', () => {
    expect(decodeFrame(nested(62), true)).toBeDefined()
  })

  test('names of the language change nothing', () => {
    const value = decodeFrame(document(3, '__proto__', bson({ polluted: true })), true)
    expect(Object.keys(value as object)).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test('every document that is cut or bent is read or refused, and nothing is thrown', () => {
    for (let index = 0; index < good.length; index += 1) {
      for (const byte of [0, 1, 3, 4, 5, 127, 128, 255]) {
        const bent = Buffer.from(good)
        bent[index] = byte
        expect(() => decodeFrame(bent, true)).not.toThrow()
      }
      expect(decodeFrame(good.subarray(0, index), true)).toBeUndefined()
    }
  })
})
