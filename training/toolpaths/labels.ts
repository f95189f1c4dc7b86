import { SHOWN } from './canvas.js'

/** A labelled box: class, and middle and size in shares of the picture. */
export interface Label {
  readonly class: number
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Classes of labels, as in the photos' folder; 5 is ours. */
export const CLASS_OF: Readonly<Record<number, number>> = {
  [SHOWN.tangle]: 0,
  [SHOWN.strings]: 1,
  [SHOWN.warped]: 2,
  [SHOWN.shifted]: 5,
}

/** What a picture shows, pixel by pixel. */
export interface Shown {
  readonly width: number
  readonly height: number
  readonly shows: Uint8Array
}

/** Pixels nearer to each other than two such cells belong together. */
const CELL = 10
/** Less than this, and less than this share of the largest, is a speck. */
const FEWEST_PIXELS = 30
const SMALLEST_SHARE = 0.08

interface Cell {
  pixels: number
  left: number
  right: number
  top: number
  bottom: number
}

function cellsOf({ width, height, shows }: Shown, value: number): Map<number, Cell> {
  const cells = new Map<number, Cell>()
  for (let y = 0, pixel = 0; y < height; y++) {
    for (let x = 0; x < width; x++, pixel++) {
      if (shows[pixel] !== value) continue
      const key = Math.floor(y / CELL) * 1000 + Math.floor(x / CELL)
      const cell = cells.get(key)
      if (cell === undefined) cells.set(key, { pixels: 1, left: x, right: x, top: y, bottom: y })
      else {
        cell.pixels++
        cell.left = Math.min(cell.left, x)
        cell.right = Math.max(cell.right, x)
        cell.bottom = y
      }
    }
  }
  return cells
}

function joined(a: Cell, b: Cell): Cell {
  return {
    pixels: a.pixels + b.pixels,
    left: Math.min(a.left, b.left),
    right: Math.max(a.right, b.right),
    top: Math.min(a.top, b.top),
    bottom: Math.max(a.bottom, b.bottom),
  }
}

/** Takes a cell and all that hangs together with it out of the map. */
function takeCluster(cells: Map<number, Cell>, key: number, first: Cell): Cell {
  cells.delete(key)
  let cluster = first
  const open = [key]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (let dy = -2; dy <= 2; dy++) {
      for (let dx = -2; dx <= 2; dx++) {
        const near = at + dy * 1000 + dx
        const cell = cells.get(near)
        if (cell === undefined) continue
        cells.delete(near)
        cluster = joined(cluster, cell)
        open.push(near)
      }
    }
  }
  return cluster
}

function clustersOf(shown: Shown, value: number): Cell[] {
  const cells = cellsOf(shown, value)
  const clusters: Cell[] = []
  for (const [key, cell] of [...cells]) if (cells.has(key)) clusters.push(takeCluster(cells, key, cell))
  const largest = Math.max(0, ...clusters.map(({ pixels }) => pixels))
  return clusters.filter(({ pixels }) => pixels >= FEWEST_PIXELS && pixels >= largest * SMALLEST_SHARE)
}

/** Tight boxes around everything that is to be labelled. */
export function labelsOf(shown: Shown): Label[] {
  const { width, height } = shown
  return Object.entries(CLASS_OF).flatMap(([value, name]) =>
    clustersOf(shown, Number(value)).map(({ left, right, top, bottom }) => ({
      class: name,
      x: (left + right + 1) / 2 / width,
      y: (top + bottom + 1) / 2 / height,
      width: (right + 1 - left) / width,
      height: (bottom + 1 - top) / height,
    })),
  )
}

/** Which share of the picture's pixels shows one of these two. */
export function shareShowing({ shows }: Shown, values: readonly [number, number]): number {
  let count = 0
  const [first, second] = values
  for (let i = 0; i < shows.length; i++) if (shows[i] === first || shows[i] === second) count++
  return count / shows.length
}

/** Labels as the lines of a YOLO file. */
export function asYolo(labels: readonly Label[]): string {
  return labels
    .map(
      ({ class: name, x, y, width, height }) => `${name} ${[x, y, width, height].map((n) => n.toFixed(6)).join(' ')}\n`,
    )
    .join('')
}

/**
 * How far the pixels that show one of these stand out from those around them: the difference of mean brightness between each
 * 16-pixel block's two kinds, 0 to 255. What is black on black is there, but cannot be seen.
 */
export function contrastOf({ width, height, shows }: Shown, rgb: Uint8Array, values: readonly number[]): number {
  let [sum, blocks] = [0, 0]
  for (let top = 0; top < height; top += 16) {
    for (let left = 0; left < width; left += 16) {
      const totals = { inside: 0, insideCount: 0, outside: 0, outsideCount: 0 }
      for (let y = top; y < Math.min(height, top + 16); y++) {
        for (let x = left; x < Math.min(width, left + 16); x++) {
          const pixel = y * width + x
          const bright = ((rgb[pixel * 3] ?? 0) + (rgb[pixel * 3 + 1] ?? 0) * 2 + (rgb[pixel * 3 + 2] ?? 0)) / 4
          if (values.includes(shows[pixel] ?? 0)) {
            totals.inside += bright
            totals.insideCount++
          } else {
            totals.outside += bright
            totals.outsideCount++
          }
        }
      }
      if (totals.insideCount < 8 || totals.outsideCount < 8) continue
      sum += Math.abs(totals.inside / totals.insideCount - totals.outside / totals.outsideCount)
      blocks++
    }
  }
  return blocks === 0 ? 0 : sum / blocks
}
