import { Canvas } from './canvas.js'
import { FAILURES, type FailureKind, TANGLED } from './failures.js'
import { type Picture, renderPicture } from './picture.js'
import { makeRandom, mixSeed, type Random } from './random.js'
import { makeStory, progressAt, type Story, type Wish } from './story.js'
import type { Toolpath } from './toolpath.js'

/** One picture of the mixture, and what is known about it. */
export interface Single {
  readonly story: Story
  readonly picture: Picture
  readonly kind: FailureKind | 'none'
  readonly now: number
}

/** What the mixture is made of. */
export interface Mixture {
  readonly seed: number
  /** Kinds of failures, taken in turn. */
  readonly kinds: readonly (FailureKind | 'none')[]
  readonly size: readonly [number, number]
  readonly gCode?: Toolpath | undefined
}

/** How often each kind is found when nothing is asked for: half are good prints. */
export const USUAL_KINDS: readonly (FailureKind | 'none')[] = [
  'none',
  'tangle',
  'none',
  'detached',
  'none',
  'tangle',
  'none',
  'stringing',
  'none',
  'air',
  'none',
  'tangle',
  'none',
  'blob',
  'none',
  'detached',
  'none',
  'layer_shift',
  'warping',
]

/** Less of a picture than this, or fainter than this, and nobody could see the failure. */
const LEAST_SHARE = 0.0016
const LEAST_CONTRAST = 7
const TRIES = 7

/** The moment of a picture: for failures, some filament after they begin, early stages as often as late ones. */
function momentOf(random: Random, story: Story, astray: number): number {
  const { failure, duration } = story
  if (failure === undefined || !failure.stopsPart)
    return duration * (random.chance(0.06) ? 1 : random.between(0.02, 0.99))
  if (failure.kind === 'blob') return Math.min(duration, failure.from + random.between(60, 900))
  return Math.min(duration, failure.from + astray / 25 + 1)
}

/** Whether what has failed can be seen; kinds that no detector of tangles is to find only need their part in view. */
function isFit(kind: FailureKind | 'none', picture: Picture): boolean {
  if (kind === 'none') return true
  if (!TANGLED.includes(kind)) return picture.labels.length > 0
  return picture.failingShare >= LEAST_SHARE && picture.contrast >= LEAST_CONTRAST && picture.labels.length > 0
}

/** The picture number `index` of a mixture: the same for the same seed, whichever others are rendered. */
export function renderSingle(mixture: Mixture, index: number, canvas = new Canvas(...mixture.size)): Single {
  const kind = mixture.kinds[index % mixture.kinds.length] ?? 'none'
  let last: Single | undefined
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const seed = mixSeed(mixture.seed, index, attempt)
    const random = makeRandom(mixSeed(seed, 2))
    const astray = random.spread(250, 14_000) * (1 + attempt * 0.5)
    const wish: Wish = { seed, kind, astray, gCode: mixture.gCode }
    const story = makeStory(wish)
    const now = momentOf(random, story, astray)
    const isParked = kind === 'none' && (now === story.duration || random.chance(0.08))
    const park = isParked ? story.park : undefined
    const picture = renderPicture(story.setup, progressAt(story, now), random, mixture.size, park, canvas)
    last = { story, picture, kind, now }
    if (isFit(kind, picture)) return last
  }
  if (last === undefined) throw new Error('no picture was tried')
  return last
}

/** The kinds named in a list such as "tangle,none". */
export function kindsNamed(names: string): (FailureKind | 'none')[] {
  return names.split(',').map((name) => {
    const kind = name === 'none' ? name : FAILURES.find((known) => known === name)
    if (kind === undefined) throw new Error(`"${name}" is no kind: none, ${FAILURES.join(', ')}`)
    return kind
  })
}
