import { expect, test } from 'vitest'
import { byPromise, findThumbnails, pictureFormatOf, thumbnailBytes } from './thumbnails.js'

const read = (text: string): (string | undefined)[] =>
  findThumbnails(text).map((block) => {
    const bytes = thumbnailBytes(text, block)
    return bytes && Buffer.from(bytes).toString()
  })

const HELLO = Buffer.from('Hello, picture').toString('base64') // SGVsbG8sIHBpY3R1cmU=

test.each([
  { name: 'one', text: `; thumbnail begin 16x16 20\n; ${HELLO}\n; thumbnail end\n` },
  { name: 'one with CRLF', text: `; thumbnail begin 16x16 20\r\n; ${HELLO}\r\n; thumbnail end\r\n` },
  { name: 'one without an end of the line', text: `; thumbnail begin 16x16 20\n; ${HELLO}\n; thumbnail end` },
  {
    name: 'one over lines',
    text: `;thumbnail begin 16x16 20\n; ${HELLO.slice(0, 7)}\n;${HELLO.slice(7)}\n; thumbnail end`,
  },
  { name: 'one with a star', text: `; thumbnail begin 16*16 20\n; ${HELLO}\n; thumbnail end` },
  { name: 'a QOI', text: `; thumbnail_QOI begin 16x16 20\n; ${HELLO}\n; thumbnail_QOI end` },
  { name: 'a JPEG', text: `; thumbnail_JPG begin 16x16 20\n; ${HELLO}\n; thumbnail_JPG end` },
  { name: 'one whose length lies', text: `; thumbnail begin 16x16 999999999999\n; ${HELLO}\n; thumbnail end` },
  { name: 'one without a length', text: `; thumbnail begin 16x16\n; ${HELLO}\n; thumbnail end` },
  {
    name: 'the second of two, as the first has no end',
    text: `; thumbnail begin 9x9 4\n; AAAA\n; thumbnail begin 16x16 20\n; ${HELLO}\n; thumbnail end`,
  },
])('finds $name', ({ text }) => {
  expect(read(`G28\n${text}`)).toEqual(['Hello, picture'])
})

test.each([
  { name: 'one that is cut off', text: `; thumbnail begin 16x16 20\n; ${HELLO}\n` },
  { name: 'one with a command in it', text: `; thumbnail begin 16x16 20\n; ${HELLO}\nG28\n; thumbnail end\n` },
  { name: 'one whose begin is cut off', text: `humbnail begin 16x16 20\n; ${HELLO}\n; thumbnail end\n` },
  { name: 'one without a size', text: `; thumbnail begin\n; ${HELLO}\n; thumbnail end\n` },
  { name: 'one of absurd digits', text: `; thumbnail begin 1${'0'.repeat(50)}x1\n; ${HELLO}\n; thumbnail end\n` },
])('does not find $name', ({ text }) => {
  expect(read(text)).toEqual([])
})

test.each([
  { name: 'no base64', body: '; <svg>' },
  { name: 'base64 with something in it', body: '; SGVs=bG8s' },
  { name: 'nothing', body: ';' },
])('$name is no picture', ({ body }) => {
  expect(read(`; thumbnail begin 16x16 20\n${body}\n; thumbnail end\n`)).toEqual([undefined])
})

test('a picture beyond all measure is not decoded', () => {
  const text = `; thumbnail begin 16x16 20\n; ${'A'.repeat(7 * 1024 * 1024)}\n; thumbnail end\n`
  expect(read(text)).toEqual([undefined])
})

test('the largest come first; sizes that cannot be meant do not come', () => {
  const sizes = [
    [16, 16],
    [0, 300],
    [300, 300],
    [99_999, 99_999],
    [220, 124],
  ].map(([width = 0, height = 0]) => ({ width, height }))
  expect(byPromise(sizes).map(({ width }) => width)).toEqual([300, 220, 16])
})

test.each([
  { name: 'many', text: '; thumbnail begin 16x16 4\n; AAAA\n; thumbnail end\n'.repeat(20_000), count: 20_000 },
  { name: 'more than are noted', text: '; thumbnail begin 1x1\n; thumbnail end\n'.repeat(30_000), count: 20_000 },
  { name: 'begins without end', text: '; thumbnail begin 16x16 4\n'.repeat(40_000), count: 0 },
  { name: 'the word without lines', text: '; thumbnail begin '.repeat(60_000), count: 0 },
  { name: 'blanks', text: `;${' '.repeat(1_000_000)}`, count: 0 },
])('$name are found in a moment', ({ text, count }) => {
  // What grew with the square would outlast the test's time limit.
  expect(findThumbnails(text)).toHaveLength(count)
})

test.each([
  { name: 'SVG', bytes: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') },
  { name: 'GIF', bytes: Buffer.from('GIF89a') },
  { name: 'WebP', bytes: Buffer.from('RIFF0000WEBP') },
  { name: 'nothing', bytes: Buffer.alloc(0) },
])('$name is no picture that a slicer makes', ({ bytes }) => {
  expect(pictureFormatOf(bytes)).toBeUndefined()
})
