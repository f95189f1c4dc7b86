import { expect, test } from 'vitest'
import { addMetadataLines, readBlockHeader, readFileHeader } from './binary-g-code.js'
import type { Comments } from './metadata-scan.js'

/** Little-endian numbers of two and four bytes: `[2, 5]` is 5 in two bytes. */
function bytes(...numbers: readonly (readonly [2 | 4, number])[]): Uint8Array {
  return Buffer.concat(
    numbers.map(([size, value]) => {
      const part = Buffer.alloc(size)
      part.writeUIntLE(value, 0, size)
      return part
    }),
  )
}

const GCDE = 0x45444347

test.each([
  { name: 'no checksum', given: bytes([4, GCDE], [4, 1], [2, 0]), header: { checksumSize: 0 } },
  { name: 'a CRC-32', given: bytes([4, GCDE], [4, 1], [2, 1]), header: { checksumSize: 4 } },
  { name: 'an unknown checksum', given: bytes([4, GCDE], [4, 1], [2, 2]), header: undefined },
  { name: 'a later version', given: bytes([4, GCDE], [4, 2], [2, 1]), header: undefined },
  { name: 'another beginning', given: bytes([4, 0], [4, 1], [2, 1]), header: undefined },
  { name: 'an early end', given: bytes([4, GCDE], [4, 1]), header: undefined },
])('a file header with $name', ({ given, header }) => {
  expect(readFileHeader(given)).toEqual(header)
})

test.each([
  {
    name: 'plain metadata',
    given: bytes([2, 2], [2, 0], [4, 100], [2, 0]),
    block: { type: 'slicer_metadata', compression: 'none', headerSize: 10, dataSize: 100, unpackedSize: 100 },
  },
  {
    name: 'packed metadata',
    given: bytes([2, 4], [2, 3], [4, 100], [4, 40], [2, 0]),
    block: { type: 'print_metadata', compression: 'heatshrink_12_4', headerSize: 14, dataSize: 40, unpackedSize: 100 },
  },
  {
    name: 'a thumbnail',
    given: bytes([2, 5], [2, 0], [4, 9], [2, 2], [2, 313], [2, 173]),
    block: {
      type: 'thumbnail',
      compression: 'none',
      headerSize: 14,
      dataSize: 9,
      unpackedSize: 9,
      thumbnail: { width: 313, height: 173 },
    },
  },
  { name: 'an unknown type', given: bytes([2, 6], [2, 0], [4, 1], [4, 0]), block: undefined },
  { name: 'an unknown compression', given: bytes([2, 0], [2, 4], [4, 1], [4, 0]), block: undefined },
  { name: 'an early end', given: bytes([2, 5], [2, 0], [4, 1], [2, 0]), block: undefined },
  { name: 'nothing', given: new Uint8Array(), block: undefined },
])('a block header of $name', ({ given, block }) => {
  expect(readBlockHeader(given)).toEqual(block)
})

test('metadata is a line a setting, each cut to a measure', () => {
  const comments: Comments = new Map()
  addMetadataLines(comments, Buffer.from(`Key=a=b\r\nno setting\n=x\nlong=${'y'.repeat(5000)}\n${'k'.repeat(200)}=1`))
  expect(comments.get('key')).toEqual(['a=b'])
  expect(comments.get('long')?.[0]?.length).toBeLessThanOrEqual(1024)
  expect(comments.size).toBe(2)
})
