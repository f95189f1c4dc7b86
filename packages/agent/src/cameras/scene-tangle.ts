import type { Colour } from './scene-colour.js'
import { clamp, curveOf, type Point2, type Point3, type View } from './scene-geometry.js'
import type { Random } from './scene-random.js'
import { drawBlob, drawStrand, hangFrom, walkStrand, LOW_PART, type Dome, type Obstacle } from './scene-strand.js'

/** What was drawn, and the box around it in the units of the picture. */
export interface Tangle {
  svg: string
  box: Box
}

export interface Box {
  x0: number
  y0: number
  x1: number
  y1: number
}

/** What a tangle depends on besides chance. */
export interface TangleInput {
  part: Obstacle
  /** Above 0 to 1. */
  failure: number
  /** Where filament still comes from; absent when the head is parked. */
  nozzle: Point3 | undefined
  view: View
  colour: Colour
}

const STRANDS = 96
const FEWEST_STRANDS = 6
const THICKNESS_MM = 0.62

/** How strands of one printer behave: stiff filament makes wide arcs, soft filament tight curls. */
interface Habit {
  tightness: number
  crown: Dome
  foot: Dome
  crownShare: number
}

function makeHabit(random: Random, part: Obstacle): Habit {
  const side = random.range(-1.1, 1.1)
  const [sx, sy] = [Math.sin(side), -Math.cos(side)]
  const low = part.top < LOW_PART
  return {
    tightness: random.range(0.16, 0.38),
    crown: {
      centre: { x: random.range(-8, 8), y: random.range(-8, 4), z: part.top },
      radius: clamp(Math.min(part.rx, part.ry) * 1.25, 30, 52) * random.range(0.9, 1.15),
      height: random.range(36, 64),
    },
    foot: {
      centre: low ? { x: sx * 10, y: sy * 10, z: 0 } : { x: sx * (part.rx + 8), y: sy * (part.ry + 8), z: 0 },
      radius: random.range(34, 52),
      height: random.range(18, 30) + part.top * 0.35,
    },
    crownShare: low ? 0.35 : random.range(0.5, 0.75),
  }
}

/** Widens `box` by what holds most of these points; the stray ends of a strand do not count. */
function growBox(box: Box, points: readonly Point2[]): void {
  const inner = (values: number[]): [number, number] => {
    values.sort((a, b) => a - b)
    const edge = Math.floor(values.length * 0.05)
    return [values[edge] ?? 0, values[values.length - 1 - edge] ?? 0]
  }
  const [x0, x1] = inner(points.map((p) => p.x))
  const [y0, y1] = inner(points.map((p) => p.y))
  box.x0 = Math.min(box.x0, x0)
  box.y0 = Math.min(box.y0, y0)
  box.x1 = Math.max(box.x1, x1)
  box.y1 = Math.max(box.y1, y1)
}

/** The shadow of a strand on the bed, or on the part where it lies on top. */
function castShadow(points: readonly Point3[], top: number, view: View): string {
  const fewer = points.filter((_, i) => i % 3 === 0)
  return curveOf(fewer.map((p) => view.project({ ...p, z: p.z > top ? top : 0 })))
}

/** How bright a strand is: those deep in the heap lie in the shade of the others. */
function shade(random: Random, middle: Point3, dome: Dome): number {
  return clamp(0.78 + ((middle.z - dome.centre.z) / dome.height) * 0.4 + random.range(-0.14, 0.24), 0.6, 1.2)
}

function drawHanging(random: Random, crown: Dome, { nozzle, failure, view, colour }: TangleInput): string {
  if (!nozzle) return ''
  const end = { ...crown.centre, z: crown.centre.z + crown.height * (0.2 + 0.45 * failure) }
  const points = hangFrom(nozzle, end, random).map((p) => view.project(p))
  return drawStrand(points, Math.max(1.2, view.scaleAt(nozzle) * 0.8), colour, 1)
}

/** Filament heaped on and around the part. Strands come one after another, so a tangle only grows with `failure`. */
export function drawTangle(random: Random, input: TangleInput): Tangle {
  const { part, failure, view, colour } = input
  const habit = makeHabit(random, part)
  const box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity }
  const drawn: { depth: number; svg: string }[] = []
  let shadow = ''
  for (let i = 0; i < Math.max(FEWEST_STRANDS, Math.round(STRANDS * failure)); i++) {
    const dome = random.chance(habit.crownShare) ? habit.crown : habit.foot
    const size = 0.42 + 0.64 * Math.min(1, (i + 3) / STRANDS) ** 0.7
    const points = walkStrand(random, dome, size, habit.tightness, part)
    const seen = points.map((p) => view.project(p))
    const middle = points[points.length >> 1] ?? dome.centre
    const width = Math.max(1.05, THICKNESS_MM * random.range(0.8, 1.3) * view.scaleAt(middle))
    const depth = view.depth(middle) - middle.z * 0.4
    growBox(box, seen)
    if (i % 2 === 0) shadow += castShadow(points, part.top, view)
    drawn.push({ depth, svg: drawStrand(seen, width, colour, shade(random, middle, dome)) })
    if (random.chance(0.05)) drawn.push({ depth, svg: drawBlob(middle, random.range(1.5, 4), view, colour) })
  }
  drawn.sort((a, b) => b.depth - a.depth)
  const strands = drawn.map((one) => one.svg).join('') + drawHanging(random, habit.crown, input)
  const svg = `<path d="${shadow}" fill="none" stroke="#000" stroke-opacity=".2" stroke-width="3"/><g fill="none" stroke-linecap="round" stroke-linejoin="round">${strands}</g>`
  return { svg, box }
}
