import { lit, mix, type Colour } from './scene-colour.js'
import { drawBar, drawCuboid } from './scene-cuboid.js'
import { pathOf, type Point3, type View } from './scene-geometry.js'
import type { Random } from './scene-random.js'
import type { Light } from './scene-solid.js'

/** How one printer looks; the same for all its pictures. */
export interface Printer {
  /** A portal over a bed that moves to and fro, or a closed box whose gantry moves over a bed that stands. */
  frame: 'portal' | 'enclosure'
  /** Half the width of the bed in millimetres. */
  half: number
  bed: Colour
  grid: number
  gridColour: Colour
  metal: Colour
  head: Colour
  accent: Colour
  wide: number
}

const BEDS: readonly [Colour, ...Colour[]] = [
  [56, 58, 62],
  [74, 76, 80],
  [44, 46, 54],
  [176, 134, 62],
  [90, 94, 90],
  [58, 82, 122],
]
const ACCENTS: readonly [Colour, ...Colour[]] = [
  [236, 104, 30],
  [40, 120, 200],
  [190, 40, 40],
  [60, 60, 64],
  [70, 160, 90],
]
const DARK: Colour = [42, 44, 48]

/** A printer by chance. */
export function makePrinter(random: Random): Printer {
  const bed = random.pick(BEDS)
  return {
    frame: random.chance(0.55) ? 'portal' : 'enclosure',
    half: random.range(100, 116),
    bed,
    grid: random.pick([4, 6, 8, 10]),
    gridColour: mix(bed, random.chance(0.7) ? [235, 235, 230] : [0, 0, 0], random.range(0.15, 0.35)),
    metal: random.pick<Colour>([
      [172, 174, 178],
      [54, 56, 60],
      [120, 122, 128],
    ]),
    head: random.pick<Colour>([
      [46, 48, 52],
      [78, 80, 86],
      [215, 215, 210],
    ]),
    accent: random.pick(ACCENTS),
    wide: random.range(20, 26),
  }
}

/** What the bed rides or stands on. */
export function drawBase(printer: Printer, view: View, light: Light): string {
  const h = printer.half
  if (printer.frame === 'enclosure') return ''
  let text = drawCuboid(
    { min: { x: -h - 44, y: 26, z: -84 }, max: { x: h + 44, y: 54, z: -56 } },
    view,
    light,
    printer.metal,
  )
  text += drawCuboid(
    { min: { x: -22, y: -h - 70, z: -64 }, max: { x: 22, y: h + 60, z: -38 } },
    view,
    light,
    printer.metal,
  )
  text += drawBar({ x: -9, y: -h - 70, z: -38 }, { x: -9, y: h + 60, z: -38 }, 3, view, '#17181b')
  text += drawBar({ x: 9, y: -h - 70, z: -38 }, { x: 9, y: h + 60, z: -38 }, 3, view, '#17181b')
  return text
}

/** The heated bed with its grid, the carriage and springs under it, and the clips that hold its sheet. */
export function drawBed(printer: Printer, view: View, light: Light): string {
  const h = printer.half
  const point = (x: number, y: number, z = 0): Point3 => ({ x: x * h, y: y * h, z })
  const slab = (k: number, low: number, high: number, colour: Colour): string =>
    drawCuboid({ min: point(-k, -k, low), max: point(k, k, high) }, view, light, colour)
  let text = slab(0.8, -30, -22, DARK)
  for (const x of [-0.74, 0.74]) text += drawBar(point(x, -0.78, -22), point(x, -0.78, -5), 8, view, '#8d9095')
  text += slab(1, -6, -2, printer.metal) + slab(1, -2, 0, printer.bed)
  let grid = ''
  for (let i = 1; i < printer.grid; i++) {
    const at = -1 + (2 * i) / printer.grid
    grid += pathOf([view.project(point(at, -0.95)), view.project(point(at, 0.95))])
    grid += pathOf([view.project(point(-0.95, at)), view.project(point(0.95, at))])
  }
  const outline = (k: number): string =>
    pathOf(
      [point(-k, -k), point(k, -k), point(k, k), point(-k, k)].map((p) => view.project(p)),
      true,
    )
  text += `<path d="${grid}${outline(0.95)}" stroke="${lit(printer.gridColour, 1)}" stroke-width=".8" fill="none" stroke-opacity=".75"/>`
  text += `<path d="${outline(1)}" fill="url(#sheen)"/>`
  text += drawBar(point(-1, -1), point(1, -1), 0.6, view, lit(mix(printer.bed, [255, 255, 255], 0.45), 1))
  for (const x of [-0.62, 0.62]) {
    const clip = { min: { x: x * h - 9, y: -h - 3, z: -7 }, max: { x: x * h + 9, y: -h + 7, z: 2.5 } }
    text += drawCuboid(clip, view, light, DARK)
  }
  return text
}

