import type { Random } from './random.js'

// Closed outlines in the plane, as lists of points in millimetres, and lines that fill them.

export type Point = readonly [number, number]
export type Outline = readonly Point[]

/** A closed line around the origin whose radius depends on the angle. */
export function ringOf(points: number, radius: (angle: number) => number): Outline {
  return Array.from({ length: points }, (_, i): Point => {
    const angle = (i / points) * 2 * Math.PI
    const r = radius(angle)
    return [Math.cos(angle) * r, Math.sin(angle) * r]
  })
}

export function rectangle(width: number, depth: number): Outline {
  const [x, y] = [width / 2, depth / 2]
  return [
    [-x, -y],
    [x, -y],
    [x, y],
    [-x, y],
  ]
}

/** A gear's outline: teeth with sloping sides. */
export function gearOutline(radius: number, teeth: number, depth: number): Outline {
  return Array.from({ length: teeth * 4 }, (_, i): Point => {
    const angle = ((i + (i % 2 === 0 ? 0.15 : -0.15)) / (teeth * 4)) * 2 * Math.PI
    const r = radius - (i % 4 < 2 ? 0 : depth)
    return [Math.cos(angle) * r, Math.sin(angle) * r]
  })
}

/** A ship's hull seen from above: pointed in front, blunt behind. */
export function hullOutline(length: number, width: number): Outline {
  const side = Array.from({ length: 14 }, (_, i): Point => {
    const share = i / 13
    return [length * (share - 0.5), (width / 2) * Math.sqrt(1 - share ** 2.5) * (0.75 + 0.25 * Math.min(1, share * 5))]
  })
  return [...side, ...side.toReversed().map(([x, y]): Point => [x, -y])]
}

/** An outline of no particular kind: a few waves of chance around a circle, or a bracket. */
export function oddOutline(random: Random, radius: number): Outline {
  if (random.chance(0.5)) {
    const [a, b] = [random.between(0.3, 0.7) * radius, random.between(0.25, 0.6) * radius]
    return [
      [-radius, -radius * 0.7],
      [radius, -radius * 0.7],
      [radius, -radius * 0.7 + a],
      [-radius + b, -radius * 0.7 + a],
      [-radius + b, radius * 0.7],
      [-radius, radius * 0.7],
    ]
  }
  const waves = Array.from({ length: 4 }, (_, i) => ({
    size: random.between(0, 0.22) / (1 + i * 0.4),
    phase: random.between(0, 6.3),
  }))
  return ringOf(48, (angle) =>
    waves.reduce((sum, { size, phase }, i) => sum + radius * size * Math.sin((i + 2) * angle + phase), radius * 0.8),
  )
}

export function moved(outline: Outline, x: number, y: number, scale = 1, turn = 0): Outline {
  const [cos, sin] = [Math.cos(turn) * scale, Math.sin(turn) * scale]
  return outline.map(([px, py]): Point => [px * cos - py * sin + x, px * sin + py * cos + y])
}

/** Straight lines `spacing` apart at an angle that fill what lies inside of an odd number of outlines, in a zigzag. */
export function hatch(outlines: readonly Outline[], angle: number, spacing: number): [Point, Point][] {
  const cos = Math.cos(angle)
  const sin = Math.sin(angle)
  const turned = outlines.map((outline) => outline.map(([x, y]): Point => [x * cos + y * sin, y * cos - x * sin]))
  let low = Infinity
  let high = -Infinity
  for (const [, y] of turned.flat()) {
    low = Math.min(low, y)
    high = Math.max(high, y)
  }
  const rows = Array.from({ length: Math.max(0, Math.ceil((high - low) / spacing - 0.5)) }, (): number[] => [])
  for (const outline of turned) crossRows(outline, low + spacing / 2, spacing, rows)
  return rows.flatMap((crossings, row) => {
    crossings.sort((a, b) => a - b)
    const y = low + spacing / 2 + row * spacing
    const lines: [Point, Point][] = []
    for (let i = 0; i + 1 < crossings.length; i += 2) {
      const from = crossings[row % 2 === 1 ? i + 1 : i] ?? 0
      const to = crossings[row % 2 === 1 ? i : i + 1] ?? 0
      lines.push([
        [from * cos - y * sin, from * sin + y * cos],
        [to * cos - y * sin, to * sin + y * cos],
      ])
    }
    return lines
  })
}

/** Adds to each row where an outline crosses it. Rows begin at `first`, `spacing` apart. */
function crossRows(outline: Outline, first: number, spacing: number, rows: readonly number[][]): void {
  for (let i = 0; i < outline.length; i++) {
    const [x0, y0] = outline[i] ?? [0, 0]
    const [x1, y1] = outline[(i + 1) % outline.length] ?? [0, 0]
    const from = Math.max(0, Math.ceil((Math.min(y0, y1) - first) / spacing))
    const to = Math.min(rows.length - 1, Math.ceil((Math.max(y0, y1) - first) / spacing) - 1)
    for (let row = from; row <= to; row++) rows[row]?.push(x0 + ((first + row * spacing - y0) / (y1 - y0)) * (x1 - x0))
  }
}

/** Letters as strokes on a grid 4 wide and 6 high: enough for names on beds and parts. */
const STROKES: Record<string, string> = {
  A: '00 26 40|12 32',
  B: '00 06 36 44 33 03|33 42 30 00',
  C: '45 36 06 00 30 41',
  D: '00 06 26 44 42 20 00',
  E: '46 06 00 40|03 33',
  F: '46 06 00|03 33',
  G: '45 36 06 00 30 42 22',
  H: '00 06|40 46|03 43',
  I: '20 26',
  K: '00 06|46 03 40',
  L: '06 00 40',
  M: '00 06 23 46 40',
  N: '00 06 40 46',
  O: '00 06 46 40 00',
  P: '00 06 36 44 33 03',
  R: '00 06 36 44 33 03|23 40',
  S: '46 06 03 43 40 00',
  T: '06 46|26 20',
  U: '06 00 40 46',
  V: '06 20 46',
  W: '06 10 23 30 46',
  X: '00 46|06 40',
  Y: '06 23 46|23 20',
  Z: '06 46 00 40',
  '0': '00 06 46 40 00|00 46',
  '1': '14 26 20',
  '2': '06 46 43 03 00 40',
  '3': '06 46 40 00|13 43',
  '5': '46 06 03 43 40 00',
  '7': '06 46 10',
}

/** The strokes of a text whose letters are `size` high, beginning at the origin. */
export function textStrokes(text: string, size: number): Point[][] {
  return text.split('').flatMap((letter, i) =>
    (STROKES[letter] ?? '')
      .split('|')
      .filter(Boolean)
      .map((stroke) =>
        stroke
          .split(' ')
          .map((pair): Point => [((Number(pair[0]) + i * 5.6) * size) / 6, (Number(pair[1]) * size) / 6]),
      ),
  )
}

/** A word of capital letters and digits. */
export function makeWord(random: Random, letters: number): string {
  const known = Object.keys(STROKES)
  return Array.from({ length: letters }, () => random.pick(known)).join('')
}
