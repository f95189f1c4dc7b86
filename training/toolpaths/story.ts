import type { Progress } from './draw-print.js'
import { FAILURES, type Failure, type FailureKind, growFailure } from './failures.js'
import { type PartName, PARTS, printPart } from './parts.js'
import { makeRandom, mixSeed, type Random } from './random.js'
import { type CameraName, makeSetup, type Setup } from './setup.js'
import type { LightName } from './light.js'
import { durationOf, extentOf, type Place, pointAt, type Toolpath, translated } from './toolpath.js'

/** A print from its beginning to its end, in one printer. */
export interface Story {
  readonly setup: Setup
  readonly toolpath: Toolpath
  /** What is printed: a part's name, or `g-code`. */
  readonly part: string
  readonly failure: Failure | undefined
  /** Seconds that the print takes, or would. */
  readonly duration: number
  /** Where the head waits before and after. */
  readonly park: Place
}

export interface Wish {
  readonly seed: number
  readonly kind: FailureKind | 'none'
  readonly part?: PartName | undefined
  /** A G-code file's toolpath, instead of a part. */
  readonly gCode?: Toolpath | undefined
  readonly light?: LightName | undefined
  readonly camera?: CameraName | undefined
  /** Hours that the print takes; by chance when absent. */
  readonly hours?: number | undefined
  /** At which share of its duration it fails; by chance when absent. */
  readonly failAt?: number | undefined
  /** Most millimetres of filament that go astray; no limit when absent. */
  readonly astray?: number | undefined
}

/** Parts over whose gaps the nozzle travels, so that strings can form. */
const GAPPED: readonly PartName[] = ['plate', 'tower', 'arch', 'lattice', 'tree']

function toolpathOf(wish: Wish, random: Random, seconds: number): { toolpath: Toolpath; part: string } {
  const at = { x: random.between(85, 150), y: random.between(75, 140) }
  const part = wish.part ?? random.pick(wish.kind === 'stringing' ? GAPPED : PARTS)
  const own = random.fork()
  if (wish.gCode !== undefined)
    return { toolpath: { ...wish.gCode, time: stretched(wish.gCode, seconds) }, part: 'g-code' }
  return { toolpath: printPart(part, own, { ...at, seconds }), part }
}

function stretched(toolpath: Toolpath, seconds: number): Float32Array {
  const scale = seconds / Math.max(1, durationOf(toolpath))
  return toolpath.time.map((time) => time * scale)
}

/** Moves a print to where it fits on the bed. */
function placed(toolpath: Toolpath, setup: Setup): Toolpath {
  const { left, right, front, back } = extentOf(toolpath)
  const fit = (low: number, high: number, side: number): number =>
    low < 8 ? 8 - low : high > side - 8 ? Math.max(8 - low, side - 8 - high) : 0
  return translated(toolpath, fit(left, right, setup.bed.width), fit(front, back, setup.bed.depth))
}

/** Everything about a print but the moment. */
export function makeStory(wish: Wish): Story {
  const random = makeRandom(mixSeed(wish.seed, 1))
  const duration = (wish.hours ?? random.spread(0.6, 10)) * 3600
  const { toolpath: unplaced, part } = toolpathOf(wish, random.fork(), duration)
  const setup = makeSetup(random.fork(), extentOf(unplaced).top, {
    ...(wish.light === undefined ? {} : { light: wish.light }),
    ...(wish.camera === undefined ? {} : { camera: wish.camera }),
  })
  const toolpath = placed(unplaced, setup)
  const from = duration * (wish.failAt ?? random.between(0.04, 0.9))
  const failure =
    wish.kind === 'none'
      ? undefined
      : growFailure(wish.kind, random.fork(), toolpath, {
          from,
          length: wish.astray ?? Infinity,
          flow: random.between(25, 70),
        })
  const { bed } = setup
  return {
    setup,
    toolpath,
    part,
    failure,
    duration,
    park: { x: random.pick([5, bed.width - 5]), y: random.pick([5, bed.depth - 10]), z: 40 },
  }
}

/** How a story stands after some seconds. */
export function progressAt({ setup, toolpath, failure }: Story, now: number): Progress {
  return { toolpath, failure, now, colour: setup.filament, supportColour: setup.support, gloss: setup.gloss }
}

/** The layer that is being printed. */
export function layerAt(story: Story, now: number): number {
  return story.toolpath.layer[pointAt(story.toolpath, now)] ?? 0
}

/** A failure's kind by its name. */
export function kindNamed(name: string): FailureKind {
  const kind = FAILURES.find((known) => known === name)
  if (kind === undefined) throw new Error(`"${name}" is no kind of failure: ${FAILURES.join(', ')}`)
  return kind
}
