import sharp from 'sharp'
import { renderScene, type SceneInput } from '../../packages/agent/src/cameras/scene.js'
import { bedOf, CLUTTER, type Clutter, clutterOf } from './clutter.js'
import { makeRandom } from './random.js'

// Printers with something confusing in view, and small failures: which pictures there are of them, and when.

const SIZE = [640, 480] as const
/** Far from the seeds of all other scenes. */
const SEED_FROM = 9_000_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** A good print, and how long one that fails would have taken. */
const LASTS_MS = 3 * HOUR
const EARLIER_MS = 2 * HOUR
/** A failed print goes on this long if nobody stops it. */
const GOES_ON_MS = 60 * MINUTE
/** The first pictures of a print show the bed without much of it. */
const FIRST = [0.5, 2, 4].map((minutes) => minutes * MINUTE)
/** Minutes after a failure began, and how far it has grown then: it stays small. */
const GROWTH: readonly (readonly [minutes: number, level: number])[] = [
  [1, 0.015],
  [3, 0.03],
  [6, 0.05],
  [10, 0.08],
  [15, 0.12],
  [20, 0.17],
  [27, 0.23],
  [35, 0.3],
]
/** A person could see a failure once the box around it covers this share of the picture. */
const LEAST_SHARE = 0.004

/** One picture of a print. */
export interface Shot {
  /** Milliseconds since the print began. */
  readonly at: number
  readonly key: string
  readonly make: () => Promise<Buffer>
}

export interface ShotPrint {
  readonly shots: readonly Shot[]
  readonly endAt: number
  /** When a person could first see that it fails; null for a good print. */
  readonly visibleAt: number | null
}

/** A printer: an earlier print that was good, and one that is good or fails. */
export interface ShotPrinter {
  readonly id: string
  readonly half: 0 | 1
  readonly clutter: Clutter
  readonly bed: ReturnType<typeof bedOf>
  readonly earlier: ShotPrint
  readonly print: ShotPrint
}

function shotOf(at: number, input: SceneInput, { kind, svg }: Clutter): Shot {
  const make = (): Promise<Buffer> =>
    sharp(Buffer.from(renderScene(input).svg.replace('</svg>', `${svg}</svg>`)))
      .jpeg({ quality: 80 })
      .toBuffer()
  return { at, key: `small/1/${kind}/${JSON.stringify(input)}`, make }
}

function isVisible(input: SceneInput): boolean {
  const { failureBox } = renderScene(input)
  return failureBox !== null && failureBox.width * failureBox.height >= LEAST_SHARE * SIZE[0] * SIZE[1]
}

/** Instants spread evenly over a print after its first pictures. */
function spread(count: number, untilMs: number): number[] {
  return [
    ...FIRST,
    ...Array.from({ length: count }, (_, i) => 8 * MINUTE + ((i + 0.5) / count) * (untilMs - 8 * MINUTE)),
  ]
}

/** The printer of this number. Each kind of clutter in turn; of five printers with the same kind three fail. */
export function shotPrinter(number: number): ShotPrinter {
  const seed = SEED_FROM + number
  const kind = CLUTTER[number % CLUTTER.length] ?? 'scraps'
  const round = Math.floor(number / CLUTTER.length)
  const clutter = clutterOf(seed, kind)
  const failsAt = round % 5 < 3 ? makeRandom('small', seed).range(0.2, 0.7) * LASTS_MS : null

  const good = (at: number, frame: number): SceneInput => {
    return { seed, printing: true, progress: Math.min(0.99, at / LASTS_MS), failure: 0, frame }
  }
  const failing = (failedAt: number): [number, SceneInput][] =>
    GROWTH.map(([minutes, level], i) => {
      const at = failedAt + minutes * MINUTE
      const input = { ...good(at, 200 + i), failure: level, failedAt: failedAt / LASTS_MS }
      return [at, input]
    })

  const before = spread(failsAt === null ? 9 : 5, failsAt ?? LASTS_MS)
  const after = failsAt === null ? [] : failing(failsAt)
  const seen = after.find(([, input]) => isVisible(input))?.[0] ?? after.at(-1)?.[0] ?? null
  const inputs = [...before.map((at, i): [number, SceneInput] => [at, good(at, 100 + i)]), ...after]
  return {
    id: `small-${number}`,
    half: round % 2 === 0 ? 0 : 1,
    clutter,
    bed: bedOf(seed),
    earlier: {
      shots: spread(3, EARLIER_MS).map((at, i) => shotOf(at, good(at, i), clutter)),
      endAt: EARLIER_MS,
      visibleAt: null,
    },
    print: {
      shots: inputs.map(([at, input]) => shotOf(at, input, clutter)),
      endAt: failsAt === null ? LASTS_MS : failsAt + GOES_ON_MS,
      visibleAt: seen,
    },
  }
}