/** Two uprights behind the part, each with its rod (portal) or at the back corners (enclosure). */
export function drawUprights(printer: Printer, view: View, light: Light): string {
  const x = printer.half + 32
  const w = printer.wide / 2
  const portal = printer.frame === 'portal'
  const [y, top] = portal ? [40, 330] : [printer.half + 40, 360]
  const bar = (px: number, width: number, stroke: string): string =>
    drawBar({ x: px, y: y - w, z: -56 }, { x: px, y: y - w, z: top }, width, view, stroke)
  let text = ''
  for (const side of [-1, 1]) {
    const post = { min: { x: side * x - w, y: y - w, z: -84 }, max: { x: side * x + w, y: y + w, z: top } }
    text += drawCuboid(post, view, light, printer.metal)
    text += bar(side * x, 4, lit(printer.metal, 0.28)) + bar(side * x + 3.2, 0.8, lit(printer.metal, 0.95))
    if (portal) text += bar(side * (x - w - 9), 6.5, '#5d5f64') + bar(side * (x - w - 9) - 1.2, 2, '#cfd2d6')
  }
  return text
}

/** The cross rail the head runs along, with its belt, and what carries it at both ends. */
export function drawRail(printer: Printer, nozzle: Point3, view: View, light: Light): string {
  const x = printer.half + 38
  const [y, z] = [nozzle.y + 34, nozzle.z + 58]
  const block = (x0: number, x1: number, dy: number, low: number, high: number, colour: Colour): string =>
    drawCuboid(
      { min: { x: Math.min(x0, x1), y: y - dy, z: z + low }, max: { x: Math.max(x0, x1), y: y + 12, z: z + high } },
      view,
      light,
      colour,
    )
  let text = block(-x, x, 8, -10, 10, printer.metal)
  text += drawBar({ x: -x, y: y - 9, z: z - 3 }, { x, y: y - 9, z: z - 3 }, 4, view, '#15161a')
  text += drawBar({ x: -x, y: y - 9, z: z + 5 }, { x, y: y - 9, z: z + 5 }, 3, view, lit(printer.metal, 0.6))
  text += drawBar({ x: -x, y: y - 9, z: z + 5.7 }, { x, y: y - 9, z: z + 5.7 }, 1, view, '#e4e6ea')
  for (const side of [-1, 1]) {
    const inner = side * (x - 22)
    text += block(inner, inner + side * 26, 16, -17, 17, printer.accent)
    if (side < 0) {
      text += block(inner - 58, inner - 52, 15, -17, 17, [150, 152, 156])
      text += block(inner - 52, inner - 32, 15, -17, 17, [34, 35, 38])
      text += block(inner - 32, inner - 26, 15, -17, 17, [150, 152, 156])
    }
    for (const dz of [-11, 11]) {
      const screw = { x: inner + side * 13, y: y - 16.5, z: z + dz }
      text += drawBar(screw, screw, 5, view, '#202124')
    }
  }
  return text
}
