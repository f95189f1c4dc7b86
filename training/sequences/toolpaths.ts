import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import type { FailureKind } from '../toolpaths/failures.js'
import { type Picture, renderPicture } from '../toolpaths/picture.js'
import { makeRandom as makeToolpathRandom, mixSeed } from '../toolpaths/random.js'
import { makeStory, progressAt, type Story } from '../toolpaths/story.js'
import type { Key, KeyedPrint } from './keys.js'
import { makeRandom } from './random.js'
import { keyOf } from './scenes.js'
import type { ScoreBook } from './score-book.js'
import { AFTER, TOOLPATH_GROWTH_MS } from './toolpath-times.js'

// Prints drawn from their toolpaths: some pictures over the whole print, scored by the model.

const SIZE = [640, 480] as const
/** Far from the seeds of the pictures that the model was trained on. */
const SEED_FROM = 8_000_000
const GOOD_KEYS = 10
const KEYS_BEFORE = 5
const KINDS: readonly FailureKind[] = ['tangle', 'detached', 'air', 'tangle', 'stringing', 'blob']
/** Less of the picture than this, or fainter than this, and nobody could see it. */
const LEAST_SHARE = 0.0016
const LEAST_CONTRAST = 7

interface Moment {
  readonly progress: number
  readonly level: number
  readonly now: number
}

function momentsOf({ duration, failure }: Story): Moment[] {
  const until = failure?.from ?? duration * 0.99
  const count = failure === undefined ? GOOD_KEYS : KEYS_BEFORE
  const before = Array.from({ length: count }, (_, i) => {
    const now = ((i + 0.5) / count) * until
    return { progress: now / duration, level: 0, now }
  })
  const after = AFTER.map((seconds) => ({
    progress: until / duration,
    level: (seconds * 1000) / TOOLPATH_GROWTH_MS,
    now: until + seconds,
  }))
  return failure === undefined ? before : [...before, ...after.filter(({ now }) => now <= duration)]
}

async function jpegOf({ width, height, rgb }: Picture, quality: number): Promise<Buffer> {
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .jpeg({ quality })
    .toBuffer()
}

function isVisible({ failingShare, contrast }: Picture): boolean {
  return failingShare >= LEAST_SHARE && contrast >= LEAST_CONTRAST
}

/** One print drawn from its toolpath, scored. Odd numbers fail. `cacheDir` keeps when failures could first be seen. */
export async function scoreToolpath(book: ScoreBook, number: number, cacheDir: string): Promise<KeyedPrint> {
  const seed = SEED_FROM + number
  const random = makeRandom('toolpath', seed)
  const kind = number % 2 === 1 ? (KINDS[(number >> 1) % KINDS.length] ?? 'tangle') : 'none'
  const story = makeStory({ seed, kind, hours: random.range(2, 8), failAt: random.range(0.08, 0.8) })
  const seenFile = join(cacheDir, `seen-toolpath-1-${number}.json`)
  const seen: Record<string, boolean> = existsSync(seenFile) ? JSON.parse(await readFile(seenFile, 'utf8')) : {}
  const keys: Key[] = []
  for (const [i, { progress, level, now }] of momentsOf(story).entries()) {
    const make = async (): Promise<Buffer> => {
      const picture = renderPicture(story.setup, progressAt(story, now), makeToolpathRandom(mixSeed(seed, 3, i)), SIZE)
      seen[level] = isVisible(picture)
      return jpegOf(picture, story.setup.sensor.quality)
    }
    const answer = await book.ask({ key: `toolpath/1/${seed}/${kind}/${i}`, size: SIZE, make })
    keys.push(keyOf(progress, level, answer))
  }
  await writeFile(seenFile, JSON.stringify(seen))
  const visibleFrom = keys.find(({ level }) => level > 0 && seen[level] === true)?.level
  const failAt = story.failure === undefined ? null : story.failure.from / story.duration
  return { id: `toolpath-${number}`, source: 'toolpath', kind, failAt, visibleFrom: visibleFrom ?? null, keys }
}
