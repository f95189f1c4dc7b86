import { hatch, moved, type Outline, ringOf } from './outlines.js'
import { CLOSED_PARTS } from './parts-closed.js'
import { OPEN_PARTS } from './parts-open.js'
import type { Random } from './random.js'
import type { Slice, Solid } from './slices.js'
import { MOVE, type Toolpath, ToolpathBuilder } from './toolpath.js'

export type PartName = keyof typeof CLOSED_PARTS | keyof typeof OPEN_PARTS

const SOLIDS: Record<PartName, (random: Random) => Solid> = { ...CLOSED_PARTS, ...OPEN_PARTS }

/** What can be printed without a G-code file. */
export const PARTS = [
  'vase',
  'box',
  'gear',
  'lattice',
  'tree',
  'plate',
  'tower',
  'hull',
  'text',
  'arch',
  'odd',
] as const satisfies readonly PartName[]

const WALL_SPEED = 60
const FILL_SPEED = 110
const TRAVEL_SPEED = 160
/** More layers than this look no different and only take time. */
const MOST_LAYERS = 220

/** Where a part stands and how long it takes. */
export interface Placement {
  readonly x: number
  readonly y: number
  readonly seconds: number
}

/** The moves that print a part. */
export function printPart(name: PartName, random: Random, placement: Placement): Toolpath {
  const solid = SOLIDS[name](random)
  const layerHeight = Math.max(random.pick([0.16, 0.2, 0.28]), solid.height / MOST_LAYERS)
  const layers = Math.max(2, Math.round(solid.height / layerHeight))
  const turn = random.chance(0.5) ? 0 : random.between(0, 6.3)
  const builder = new ToolpathBuilder()
  const place = (outline: Outline): Outline => moved(outline, placement.x, placement.y, 1, turn)
  primeLine(builder, random)
  for (let layer = 0; layer < layers; layer++) {
    const z = (layer + 1) * layerHeight
    builder.layer = layer
    const slice = solid.slice(layer / Math.max(1, layers - 1))
    if (layer === 0) skirt(builder, random, slice, place, z)
    for (const outline of slice.supports ?? []) loop(builder, place(outline), z, MOVE.support)
    for (const outline of slice.walls) loop(builder, place(outline), z, MOVE.wall)
    for (const stroke of slice.strokes ?? []) line(builder, place(stroke), z, MOVE.top)
    if (slice.fill !== undefined && slice.walls.length > 0) {
      const { angle, spacing, kind } = slice.fill
      for (const ends of hatch(slice.walls, angle, spacing)) line(builder, place(ends), z, kind)
    }
  }
  return builder.build({ layerHeight, isOpen: solid.isOpen, seconds: placement.seconds })
}

function line(builder: ToolpathBuilder, points: Outline, z: number, kind: number): void {
  for (const [i, [x, y]] of points.entries()) {
    builder.to(
      x,
      y,
      z,
      i === 0 ? MOVE.travel : kind,
      i === 0 ? TRAVEL_SPEED : kind === MOVE.wall ? WALL_SPEED : FILL_SPEED,
    )
  }
}

function loop(builder: ToolpathBuilder, outline: Outline, z: number, kind: number): void {
  const [first] = outline
  if (first !== undefined) line(builder, [...outline, first], z, kind)
}

function primeLine(builder: ToolpathBuilder, random: Random): void {
  if (random.chance(0.4)) return
  const [x, length] = [random.between(4, 12), random.between(60, 150)]
  line(
    builder,
    [
      [x, 20],
      [x, 20 + length],
      [x + 0.8, 20 + length],
      [x + 0.8, 20],
    ],
    0.25,
    MOVE.skirt,
  )
}

/** A skirt around the first layer, or a brim along it, or neither. */
function skirt(
  builder: ToolpathBuilder,
  random: Random,
  slice: Slice,
  place: (outline: Outline) => Outline,
  z: number,
): void {
  const all = [...slice.walls, ...(slice.supports ?? []), ...(slice.strokes ?? [])].flat()
  const loops = random.whole(0, 7)
  const reach = Math.max(...all.map(([x, y]) => Math.hypot(x, y)))
  const gap = loops > 3 ? 0.4 : random.between(3, 8)
  const [outer] = slice.walls
  for (let i = 0; i < loops; i++) {
    const away = gap + i * 0.5
    if (loops > 3 && outer !== undefined && slice.walls.length < 4) {
      const own = Math.max(...outer.map(([x, y]) => Math.hypot(x, y)))
      loop(builder, place(moved(outer, 0, 0, 1 + away / own)), z, MOVE.skirt)
    } else loop(builder, place(ringOf(48, () => reach + away)), z, MOVE.skirt)
  }
}
