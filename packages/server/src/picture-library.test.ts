import { expect, test } from 'vitest'
import { pictureLibrary, requirePictureLibrary } from './picture-library.js'

test('the library is there', async () => {
  await requirePictureLibrary()
  const sharp = await pictureLibrary()
  expect(sharp.versions.vips).toBeDefined()
  expect([sharp.concurrency(), sharp.cache().items.max]).toEqual([1, 0])
})

test('where no program for the machine lies in its usual place, the library itself is asked', async () => {
  await expect(requirePictureLibrary('plan9')).resolves.toBeUndefined()
})
