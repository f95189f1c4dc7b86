/** A small grey picture: one byte for each pixel, row by row. */
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
  let sum = 0
  let squares = 0
  for (const value of grey) {
    counts[value] = (counts[value] ?? 0) + 1
    sum += value
    squares += value * value
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

/** How two pictures of the same size differ, of 255. */
export interface Difference {
  /** The mean over all pixels. Noise and a second encoding show here. */
  readonly mean: number
  /** How much lighter or darker the window is that changed most. Noise cancels out in it; what moved does not. */
  readonly most: number
}

export function difference(a: Thumbnail, b: Thumbnail): Difference {
  const { width, height } = a
  const apart = new Int16Array(a.grey.length)
  let total = 0
  for (let at = 0; at < apart.length; at++) {
    const step = at0(a.grey, at) - at0(b.grey, at)
    apart[at] = step
    total += Math.abs(step)
  }
  let most = 0
  for (let y = 0; y + WINDOW <= height; y += STEP) {
    for (let x = 0; x + WINDOW <= width; x += STEP) most = Math.max(most, Math.abs(sumOf(apart, y * width + x, width)))
  }
  return { mean: total / apart.length, most: most / (WINDOW * WINDOW) }
}

function sumOf(apart: Int16Array, from: number, width: number): number {
  let sum = 0
  for (let y = 0; y < WINDOW; y++) {
    for (let at = from + y * width, end = at + WINDOW; at < end; at++) sum += apart[at] ?? 0
  }
  return sum
}
