import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { type ByteSource, type GCodeFacts, readGCodeFacts } from './facts-flow.js'
import { METADATA_KEYS } from './metadata.js'

const FIXTURES = new URL('../../../../test/fixtures/g-code/', import.meta.url)

interface Expected {
  readonly metadata: GCodeFacts['metadata']
  readonly thumbnails: readonly (readonly [number, number])[]
}

const expected = JSON.parse(await readFile(new URL('facts.json', FIXTURES), 'utf8')) as Record<string, Expected>

const sourceOf = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
})

const sizesOf = ({ thumbnails }: GCodeFacts): number[][] => thumbnails.map(({ width, height }) => [width, height])

test.each(Object.entries(expected))('%s is read', async (name, { metadata, thumbnails }) => {
  const facts = await readGCodeFacts(name, sourceOf(await readFile(new URL(name, FIXTURES))))
  expect(facts.metadata).toEqual(metadata)
  expect(Object.keys(facts.metadata)).toEqual(METADATA_KEYS.filter((key) => key in metadata))
  expect(sizesOf(facts)).toEqual(thumbnails)
  for (const { png, width, height } of facts.thumbnails) {
    expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width, height })
  }
})
