import { expect, test } from 'vitest'
import { isFrozen, notePicture, type Sameness } from './frozen.js'

test.each([
  { name: 'pictures that differ', pictures: 'a b c d e f g h', everyMs: 30_000, frozen: false },
  { name: 'one picture for a minute and a half', pictures: 'a a a a', everyMs: 30_000, frozen: true },
  { name: 'one picture, asked for often', pictures: 'a a a a a a a a', everyMs: 1_000, frozen: false },
  { name: 'one picture, seen only twice in ten minutes', pictures: 'a a', everyMs: 600_000, frozen: false },
  { name: 'one picture that has changed at last', pictures: 'a a a a a b', everyMs: 30_000, frozen: false },
  { name: 'two pictures in turn', pictures: 'a b a b a b a b', everyMs: 30_000, frozen: false },
])('$name: $frozen', ({ pictures, everyMs, frozen }) => {
  let same: Sameness | undefined
  let nowMs = 5_000
  for (const hash of pictures.split(' ')) {
    nowMs += everyMs
    same = notePicture(same, hash, nowMs)
  }
  expect(same && isFrozen(same, nowMs)).toBe(frozen)
})
