import { lerp, type Point2, type Point3 } from './scene-geometry.js'
import type { Random } from './scene-random.js'
import type { Solid } from './scene-solid.js'

/** What is printed: one or more solids, in the order they are drawn (farthest first), and the height of the whole. */
export interface Part {
  family: PartFamily
  solids: Solid[]
  height: number
}

const FAMILIES = {
  vase,
  box,
  boat,
  gear,
  tower,
  several,
}

export type PartFamily = keyof typeof FAMILIES

/** The families of parts. */
export const PART_FAMILIES: readonly [PartFamily, ...PartFamily[]] = ['vase', 'box', 'boat', 'gear', 'tower', 'several']

/** A part of this family; the numbers of `random` decide its measures. */
export function makePart(family: PartFamily, random: Random): Part {
  const solids = FAMILIES[family](random)
  return { family, solids, height: Math.max(...solids.map((solid) => solid.to)) }
}

function ring(count: number, point: (angle: number) => Point2): Point2[] {
  return Array.from({ length: count }, (_, i) => point((i / count) * Math.PI * 2))
}

function vase(random: Random): Solid[] {
  const radius = random.range(26, 40)
  const [bulge, phase, waves] = [random.range(0.1, 0.28), random.range(0, 6), random.range(0.5, 1.2)]
  const lobes = random.pick([0, 0, 5, 8, 12])
  const [depth, twist] = [lobes > 8 ? 0.05 : 0.09, random.range(-1.4, 1.4)]
  const outline = (t: number): Point2[] => {
    const base = radius * (0.85 + bulge * Math.sin(phase + waves * Math.PI * 2 * t))
    return ring(lobes > 0 ? 84 : 60, (a) => {
      const r = base * (1 + (lobes > 0 ? depth * Math.cos(lobes * a + twist * t * 4) : 0))
      return { x: Math.cos(a) * r, y: Math.sin(a) * r }
    })
  }
  return [{ from: 0, to: random.range(75, 125), outline, inside: 'hollow', straight: false }]
}

function roundedBox(cx: number, cy: number, hx: number, hy: number, r: number): Point2[] {
  return ring(24, (a) => {
    const [c, s] = [Math.cos(a), Math.sin(a)]
    return { x: cx + Math.sign(c) * (hx - r) + c * r, y: cy + Math.sign(s) * (hy - r) + s * r }
  })
}

function box(random: Random): Solid[] {
  const [hx, hy, height] = [random.range(32, 55), random.range(22, 38), random.range(35, 80)]
  const shape = roundedBox(0, 0, hx, hy, random.range(2, 9))
  const columns = random.whole(2, 4)
  const r = Math.min(height * 0.2, (hx * 0.7) / columns)
  const openings: Point3[][] = []
  for (let i = 0; i < columns; i++) {
    const x = lerp(-hx, hx, (i + 0.5) / columns) * 0.9
    openings.push(
      ring(26, (a) => ({ x: x + Math.cos(a) * r, y: height / 2 + Math.sin(a) * r })).map((p) => ({
        x: p.x,
        y: -hy,
        z: p.y,
      })),
    )
  }
  return [{ from: 0, to: height, outline: () => shape, inside: 'infill', straight: true, openings }]
}

/** A small boat: a hull that widens upwards, a cabin on posts of wall, a roof and a funnel. */
function boat(random: Random): Solid[] {
  const k = random.range(1, 1.35)
  const hull = (t: number): Point2[] => {
    const half = 20 * k * (0.72 + 0.28 * t)
    return ring(40, (a) => {
      const x = Math.cos(a)
      const bow = x > 0 ? 1 - x * x * x * 0.85 : 1
      const side = Math.sign(Math.sin(a)) * Math.abs(Math.sin(a)) ** 0.6
      return { x: x * (44 + 10 * t) * k + 4 * t * k, y: side * half * bow }
    })
  }
  const cabin = roundedBox(-8 * k, 0, 17 * k, 12 * k, 2)
  const roof = roundedBox(-8 * k, 0, 20 * k, 15 * k, 3)
  const funnel = ring(20, (a) => ({ x: -14 * k + Math.cos(a) * 5 * k, y: Math.sin(a) * 5 * k }))
  const window = (x: number): Point3[] =>
    [
      [-5, 27],
      [5, 27],
      [5, 43],
      [-5, 43],
    ].map(([dx = 0, z = 0]) => ({ x: (x + dx) * k, y: -12 * k, z: z * k }))
  return [
    { from: 0, to: 22 * k, outline: hull, inside: 'infill', straight: false },
    {
      from: 22 * k,
      to: 48 * k,
      outline: () => cabin,
      inside: 'infill',
      straight: true,
      openings: [window(-16), window(0)],
    },
    { from: 48 * k, to: 52 * k, outline: () => roof, inside: 'infill', straight: true },
    { from: 52 * k, to: 66 * k, outline: () => funnel, inside: 'hollow', straight: true },
  ]
}

