import {
  hullOutline,
  makeWord,
  moved,
  oddOutline,
  rectangle,
  ringOf,
  textStrokes,
  type Outline,
  type Point,
} from './outlines.js'
import type { Random } from './random.js'
import { mix, polar, turning, type Solid } from './slices.js'
import { MOVE } from './toolpath.js'

/** Parts that one can see through: lattices, supports, letters. */
export const OPEN_PARTS = {
  lattice: (random) => {
    const [size, cell, height] = [random.between(30, 80), random.between(7, 16), random.between(20, 80)]
    const isGyroid = random.chance(0.5)
    return {
      height,
      isOpen: true,
      slice: (share) => ({
        walls: isGyroid ? [] : trussWalls(size, cell, share * height),
        strokes: isGyroid ? gyroidLines(size, cell, share * height) : [],
      }),
    }
  },
  tree: (random) => {
    const [reach, height, count] = [random.between(20, 45), random.between(30, 90), random.whole(3, 9)]
    const branches = Array.from({ length: count }, () => ({
      foot: polar(random.between(2, reach), random.next()),
      head: polar(random.between(5, reach), random.next()),
      bend: random.between(0.8, 2.5),
      thick: random.between(1.2, 3.2),
    }))
    const roof = random.chance(0.5) ? hullOutline(reach * 2.4, reach * 1.3) : oddOutline(random, reach * 1.2)
    const from = random.between(0.6, 0.85)
    return {
      height,
      isOpen: true,
      slice: (share) =>
        share > from
          ? {
              walls: [moved(roof, 0, 0, 0.6 + 0.4 * Math.min(1, (share - from) * 8))],
              fill: { angle: turning(share), spacing: 1.2, kind: MOVE.top },
            }
          : {
              walls: [],
              supports: branches.map(({ foot, head, bend, thick }) =>
                moved(
                  ringOf(10, () => thick * (1.4 - share)),
                  mix(foot[0], head[0], (share / from) ** bend),
                  mix(foot[1], head[1], (share / from) ** bend),
                ),
              ),
            },
    }
  },
  text: (random) => {
    const [letters, size] = [random.whole(3, 9), random.between(12, 26)]
    const strokes = textStrokes(makeWord(random, letters), size).map((stroke) =>
      stroke.map(([x, y]): Point => [x - letters * size * 0.46, y - size / 2]),
    )
    const board = rectangle(letters * size * 0.98, size * 1.6)
    const hasBoard = random.chance(0.7)
    const thick = [-1.1, -0.4, 0.4, 1.1]
    return {
      height: random.between(3, 10),
      isOpen: true,
      slice: (share) =>
        hasBoard && share < 0.5
          ? { walls: [board], fill: { angle: turning(share), spacing: 0.8, kind: MOVE.top } }
          : {
              walls: [],
              strokes: thick.flatMap((by) =>
                strokes.map((stroke) => stroke.map(([x, y]): Point => [x + by, y + by * 0.6])),
              ),
            },
    }
  },
  arch: (random) => {
    const [span, depth, height] = [random.between(35, 80), random.between(12, 35), random.between(25, 70)]
    const foot = rectangle(span * 0.18, depth)
    const isSupported = random.chance(0.7)
    return {
      height,
      isOpen: true,
      slice: (share) =>
        share > 0.75
          ? { walls: [rectangle(span, depth)], fill: { angle: turning(share), spacing: 1, kind: MOVE.top } }
          : {
              walls: [moved(foot, -span * 0.41, 0), moved(foot, span * 0.41, 0)],
              fill: { angle: turning(share), spacing: 2.5, kind: MOVE.fill },
              supports: isSupported ? zigzag(span * 0.6, depth * 0.9) : [],
            },
    }
  },
} satisfies Record<string, (random: Random) => Solid>

/** A block of crossing struts: posts that lean into each other and join at each cell's ends. */
function trussWalls(size: number, cell: number, height: number): Outline[] {
  const share = (height % cell) / cell
  const lean = Math.abs(share - 0.5) * cell
  const count = Math.round(size / cell)
  return Array.from({ length: count * count }, (_, i) => {
    const [x, y] = [((i % count) - (count - 1) / 2) * cell, (Math.floor(i / count) - (count - 1) / 2) * cell]
    return [
      moved(
        ringOf(6, () => cell * 0.1),
        x + lean - cell / 4,
        y,
      ),
      moved(
        ringOf(6, () => cell * 0.1),
        x - lean + cell / 4,
        y + lean / 2,
      ),
    ]
  }).flat()
}

/** The lines of a gyroid at a height: waves that run along one axis, then along the other. */
function gyroidLines(size: number, cell: number, height: number): Point[][] {
  const turn = (height / cell) * Math.PI
  const [along, across] = [Math.cos(turn), Math.sin(turn)]
  const isTurned = Math.abs(across) > Math.abs(along)
  const count = Math.max(2, Math.round(size / cell))
  return Array.from({ length: count }, (_, i) => {
    const middle = ((i + 0.5) / count - 0.5) * size
    return Array.from({ length: 25 }, (_unused, n): Point => {
      const at = (n / 24 - 0.5) * size
      const wave = Math.sin((at / cell) * Math.PI + turn + i * Math.PI) * cell * 0.38
      return isTurned ? [middle + wave, at] : [at, middle + wave]
    })
  })
}

function zigzag(span: number, depth: number): Outline[] {
  return Array.from({ length: Math.round(span / 3) }, (_, i) => {
    const x = -span / 2 + i * 3
    return [
      [x, -depth / 2],
      [x + 1.5, depth / 2],
      [x, -depth / 2 + 0.2],
    ] as const
  })
}
