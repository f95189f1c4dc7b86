import type { Polygon } from '../../packages/server/src/detection/cameras/look-options.js'
import { makeSetting, type Setting } from '../../packages/agent/src/cameras/scene-setting.js'
import { makeRandom, type Random } from './random.js'

// Things that are in a printer's picture all the time and mean nothing: what makes false alarms of most printers.

const WIDTH = 640
const HEIGHT = 480

/** In turn, by the printer's number. */
export const CLUTTER = ['scraps', 'clips', 'logo', 'reflection'] as const
export type ClutterKind = (typeof CLUTTER)[number]

/** What lies about, as SVG over the picture, and where: what a user would paint over, and the bed that they would mark. */
export interface Clutter {
  readonly kind: ClutterKind
  readonly svg: string
  readonly regions: readonly Polygon[]
}

interface Spot {
  readonly x: number
  readonly y: number
  readonly rx: number
  readonly ry: number
}

const clamp = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value))

/** A place on the bed, in shares of its half width, as a spot of the picture. */
function spotAt({ view, printer }: Setting, x: number, y: number, rx: number, ry: number): Spot {
  const at = view.project({ x: x * printer.half, y: y * printer.half, z: 0 })
  return { x: clamp(at.x, rx + 4, WIDTH - rx - 4), y: clamp(at.y, ry + 4, HEIGHT - ry - 4), rx, ry }
}

function around({ x, y, rx, ry }: Spot): Polygon {
  const [left, right] = [(x - rx * 1.25) / WIDTH, (x + rx * 1.25) / WIDTH]
  const [top, bottom] = [(y - ry * 1.25) / HEIGHT, (y + ry * 1.25) / HEIGHT]
  const inside = (value: number): number => clamp(value, 0, 1)
  return [
    [inside(left), inside(top)],
    [inside(right), inside(top)],
    [inside(right), inside(bottom)],
    [inside(left), inside(bottom)],
  ]
}

/** Loops of filament. */
function loops(random: Random, { x, y, rx, ry }: Spot, count: number, colour: string, width: number): string {
  const points = Array.from({ length: count }, () => {
    const [angle, reach] = [random.range(0, 2 * Math.PI), Math.sqrt(random.next())]
    return `${(x + Math.cos(angle) * reach * rx).toFixed(1)},${(y + Math.sin(angle) * reach * ry).toFixed(1)}`
  })
  return `<path d="M${points[0]} T${points.join(' T')}" fill="none" stroke="${colour}" stroke-width="${width}"/>`
}

function clip({ x, y }: Spot): string {
  return `<rect x="${x - 11}" y="${y - 7}" width="22" height="13" rx="2" fill="#15161a"/>
    <path d="M${x - 8} ${y - 7} q-3 -14 5 -15 q7 1 4 15 M${x + 8} ${y - 7} q3 -14 -5 -15 q-7 1 -4 15" fill="none" stroke="#b9bcc2" stroke-width="1.6"/>`
}

function logo(random: Random, spot: Spot): string {
  const { x, y } = spot
  return `<text x="${x}" y="${y + 6}" text-anchor="middle" font-family="serif" font-style="italic" font-size="26" fill="#e9e6da">Maker</text>
    ${loops(random, { ...spot, ry: spot.ry * 0.8 }, 22, '#e9e6da', 1.4)}`
}

function reflection(random: Random, spot: Spot): string {
  const { x, y, rx, ry } = spot
  return `<defs><radialGradient id="glare"><stop offset="0" stop-color="#fff" stop-opacity="0.95"/><stop offset="1" stop-color="#fff" stop-opacity="0"/></radialGradient></defs>
    <ellipse cx="${x}" cy="${y}" rx="${rx}" ry="${ry}" fill="url(#glare)"/>${loops(random, { ...spot, rx: rx * 0.7, ry: ry * 0.6 }, 14, '#fffdf2', 2)}`
}

/** What lies about at the printer of a scene; the same each time. */
export function clutterOf(seed: number, kind: ClutterKind): Clutter {
  const random = makeRandom('clutter', seed)
  const setting = makeSetting(seed)
  const side = random.pick([-1, 1])
  if (kind === 'clips') {
    const spots = [-1, 1].flatMap((x) => [-0.55, 0.2].map((y) => spotAt(setting, x * 0.98, y, 14, 22)))
    return { kind, svg: spots.map(clip).join(''), regions: spots.map(around) }
  }
  if (kind === 'scraps') {
    const spot = spotAt(setting, side * random.range(1.15, 1.35), random.range(-0.9, -0.3), 44, 30)
    const colour = random.pick(['#e8e2d0', '#d9822b', '#3d7fc4', '#c9ccd1'])
    return { kind, svg: loops(random, spot, random.below(70) + 50, colour, 2), regions: [around(spot)] }
  }
  const spot = spotAt(setting, side * 0.45, -0.85, 52, 20)
  const svg = kind === 'logo' ? logo(random, spot) : reflection(random, spot)
  return { kind, svg, regions: [around(spot)] }
}

/** The rectangle that a user would mark as the bed, with some room above it for the part; in shares of the picture. */
export function bedOf(seed: number): { x: number; y: number; width: number; height: number } {
  const { view, printer, part } = makeSetting(seed)
  const corners = [-1, 1].flatMap((x) =>
    [-1, 1].flatMap((y) =>
      [0, part.height + 15].map((z) => view.project({ x: x * printer.half, y: y * printer.half, z })),
    ),
  )
  const low = (values: number[], size: number): number => clamp(Math.min(...values) / size, 0, 0.6)
  const high = (values: number[], size: number): number => clamp(Math.max(...values) / size, 0.4, 1)
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)]
  const [left, top] = [low(xs, WIDTH), low(ys, HEIGHT)]
  return { x: left, y: top, width: high(xs, WIDTH) - left, height: high(ys, HEIGHT) - top }
}
