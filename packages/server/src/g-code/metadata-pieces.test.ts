import { expect, test } from 'vitest'
import { piecesOf } from './metadata-pieces.js'

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')

test.each([
  { name: 'a small file is one piece', head: 'a\nb', tail: '', tailAt: 3, size: 3, texts: ['a\nb'] },
  { name: 'ends that meet are one piece', head: 'a\nb', tail: 'c\nd', tailAt: 3, size: 6, texts: ['a\nbc\nd'] },
  { name: 'cut lines are left out', head: 'a\nb', tail: 'c\nd', tailAt: 9, size: 12, texts: ['a\n', 'd'] },
  { name: 'an end that is one line is left out', head: 'abc', tail: 'def', tailAt: 9, size: 12, texts: ['', ''] },
  { name: 'a source that ends early is not whole', head: 'a\nb', tail: '', tailAt: 3, size: 9, texts: ['a\n', ''] },
  { name: 'a mark of UTF-8 is no text', head: '\xef\xbb\xbf;a', tail: '', tailAt: 5, size: 5, texts: ['   ;a'] },
])('$name', ({ head, tail, tailAt, size, texts }) => {
  const { pieces } = piecesOf({ head: bytes(head), tail: bytes(tail), tailAt }, size)
  expect(pieces.map(({ text }) => text)).toEqual(texts)
})

test('the second piece knows where it begins', () => {
  const { pieces, isWhole } = piecesOf({ head: bytes('a\n'), tail: bytes('xx\ny'), tailAt: 100 }, 104)
  expect(pieces[1]).toEqual({ text: 'y', offset: 103 })
  expect(isWhole).toBe(false)
})
