import { expect, test } from 'vitest'
import { pictureType } from './picture-type.js'

test.each([
  ['a JPEG', 'ffd8ffe000104a464946', 'image/jpeg'],
  ['a PNG', '89504e470d0a1a0a0000000d', 'image/png'],
  ['a WebP', '524946461a000000574542505650', 'image/webp'],
  ['a sound', '524946461a00000057415645', undefined],
  ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('hex'), undefined],
  ['half a beginning', 'ffd8', undefined],
  ['nothing', '', undefined],
])('%s', (_, hex, type) => {
  expect(pictureType(Buffer.from(hex, 'hex'))).toBe(type)
})
