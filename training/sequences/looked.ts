import type { LookOptions } from '../../packages/server/src/detection/cameras/look-options.js'
import type { Findings } from '../../packages/server/src/detection/detector.js'
import type { LookBook } from './look-book.js'
import { chanceAt, seedOf } from './random.js'
import { type Shot, type ShotPrint, type ShotPrinter, shotPrinter } from './small-failures.js'
import type { Marks, Timeline, TimelineFrame } from './timeline.js'

// Whole prints of real frames: each frame is one of the two pictures nearest in time, as the server's detector found it.

const INTERVAL_MS = 20_000
/** Frames are asked for more often than usual from here on. */
const USUAL_MS = 10_000
/** What came before is only learned from. */
const EARLIER_INTERVAL_MS = 60_000
/** Three in five of them fail; each kind of clutter has as many. */
export const SMALL_PRINTERS = 40

type Looks = ReadonlyMap<string, Findings>

interface Looked {
  readonly at: number
  readonly looks: Looks
}

const nameOf = (options: LookOptions): string => JSON.stringify(options)

/** The ways in which each picture is looked at, as `lookOf` (camera-settings.ts) asks for them. */
function waysOf({ regions, crop }: Marks): LookOptions[] {
  return [{}, { ignore: [...regions] }, { crop }, { tiles: true }]
}

function frameOf(at: number, { looks }: Looked): TimelineFrame {
  const look = (options: LookOptions): Findings => {
    const found = looks.get(nameOf(options))
    if (found === undefined) throw new Error(`no picture was looked at in this way: ${nameOf(options)}`)
    return found
  }
  const { score, detections } = look({})
  return {
    at,
    score,
    sum: detections.reduce((total, [, confidence]) => total + confidence, 0),
    boxes: detections.map(([, confidence, [x, y, width, height]]) => [confidence, x, y, width, height]),
    look,
  }
}

function timelineOf(
  printer: ShotPrinter,
  marks: Marks,
  id: string,
  print: ShotPrint,
  looked: Looked[],
  intervalMs: number,
) {
  const seed = seedOf('looked', id)
  const timeline: Omit<Timeline, 'history'> = {
    id,
    source: 'small',
    half: printer.half,
    visibleAt: print.visibleAt,
    endAt: print.endAt,
    intervalMs,
    marks,
    next: (at, wantedMs) => at + (wantedMs < USUAL_MS ? wantedMs : intervalMs),
    frameAt(at) {
      const next = looked.findIndex((shot) => shot.at >= at)
      const [b, a] = [
        looked[next === -1 ? looked.length - 1 : next],
        looked[next === -1 ? looked.length - 1 : Math.max(0, next - 1)],
      ]
      if (a === undefined || b === undefined) return undefined
      const share = b.at === a.at ? 0 : (at - a.at) / (b.at - a.at)
      return frameOf(at, chanceAt(seed, at) < share ? b : a)
    },
  }
  return timeline
}

async function lookAt(book: LookBook, shots: readonly Shot[], marks: Marks): Promise<Looked[]> {
  const looked: Looked[] = []
  for (const { at, ...wanted } of shots) {
    const looks = new Map<string, Findings>()
    for (const options of waysOf(marks)) looks.set(nameOf(options), await book.look(wanted, options))
    looked.push({ at, looks })
  }
  return looked
}

/** Printers with small failures and things that confuse, each looked at in all ways. */
export async function lookedTimelines(
  book: LookBook,
  count: number,
  tell: (text: string) => void,
): Promise<Timeline[]> {
  const timelines: Timeline[] = []
  for (let number = 0; number < count; number++) {
    const printer = shotPrinter(number)
    const marks: Marks = { regions: printer.clutter.regions, crop: printer.bed }
    const [earlier, print] = [
      await lookAt(book, printer.earlier.shots, marks),
      await lookAt(book, printer.print.shots, marks),
    ]
    const before = timelineOf(printer, marks, `${printer.id}-before`, printer.earlier, earlier, EARLIER_INTERVAL_MS)
    timelines.push({
      ...timelineOf(printer, marks, printer.id, printer.print, print, INTERVAL_MS),
      history: [{ ...before, history: [] }],
    })
    tell(`printer ${number + 1} of ${count}: ${printer.clutter.kind}`)
  }
  return timelines
}
