import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { Transform } from 'node:stream'
import type { BlobEntry, BlobStore } from '../../ports.js'
import type { ProgressShow } from '../importing/progress.js'

/** What became of the blobs. */
export interface BlobsResult {
  readonly count: number
  readonly bytes: number
  /** How many were written now; the others were there already, the same. */
  readonly copied: number
  /** Keys that the target has and the source has not; they are left as they are. */
  readonly others: number
  /** Keys that are not the same on both sides after the copy. */
  readonly differences: readonly string[]
}

type BlobSource = Pick<BlobStore, 'list' | 'stream'>
type BlobTarget = Pick<BlobStore, 'list' | 'stream' | 'putStream'>

const MOST_NAMED = 20

/** How many blobs there are, and how large they are together. */
export async function countBlobs(source: BlobSource): Promise<{ count: number; bytes: number }> {
  const entries = await source.list('')
  return { count: entries.length, bytes: sizeOf(entries) }
}

/**
 * Copies all blobs. Each is read back and compared by its hash; one that is there already, from a copy that was broken off, is compared
 * and not written again.
 */
export async function copyBlobs(source: BlobSource, target: BlobTarget, show: ProgressShow): Promise<BlobsResult> {
  const entries = await source.list('')
  const there = new Map((await target.list('')).map(({ key, size }) => [key, size]))
  const others = there.size - entries.filter(({ key }) => there.has(key)).length
  const differences: string[] = []
  let copied = 0
  show.start('pictures', entries.length)
  for (const { key, size } of entries) {
    const isThere = there.get(key) === size && (await isSame(source, target, key))
    if (!isThere) {
      const hash = await copyBlob(source, target, key)
      if (hash === undefined || hash !== (await hashOf(target, key))) differences.push(key)
      copied += 1
    }
    show.bytes(size)
    show.step()
  }
  show.end()
  return {
    count: entries.length,
    bytes: sizeOf(entries),
    copied,
    others,
    differences: differences.slice(0, MOST_NAMED),
  }
}

/** Compares all blobs by their hash, and writes nothing. */
export async function verifyBlobs(
  source: BlobSource,
  target: BlobSource,
  show: ProgressShow,
): Promise<Omit<BlobsResult, 'copied'>> {
  const entries = await source.list('')
  const there = new Map((await target.list('')).map(({ key, size }) => [key, size]))
  const others = there.size - entries.filter(({ key }) => there.has(key)).length
  const differences: string[] = []
  show.start('pictures', entries.length)
  for (const { key, size } of entries) {
    if (there.get(key) !== size || !(await isSame(source, target, key))) differences.push(key)
    show.bytes(size)
    show.step()
  }
  show.end()
  const named = differences.slice(0, MOST_NAMED)
  return { count: entries.length, bytes: sizeOf(entries), others, differences: named }
}

/** The hash of what was written; undefined when there is no such blob. */
async function copyBlob(source: BlobSource, target: BlobTarget, key: string): Promise<string | undefined> {
  const found = await source.stream(key)
  if (found === undefined) return undefined
  const { contentType, size } = found
  const hash = createHash('sha256')
  const body = hashing(found.body, (chunk) => hash.update(chunk))
  const written = await target.putStream(key, body, { contentType, maxBytes: size })
  return written.size === size ? hash.digest('hex') : undefined
}

async function isSame(source: BlobSource, target: BlobSource, key: string): Promise<boolean> {
  const [ours, theirs] = await Promise.all([hashOf(source, key), hashOf(target, key)])
  return ours !== undefined && ours === theirs
}

async function hashOf(blobs: BlobSource, key: string): Promise<string | undefined> {
  const found = await blobs.stream(key)
  if (found === undefined) return undefined
  const hash = createHash('sha256')
  for await (const chunk of found.body) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

/** The same bytes, which `look` is shown on their way. */
function hashing(body: Readable, look: (chunk: Uint8Array) => void): Readable {
  const through = new Transform({
    transform(chunk: Uint8Array, _, done) {
      look(chunk)
      done(null, chunk)
    },
  })
  body.once('error', (error) => through.destroy(error))
  through.once('close', () => body.destroy())
  return body.pipe(through)
}

const sizeOf = (entries: readonly BlobEntry[]): number => entries.reduce((sum, { size }) => sum + size, 0)
