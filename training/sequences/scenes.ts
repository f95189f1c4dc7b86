import sharp from 'sharp'
import { renderScene, type SceneInput } from '../../packages/agent/src/cameras/scene.js'
import type { Key, KeyedPrint } from './keys.js'
import { makeRandom } from './random.js'
import type { Answer, ScoreBook } from './score-book.js'

// Prints of the agent's simulated printers: some pictures over the whole print, scored by the model.

const SIZE = [640, 480] as const
/** Far from the seeds of the scenes that the model was trained on. */
const SEED_FROM = 7_000_000
const GOOD_KEYS = 12
const KEYS_BEFORE = 6
const LEVELS = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.55, 0.75, 1]
const KEPT_BOXES = 5

async function picture(input: SceneInput): Promise<Buffer> {
  return sharp(Buffer.from(renderScene(input).svg))
    .jpeg({ quality: 80 })
    .toBuffer()
}

export function keyOf(progress: number, level: number, { score, sum, boxes }: Answer): Key {
  const kept = boxes.slice(0, KEPT_BOXES).map(([confidence, x, y, w, h]): Key['boxes'][number] => {
    return [Math.round(confidence * 1000) / 1000, x, y, w, h]
  })
  return { progress: Math.round(progress * 1000) / 1000, level, score, sum: Math.round(sum * 100) / 100, boxes: kept }
}

/** The pictures of one print: odd numbers fail, and at which progress is up to chance. */
export function sceneInputs(number: number): { failAt: number | null; inputs: (SceneInput & { level: number })[] } {
  const seed = SEED_FROM + number
  const failAt = number % 2 === 1 ? makeRandom('fail', seed).range(0.08, 0.9) : null
  const common = { seed, printing: true }
  const count = failAt === null ? GOOD_KEYS : KEYS_BEFORE
  const before = Array.from({ length: count }, (_, i) => {
    const progress = ((i + 0.5) / count) * (failAt ?? 0.99)
    return { ...common, progress, failure: 0, level: 0, frame: i }
  })
  if (failAt === null) return { failAt, inputs: before }
  const failing = LEVELS.map((level, i) => {
    const progress = Math.min(0.99, failAt + 0.1 * level)
    return { ...common, progress, failure: level, level, failedAt: failAt, frame: count + i }
  })
  return { failAt, inputs: [...before, ...failing] }
}

/** One simulated print, scored. */
export async function scoreScene(book: ScoreBook, number: number): Promise<KeyedPrint> {
  const { failAt, inputs } = sceneInputs(number)
  const keys: Key[] = []
  for (const { level, ...input } of inputs) {
    const key = `scene/1/${JSON.stringify(input)}`
    const answer = await book.ask({ key, size: SIZE, make: () => picture(input) })
    keys.push(keyOf(input.progress, level, answer))
  }
  const kind = failAt === null ? 'none' : 'tangle'
  return { id: `scene-${number}`, source: 'scene', kind, failAt, visibleFrom: failAt === null ? null : 0, keys }
}