function gear(random: Random): Solid[] {
  const [teeth, radius, height] = [random.whole(14, 24), random.range(36, 52), random.range(12, 24)]
  const outline = ring(teeth * 4, (a) => {
    const step = Math.round((a / (Math.PI * 2)) * teeth * 4) % 4
    const r = radius * (step < 2 ? 1 : 0.87)
    return { x: Math.cos(a) * r, y: Math.sin(a) * r }
  })
  const hub = ring(32, (a) => ({ x: Math.cos(a) * radius * 0.35, y: Math.sin(a) * radius * 0.35 }))
  const axle = ring(24, (a) => ({ x: Math.cos(a) * radius * 0.2, y: Math.sin(a) * radius * 0.2 }))
  return [
    { from: 0, to: height, outline: () => outline, inside: 'infill', straight: true },
    { from: height, to: height * 1.7, outline: () => hub, inside: 'infill', straight: true },
    { from: height * 1.7, to: height * 2.6, outline: () => axle, inside: 'hollow', straight: true },
  ]
}

/** Storeys that step in, each with a ledge and two arched windows. */
function tower(random: Random): Solid[] {
  const [storeys, storey] = [random.whole(4, 6), random.range(17, 22)]
  const solids: Solid[] = []
  for (let i = 0; i < storeys; i++) {
    const half = random.range(22, 24) - i * 1.6
    const [shape, ledge] = [roundedBox(0, 0, half, half, 2), roundedBox(0, 0, half + 3, half + 3, 2)]
    const from = i * storey
    const arch = (x: number): Point3[] =>
      [
        [-4, 5],
        [4, 5],
        [4, 10],
        [2.5, 12.6],
        [0, 13.6],
        [-2.5, 12.6],
        [-4, 10],
      ].map(([dx = 0, z = 0]) => ({ x: x + dx, y: -half, z: from + z }))
    solids.push(
      {
        from,
        to: from + storey - 3,
        outline: () => shape,
        inside: 'infill',
        straight: true,
        openings: [arch(-9), arch(9)],
      },
      { from: from + storey - 3, to: from + storey, outline: () => ledge, inside: 'infill', straight: true },
    )
  }
  return solids
}

function several(random: Random): Solid[] {
  const solids: Solid[] = []
  const [columns, rows] = [random.whole(2, 4), random.whole(2, 3)]
  const [sides, gap, height] = [random.pick([4, 6, 30]), random.range(38, 44), random.range(14, 55)]
  const turn = sides === 4 ? Math.PI / 4 : 0
  for (let row = rows - 1; row >= 0; row--) {
    for (let column = 0; column < columns; column++) {
      const [cx, cy] = [(column - (columns - 1) / 2) * gap, (row - (rows - 1) / 2) * gap]
      const [low, high] = [random.range(11, 14), random.range(7, 13)]
      const outline = (t: number): Point2[] =>
        ring(sides, (a) => ({
          x: cx + Math.cos(a + turn) * lerp(low, high, t),
          y: cy + Math.sin(a + turn) * lerp(low, high, t),
        }))
      solids.push({
        from: 0,
        to: height,
        outline,
        inside: random.chance(0.4) ? 'hollow' : 'infill',
        straight: sides < 10,
      })
    }
  }
  return solids
}
