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

/** How much two pictures of the same size differ, of 255, over all pixels. Noise and a second encoding show here. */
export function meanDifference(a: Thumbnail, b: Thumbnail): number {
  let total = 0
  for (let at = 0; at < a.grey.length; at++) total += Math.abs(at0(a.grey, at) - at0(b.grey, at))
  return total / a.grey.length
}

/** How much lighter or darker the window is that changed most, of 255. Noise cancels out in it; what moved does not. */
export function mostDifference(a: Thumbnail, b: Thumbnail): number {
  const { width, height } = a
  const columns = new Int16Array(width)
  let most = 0
  for (let y = 0; y + WINDOW <= height; y += STEP) {
    compareColumns(columns, a, b, y)
    for (let x = 0; x + WINDOW <= width; x += STEP) {
      let sum = 0
      for (let at = x; at < x + WINDOW; at++) sum += columns[at] ?? 0
      most = Math.max(most, Math.abs(sum))
    }
  }
  return most / (WINDOW * WINDOW)
}

/** Writes into `columns` how much lighter each is in `a`, summed over the rows of a window. */
function compareColumns(columns: Int16Array, a: Thumbnail, b: Thumbnail, row: number): void {
  const { width } = a
  for (let x = 0; x < width; x++) {
    let sum = 0
    for (let at = row * width + x, end = at + WINDOW * width; at < end; at += width) {
      sum += at0(a.grey, at) - at0(b.grey, at)
    }
    columns[x] = sum
  }
}
