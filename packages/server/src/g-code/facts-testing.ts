import type { ByteSource } from './facts-flow.js'
import { readGCodeFacts } from './facts-flow.js'

export const FIXTURES = new URL('../../../../test/fixtures/g-code/', import.meta.url)
export const MIB = 1024 * 1024
export const NOTHING = { metadata: {}, thumbnails: [] }

/** Counts what is read, as reading all of a large file would be a defect. */
export function sourceOf(bytes: Uint8Array): ByteSource & { taken: number; reads: number } {
  return {
    size: bytes.length,
    taken: 0,
    reads: 0,
    async read(offset, length) {
      const part = bytes.subarray(offset, offset + length)
      this.taken += part.length
      this.reads += 1
      return part
    },
  }
}

export const read = (name: string, bytes: Uint8Array | string) =>
  readGCodeFacts(name, sourceOf(typeof bytes === 'string' ? Buffer.from(bytes) : bytes))
