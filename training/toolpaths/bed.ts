import { type Colour, filamentColour, fromHue, grey, mixed } from './colours.js'
import { makeWord, type Point, ringOf, textStrokes } from './outlines.js'
import type { Random } from './random.js'

/** What one prints on. */
export interface Bed {
  readonly width: number
  readonly depth: number
  /** How much it mirrors, 0 to 1. */
  readonly gloss: number
  /** Red, green, blue of its surface, row by row from the front, `TEXELS_PER_MM` for each millimetre. */
  readonly texels: Float32Array
  readonly columns: number
  readonly rows: number
}

export const TEXELS_PER_MM = 1.5

export const BEDS = ['glass', 'pei', 'gold', 'plain', 'grid', 'tape'] as const
type BedKind = (typeof BEDS)[number]

/** How often each is found. */
const COMMON_BEDS: readonly BedKind[] = [
  ...BEDS,
  'pei',
  'pei',
  'pei',
  'gold',
  'gold',
  'plain',
  'plain',
  'glass',
  'grid',
]

interface Sheet {
  readonly texels: Float32Array
  readonly columns: number
  readonly rows: number
}

function tint(sheet: Sheet, x: number, y: number, colour: Colour, share: number): void {
  const [column, row] = [Math.floor(x * TEXELS_PER_MM), Math.floor(y * TEXELS_PER_MM)]
  if (column < 0 || row < 0 || column >= sheet.columns || row >= sheet.rows) return
  const at = (row * sheet.columns + column) * 3
  for (let i = 0; i < 3; i++) {
    const old = sheet.texels[at + i] ?? 0
    sheet.texels[at + i] = old + ((colour[i] ?? 0) - old) * share
  }
}

/** A line of a width in millimetres. */
function stroke(sheet: Sheet, points: readonly Point[], width: number, colour: Colour, share: number): void {
  const step = 0.5 / TEXELS_PER_MM
  for (let i = 1; i < points.length; i++) {
    const [[ax, ay] = [0, 0], [bx, by] = [0, 0]] = [points[i - 1], points[i]]
    const steps = Math.ceil(Math.hypot(bx - ax, by - ay) / step / 2)
    for (let n = 0; n <= steps; n++) {
      const [x, y] = [ax + ((bx - ax) * n) / Math.max(1, steps), ay + ((by - ay) * n) / Math.max(1, steps)]
      for (let v = -width / 2; v <= width / 2; v += step)
        for (let u = -width / 2; u <= width / 2; u += step) tint(sheet, x + u, y + v, colour, share)
    }
  }
}

function baseColour(kind: BedKind, random: Random): Colour {
  switch (kind) {
    case 'glass':
      return mixed(grey(random.between(0.03, 0.3)), [0.1, 0.2, 0.18], random.between(0, 0.4))
    case 'pei':
      return grey(random.between(0.03, 0.14))
    case 'gold':
      return mixed([0.55, 0.36, 0.1], [0.42, 0.3, 0.14], random.next())
    case 'tape':
      return [0.12, 0.28, 0.55]
    case 'plain':
    case 'grid':
      return random.chance(0.8)
        ? grey(random.between(0.03, 0.5))
        : fromHue(random.next(), 0.5, random.between(0.1, 0.5))
  }
}

function letter(sheet: Sheet, bed: { width: number; depth: number }, colour: Colour, random: Random): void {
  const size = random.spread(4, 26)
  const [x, y] = [
    random.between(0.05, 0.5) * bed.width,
    random.chance(0.7) ? random.between(4, 20) : random.between(0.1, 0.8) * bed.depth,
  ]
  for (const points of textStrokes(makeWord(random, random.whole(3, 10)), size)) {
    stroke(
      sheet,
      points.map(([px, py]): Point => [px + x, py + y]),
      size * 0.12,
      colour,
      0.8,
    )
  }
}

function logo(sheet: Sheet, bed: { width: number; depth: number }, colour: Colour, random: Random): void {
  const [x, y, radius] = [
    random.between(0.2, 0.8) * bed.width,
    random.between(0.2, 0.8) * bed.depth,
    random.between(12, 60),
  ]
  const points = random.whole(3, 24)
  for (let ring = 0; ring < random.whole(1, 4); ring++) {
    const outline = ringOf(points, (angle) => radius * (1 - ring * 0.22) * (1 + 0.2 * Math.sin(angle * 3)))
    stroke(
      sheet,
      [...outline, ...outline.slice(0, 1)].map(([px, py]): Point => [px + x, py + y]),
      random.between(0.6, 3),
      colour,
      0.7,
    )
  }
}

