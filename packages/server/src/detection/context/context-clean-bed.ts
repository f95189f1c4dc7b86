import { MAP_SIDE } from '../detector.js'
import { beyond, higherOf, MAP_CELLS, type ScoreMap, widened } from './score-map.js'

// The bed before the print: what was there and has not changed since is no failure of this print. Pure.

/** The bed while nothing is printed: the head is parked, and nothing of the next print is there yet. */
export interface IdleBed {
  readonly taken_at: number
  /** How it was looked at: another crop shows another picture. */
  readonly look: string
  /** A small grey square of it. */
  readonly thumb: Uint8Array
  /** What was found in it. */
  readonly map: ScoreMap
}

/** The first frames of a print. */
export interface CleanBed extends IdleBed {
  readonly print_id: number
  readonly frames: number
}

/** Why a reference cannot be compared with a picture. */
export type CleanBedProblem = 'too_dark' | 'camera_moved' | 'scene_changed'

/** Where a picture shows the same as the reference: 1 in cells that have not changed, 0 in those that have. */
export type Comparison = { readonly unchanged: Float32Array } | { readonly problem: CleanBedProblem }

/** After this the part may be in the picture. */
const MAX_AGE_MS = 5 * 60_000
const MAX_FRAMES = 3

/** The reference after another frame of a print that began at `startedAt`; the one given when the frame is none of its first. */
export function keepCleanBed(
  kept: CleanBed | null,
  frame: Omit<CleanBed, 'frames'>,
  startedAt: number,
): CleanBed | null {
  const isSame = kept?.print_id === frame.print_id && kept.look === frame.look
  if (frame.taken_at - startedAt > MAX_AGE_MS || (isSame && kept.frames >= MAX_FRAMES)) return kept
  if (!isSame) return { ...frame, frames: 1 }
  return { ...kept, map: higherOf(kept.map, frame.map), frames: kept.frames + 1 }
}

/** A picture from before a print says something about it for this long. */
const IDLE_MAX_AGE_MS = 24 * 3_600_000

/** What a frame of a print may be compared with: the print's own first frames, and the last picture before it. */
export function bedsFor(
  { clean_bed, idle_bed }: { readonly clean_bed: CleanBed | null; readonly idle_bed: IdleBed | null },
  print: { readonly id: number; readonly started_at: number },
  look: string,
): IdleBed[] {
  const isBefore =
    idle_bed !== null &&
    idle_bed.taken_at <= print.started_at &&
    print.started_at - idle_bed.taken_at <= IDLE_MAX_AGE_MS
  const beds = [clean_bed?.print_id === print.id ? clean_bed : null, isBefore ? idle_bed : null]
  return beds.filter((bed) => bed !== null).filter((bed) => bed.look === look)
}

/** Whether a small picture shows enough to be compared with. */
export function isPlain(thumb: Uint8Array): boolean {
  const mean = thumb.reduce((sum, value) => sum + value, 0) / thumb.length
  const variance = thumb.reduce((sum, value) => sum + (value - mean) ** 2, 0) / thumb.length
  return Math.sqrt(variance) < LEAST_CONTRAST
}

/** Pictures with less contrast than this, in grey levels, show nothing to compare. */
const LEAST_CONTRAST = 4
/** How far, in pixels of the small picture, the camera may have moved: a step of one is about 2 % of the picture. */
const REACH = 3
/** How alike the pictures must be as a whole, as a correlation. Heads, beds and gantries move, so little: places decide for themselves. */
const LEAST_ALIKE = 0.15
/** Below the first correlation a place has changed, above the second it has not. */
const CHANGED = 0.5
const UNCHANGED = 0.85
/** Half the side of what is compared around a cell, in pixels of the small picture. */
const AROUND = 3

