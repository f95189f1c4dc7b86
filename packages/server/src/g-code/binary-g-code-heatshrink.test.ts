import { expect, test } from 'vitest'
import { type HeatshrinkShape, unpackHeatshrink } from './binary-g-code-heatshrink.js'

const SHAPES: readonly HeatshrinkShape[] = [
  { windowBits: 11, lookaheadBits: 4 },
  { windowBits: 12, lookaheadBits: 4 },
]

/** Bits as they would be written down, packed into bytes. */
function packed(bits: string): Uint8Array {
  const digits = bits.replace(/[^01]/g, '')
  const bytes = digits.match(/.{1,8}/g) ?? []
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte.padEnd(8, '0'), 2))
}

const bits = (value: number, count: number): string => value.toString(2).padStart(count, '0')

/** Packs the plain way: the longest repeat within the window, else a byte. */
function pack(bytes: Uint8Array, { windowBits, lookaheadBits }: HeatshrinkShape): Uint8Array {
  let out = ''
  for (let at = 0; at < bytes.length; ) {
    let best = { distance: 0, length: 0 }
    for (let distance = 1; distance <= Math.min(at, 1 << windowBits); distance += 1) {
      let length = 0
      while (
        length < 1 << lookaheadBits &&
        at + length < bytes.length &&
        bytes[at + length] === bytes[at + length - distance]
      ) {
        length += 1
      }
      if (length > best.length) best = { distance, length }
    }
    if (best.length > 1) {
      out += `0${bits(best.distance - 1, windowBits)}${bits(best.length - 1, lookaheadBits)}`
      at += best.length
    } else out += `1${bits(bytes[at++] ?? 0, 8)}`
  }
  return packed(out)
}

test('a byte is a one and its bits', () => {
  expect(unpackHeatshrink(packed('1 01000001  1 01000010'), 2, SHAPES[0]!)).toEqual(Uint8Array.from([65, 66]))
})

test.each([
  { name: 'a window of 11 bits', shape: SHAPES[0]!, given: '1 01000001  1 01000010  0 00000000001 0011' },
  { name: 'a window of 12 bits', shape: SHAPES[1]!, given: '1 01000001  1 01000010  0 000000000001 0011' },
])('a repeat in $name goes back two and takes four', ({ shape, given }) => {
  expect(Buffer.from(unpackHeatshrink(packed(given), 6, shape) ?? []).toString()).toBe('ABABAB')
})

test('a repeat may take what it makes itself, and zeros from before the begin', () => {
  expect(Buffer.from(unpackHeatshrink(packed('1 01000001  0 00000000000 1111'), 17, SHAPES[0]!) ?? []).toString()).toBe(
    'A'.repeat(17),
  )
  expect(unpackHeatshrink(packed('0 11111111111 0010'), 3, SHAPES[0]!)).toEqual(new Uint8Array(3))
})

test.each(SHAPES)('what was packed comes out again with $windowBits bits', (shape) => {
  const text = Array.from({ length: 300 }, (_, i) => `key_${i % 37} = ${(i * 7919) % 1009}\n`).join('')
  const bytes = Uint8Array.from(Buffer.from(text))
  const small = pack(bytes, shape)
  expect(small.length).toBeLessThan(bytes.length / 1.5)
  expect(unpackHeatshrink(small, bytes.length, shape)).toEqual(bytes)
})

test.each([
  { name: 'nothing', given: new Uint8Array(), size: 1 },
  { name: 'half a byte', given: packed('1 0100'), size: 2 },
  { name: 'fewer bytes than are said', given: packed('1 01000001'), size: 100 },
])('$name is refused', ({ given, size }) => {
  expect(unpackHeatshrink(given, size, SHAPES[0]!)).toBeUndefined()
})

test('no more than is said comes out', () => {
  expect(unpackHeatshrink(packed('1 01000001  0 00000000000 1111'), 3, SHAPES[0]!)).toHaveLength(3)
  expect(unpackHeatshrink(new Uint8Array(), 0, SHAPES[0]!)).toHaveLength(0)
})