function wear(sheet: Sheet, bed: { width: number; depth: number }, base: Colour, random: Random): void {
  for (let i = 0; i < random.whole(0, 7); i++) {
    const colour = random.chance(0.5)
      ? mixed(base, grey(0.9), random.between(0.05, 0.3))
      : mixed(base, grey(0), random.between(0.1, 0.4))
    const [x, y, reach] = [random.between(0, bed.width), random.between(0, bed.depth), random.between(8, 60)]
    const [strength, long] = [random.between(0.2, 0.7), random.between(0.4, 1)]
    for (let v = -reach; v <= reach; v += 1 / TEXELS_PER_MM) {
      for (let u = -reach; u <= reach; u += 1 / TEXELS_PER_MM) {
        const far = (u * u + (v * v) / (long * long)) / (reach * reach)
        if (far < 1) tint(sheet, x + u, y + v, colour, strength * (1 - far) ** 2 * (0.6 + 0.8 * random.next()))
      }
    }
  }
  for (let i = 0; i < random.whole(0, 9); i++) {
    const [x, y, angle] = [random.between(0, bed.width), random.between(0, bed.depth), random.between(0, 6.3)]
    const far = random.between(5, 80)
    const bow = random.between(-0.5, 0.5)
    const points = Array.from(
      { length: 8 },
      (_, n): Point => [
        x + Math.cos(angle + (bow * n) / 8) * far * (n / 8),
        y + Math.sin(angle + (bow * n) / 8) * far * (n / 8),
      ],
    )
    stroke(sheet, points, 0.5, mixed(base, grey(0.8), 0.5), 0.25)
  }
}

/** The lines along which an earlier, tidy print has left its mark. */
function ghost(sheet: Sheet, bed: { width: number; depth: number }, random: Random): void {
  const colour = filamentColour(random)
  const [x, y, radius] = [
    random.between(0.3, 0.7) * bed.width,
    random.between(0.3, 0.7) * bed.depth,
    random.between(10, 40),
  ]
  const outline = ringOf(random.pick([4, 6, 24]), () => radius)
  stroke(
    sheet,
    [...outline, ...outline.slice(0, 1)].map(([px, py]): Point => [px + x, py + y]),
    0.8,
    colour,
    0.3,
  )
}

export function makeBed(random: Random): Bed {
  const kind = random.pick(COMMON_BEDS)
  const side = random.pick([150, 180, 220, 235, 256, 300])
  const bed = { width: side, depth: random.chance(0.85) ? side : side * 0.85 }
  const [columns, rows] = [Math.ceil(bed.width * TEXELS_PER_MM), Math.ceil(bed.depth * TEXELS_PER_MM)]
  const sheet: Sheet = { texels: new Float32Array(columns * rows * 3), columns, rows }
  const base = baseColour(kind, random)
  const grain = kind === 'gold' || kind === 'pei' ? random.between(0.05, 0.3) : random.between(0, 0.06)
  for (let i = 0; i < columns * rows; i++) {
    const grained = 1 + grain * (random.next() - 0.5) * 2
    for (let c = 0; c < 3; c++) sheet.texels[i * 3 + c] = (base[c] ?? 0) * grained
  }
  const marks = random.chance(0.5) ? mixed(base, grey(1), random.between(0.15, 0.7)) : mixed(base, grey(0), 0.6)
  if (kind === 'grid' || random.chance(0.25)) grid(sheet, bed, marks, random)
  if (kind === 'tape')
    for (let y = random.between(0, 25); y < bed.depth; y += 25)
      stroke(
        sheet,
        [
          [0, y],
          [bed.width, y],
        ],
        0.7,
        mixed(base, grey(0), 0.5),
        0.8,
      )
  if (random.chance(0.5)) letter(sheet, bed, marks, random)
  if (random.chance(0.35)) logo(sheet, bed, marks, random)
  if (random.chance(0.6)) wear(sheet, bed, base, random)
  if (random.chance(0.2)) ghost(sheet, bed, random)
  const gloss =
    kind === 'glass' ? random.between(0.15, 0.5) : kind === 'plain' ? random.between(0, 0.3) : random.between(0, 0.08)
  return { ...bed, ...sheet, gloss }
}

function grid(sheet: Sheet, bed: { width: number; depth: number }, colour: Colour, random: Random): void {
  const step = random.pick([10, 20, 25, 50])
  const width = random.between(0.4, 1)
  for (let x = step; x < bed.width; x += step)
    stroke(
      sheet,
      [
        [x, 0],
        [x, bed.depth],
      ],
      width,
      colour,
      0.6,
    )
  for (let y = step; y < bed.depth; y += step)
    stroke(
      sheet,
      [
        [0, y],
        [bed.width, y],
      ],
      width,
      colour,
      0.6,
    )
}