/** Mean brightness and contrast of a window, and how alike two windows are. */
function correlate(a: Uint8Array, b: Uint8Array, side: number, window: Window, dx: number, dy: number) {
  let [sumA, sumB, sumAA, sumBB, sumAB, count] = [0, 0, 0, 0, 0, 0]
  const last = side - 1
  for (let y = Math.max(0, window.top, -dy); y <= Math.min(last, window.bottom, last - dy); y++) {
    for (let x = Math.max(0, window.left, -dx); x <= Math.min(last, window.right, last - dx); x++) {
      const va = a[y * side + x] ?? 0
      const vb = b[(y + dy) * side + x + dx] ?? 0
      sumA += va
      sumB += vb
      sumAA += va * va
      sumBB += vb * vb
      sumAB += va * vb
      count++
    }
  }
  const spreadA = Math.sqrt(Math.max(0, sumAA / count - (sumA / count) ** 2))
  const spreadB = Math.sqrt(Math.max(0, sumBB / count - (sumB / count) ** 2))
  const together = sumAB / count - (sumA / count) * (sumB / count)
  return { spreadA, spreadB, alike: spreadA * spreadB === 0 ? 0 : together / (spreadA * spreadB) }
}

interface Window {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Each pixel less the mean of those around it: what is left when a lamp is switched on. */
function relief(thumb: Uint8Array, side: number): Uint8Array {
  const around = 4
  return thumb.map((value, i) => {
    const [row, column] = [Math.floor(i / side), i % side]
    let [sum, count] = [0, 0]
    for (let y = Math.max(0, row - around); y <= Math.min(side - 1, row + around); y++) {
      for (let x = Math.max(0, column - around); x <= Math.min(side - 1, column + around); x++) {
        sum += thumb[y * side + x] ?? 0
        count++
      }
    }
    return Math.min(255, Math.max(0, 128 + value - sum / count))
  })
}

/** How far the picture is shifted against the reference, and how alike the two are then. */
function align(before: Uint8Array, now: Uint8Array, side: number): { dx: number; dy: number; alike: number } {
  const [a, b] = [relief(before, side), relief(now, side)]
  const all: Window = { left: 0, top: 0, right: side - 1, bottom: side - 1 }
  let best = { dx: 0, dy: 0, alike: correlate(a, b, side, all, 0, 0).alike }
  // Most cameras stand still, and then there is nothing to search.
  if (best.alike > UNCHANGED) return best
  for (let dy = -REACH; dy <= REACH; dy++) {
    for (let dx = -REACH; dx <= REACH; dx++) {
      const { alike } = correlate(a, b, side, all, dx, dy)
      // A little better by chance is no movement.
      if (alike > best.alike + 0.02) best = { dx, dy, alike }
    }
  }
  return best
}

/** Compares a small picture with that of the reference. Correlations do not see brightness and contrast, so a lamp may go on or off. */
export function compareWithCleanBed(before: Uint8Array, now: Uint8Array): Comparison {
  const side = Math.sqrt(before.length)
  if (before.length !== now.length || !Number.isInteger(side)) return { problem: 'scene_changed' }
  const all: Window = { left: 0, top: 0, right: side - 1, bottom: side - 1 }
  const { spreadA, spreadB } = correlate(before, now, side, all, 0, 0)
  if (Math.min(spreadA, spreadB) < LEAST_CONTRAST) return { problem: 'too_dark' }
  const { dx, dy, alike } = align(before, now, side)
  if (alike < LEAST_ALIKE) return { problem: 'scene_changed' }
  if (Math.max(Math.abs(dx), Math.abs(dy)) >= REACH) return { problem: 'camera_moved' }
  const unchanged = Float32Array.from({ length: MAP_CELLS }, (_, cell) => {
    const x = Math.round(((cell % MAP_SIDE) + 0.5) * (side / MAP_SIDE)) - 1
    const y = Math.round((Math.floor(cell / MAP_SIDE) + 0.5) * (side / MAP_SIDE)) - 1
    const window: Window = { left: x - AROUND, top: y - AROUND, right: x + AROUND, bottom: y + AROUND }
    const here = correlate(before, now, side, window, dx, dy)
    // Where both are plain there is nothing that could correlate.
    if (Math.max(here.spreadA, here.spreadB) < LEAST_CONTRAST) return 1
    return Math.min(1, Math.max(0, (here.alike - CHANGED) / (UNCHANGED - CHANGED)))
  })
  return { unchanged }
}

/** More than of a baseline: here it is known that the place looks as it did. */
const MOST_EXPLAINED = 0.98

/** What goes beyond what the reference showed in places that have not changed since. */
export function beyondCleanBed(map: ScoreMap, bed: Pick<IdleBed, 'map'>, unchanged: Float32Array): ScoreMap {
  return beyond(map, widened(bed.map), MOST_EXPLAINED, (cell) => unchanged[cell] ?? 0)
}
