/** A small grey picture of the size of all thumbnails: one byte for each pixel, row by row. */
export interface Thumbnail {
  readonly width: number
  readonly height: number
  readonly grey: Uint8Array
}

/** Large enough to tell a sharp picture from a soft one, small enough to be measured in a tenth of a millisecond. */
export const THUMBNAIL = { width: 160, height: 120 } as const

/** What a picture is like, in numbers. */
export interface Look {
  /** Mean brightness, 0 to 255. */
  readonly mean: number
  /** Standard deviation of the brightness. */
  readonly spread: number
  /** The brightness that only 2 in 100 pixels exceed. */
  readonly top: number
  /** The share of pixels that are as good as white. */
  readonly brightShare: number
  /**
   * How much of the picture's contrast lies between neighbours: falls when it gets out of focus, and hardly changes with the light.
   */
  readonly focus: number
}

const WHITE = 250
/** Keeps the noise of a nearly plain picture from looking like sharp edges. */
const NOISE_VARIANCE = 30

export function lookOf({ width, height, grey }: Thumbnail): Look {
  const counts = new Uint32Array(256)
  for (let at = 0; at < grey.length; at++) {
    const value = at0(grey, at)
    counts[value] = (counts[value] ?? 0) + 1
  }
  let sum = 0
  let squares = 0
  for (let value = 0; value < counts.length; value++) {
    const count = counts[value] ?? 0
    sum += count * value
    squares += count * value * value
  }
  const pixels = grey.length
  const mean = sum / pixels
  const variance = Math.max(0, squares / pixels - mean * mean)
  return {
    mean,
    spread: Math.sqrt(variance),
    top: percentile(counts, pixels * 0.98),
    brightShare: counts.subarray(WHITE).reduce((total, count) => total + count, 0) / pixels,
    focus: edges(grey, width, height) / (variance + NOISE_VARIANCE),
  }
}

function percentile(counts: Uint32Array, rank: number): number {
  let seen = 0
  for (let value = 0; value < counts.length; value++) {
    seen += counts[value] ?? 0
    if (seen >= rank) return value
  }
  return 255
}

/** The mean square of the Laplacian: each pixel against its four neighbours. */
function edges(grey: Uint8Array, width: number, height: number): number {
  let sum = 0
  for (let y = 1; y < height - 1; y++) {
    for (let at = y * width + 1, end = at + width - 2; at < end; at++) {
      const around = at0(grey, at - 1) + at0(grey, at + 1) + at0(grey, at - width) + at0(grey, at + width)
      const value = 4 * at0(grey, at) - around
      sum += value * value
    }
  }
  return sum / ((width - 2) * (height - 2))
}

const at0 = (grey: Uint8Array, index: number): number => grey[index] ?? 0

/** Windows of this many pixels on each side are compared: a small thing that moves shows in one of them. */
const WINDOW = 5
/** How far the windows are from each other. */
const STEP = 2

/** How much lighter each pixel is in one picture than in another of the same size. Held for one comparison only. */
const differences = new Int16Array(THUMBNAIL.width * THUMBNAIL.height)
const columns = new Int16Array(THUMBNAIL.width)

/** How much two pictures differ, of 255. */
export interface Difference {
  /** Over all pixels. Noise and a second encoding show here. */
  readonly mean: number
  /** Whether a window changed by more than `most`. Noise cancels out in it; what moved does not. */
  readonly isAnywhereMore: (most: number) => boolean
}

/** Compares two pictures. What is told of them must be asked before the next two are compared. */
export function compare(a: Thumbnail, b: Thumbnail): Difference {
  let total = 0
  for (let at = 0; at < differences.length; at++) {
    const difference = at0(a.grey, at) - at0(b.grey, at)
    differences[at] = difference
    total += Math.abs(difference)
  }
  return { mean: total / differences.length, isAnywhereMore }
}

function isAnywhereMore(most: number): boolean {
  const limit = most * WINDOW * WINDOW
  columns.fill(0)
  for (let row = 0; row < WINDOW; row++) addRow(row, 1)
  for (let y = 0; y + WINDOW <= THUMBNAIL.height; y += STEP) {
    if (hasWindowAbove(limit)) return true
    for (let row = y; row < y + STEP; row++) {
      addRow(row, -1)
      addRow(row + WINDOW, 1)
    }
  }
  return false
}

/** Adds a row of the differences to the sums of the columns, or takes it off them again. Rows below the last count nothing. */
function addRow(row: number, sign: 1 | -1): void {
  for (let x = 0, at = row * THUMBNAIL.width; x < columns.length; x++, at++) {
    columns[x] = (columns[x] ?? 0) + sign * (differences[at] ?? 0)
  }
}

/** Whether the sum of some window of columns is above the limit, or below its opposite. */
function hasWindowAbove(limit: number): boolean {
  let sum = 0
  for (let x = 0; x < WINDOW; x++) sum += columns[x] ?? 0
  for (let x = 0; x + WINDOW <= columns.length; x += STEP) {
    if (sum > limit || sum < -limit) return true
    for (let one = x; one < x + STEP; one++) sum += (columns[one + WINDOW] ?? 0) - (columns[one] ?? 0)
  }
  return false
}
