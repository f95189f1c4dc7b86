import { lit, mix, type Colour } from './scene-colour.js'
import { num, PICTURE, type View, type Point3, pathOf } from './scene-geometry.js'
import type { Printer } from './scene-printer.js'
import type { Random } from './scene-random.js'

const { width: W, height: H } = PICTURE
const WALLS: readonly [Colour, ...Colour[]] = [
  [92, 88, 82],
  [70, 78, 86],
  [116, 108, 98],
  [52, 56, 66],
  [84, 74, 66],
]

/** A workshop, out of focus: a wall, a lamp's glow, shelves with boxes and spools, and a desk. */
function workshop(random: Random, filament: Colour): string {
  const wall = random.pick(WALLS)
  const desk = mix(wall, [104, 76, 50], 0.6)
  const glow = random.range(80, W - 80)
  let text = `<radialGradient id="wall" gradientUnits="userSpaceOnUse" cx="${num(glow)}" cy="20" r="520"><stop offset="0" stop-color="${lit(wall, 1.5)}"/><stop offset=".6" stop-color="${lit(wall, 0.85)}"/><stop offset="1" stop-color="${lit(wall, 0.5)}"/></radialGradient>`
  text += `<rect width="${W}" height="${H}" fill="url(#wall)"/>`
  let things = ''
  const shelf = random.range(60, 120)
  things += `<rect x="-10" y="${num(shelf)}" width="${W + 20}" height="10" fill="${lit(desk, 0.55)}"/>`
  for (let x = random.range(-20, 30); x < W; ) {
    const [w, h] = [random.range(24, 70), random.range(24, 58)]
    const colour = mix(
      random.pick<Colour>([[120, 70, 50], [60, 80, 100], [130, 130, 120], [50, 50, 54], filament]),
      wall,
      0.55,
    )
    if (random.chance(0.3)) {
      things += `<circle cx="${num(x + 26)}" cy="${num(shelf - 27)}" r="27" fill="${lit(colour, 0.85)}"/><circle cx="${num(x + 26)}" cy="${num(shelf - 27)}" r="10" fill="${lit(wall, 0.3)}"/>`
    } else if (random.chance(0.8))
      things += `<rect x="${num(x)}" y="${num(shelf - h)}" width="${num(w)}" height="${num(h)}" fill="${lit(colour, random.range(0.5, 0.9))}"/>`
    x += w + random.range(4, 40)
  }
  text += `<g filter="url(#far)">${things}</g>`
  const edge = num(random.range(205, 245))
  const stop = (offset: number, light: number): string => `<stop offset="${offset}" stop-color="${lit(desk, light)}"/>`
  text += `<radialGradient id="desk" gradientUnits="userSpaceOnUse" cx="320" cy="400" r="430">${stop(0, 1.05)}${stop(0.5, 0.85)}${stop(1, 0.45)}</radialGradient>`
  text += `<rect y="${edge}" width="${W}" height="${H}" fill="url(#desk)"/>`
  let grain = ''
  for (let y = Number(edge) + 6; y < H; y += 5 + (y - 200) * 0.06)
    grain += `M-5 ${num(y)}q${num(random.range(80, 240))} ${num(random.normal() * 6)} 330 ${num(random.normal() * 2)}t330 ${num(random.normal() * 3)}`
  text += `<path d="${grain}" fill="none" stroke="#000" stroke-opacity=".13" stroke-width="1.4"/>`
  return `${text}<ellipse cx="320" cy="435" rx="330" ry="75" fill="url(#under)"/>`
}

/** The inside of an enclosure: a back panel, side panels, a floor and a strip of light under the roof. */
function enclosure(random: Random, printer: Printer, view: View): string {
  const panel: Colour = random.pick<Colour>([
    [46, 48, 54],
    [62, 62, 66],
    [38, 42, 50],
    [150, 150, 146],
  ])
  const [x, back, front] = [printer.half + 62, printer.half + 70, -printer.half - 120]
  const at = (px: number, py: number, pz: number): Point3 => ({ x: px, y: py, z: pz })
  const quad = (points: Point3[], fill: string): string =>
    `<path d="${pathOf(
      points.map((p) => view.project(p)),
      true,
    )}" fill="${fill}"/>`
  const strip: Colour = random.pick<Colour>([
    [255, 240, 214],
    [226, 238, 255],
    [255, 255, 248],
  ])
  let text = `<rect width="${W}" height="${H}" fill="${lit(panel, 0.3)}"/>`
  text += quad([at(-x, back, -60), at(x, back, -60), at(x, back, 400), at(-x, back, 400)], 'url(#panel)')
  text += quad([at(-x, back, -60), at(-x, front, -60), at(-x, front, 400), at(-x, back, 400)], lit(panel, 0.62))
  text += quad([at(x, back, -60), at(x, front, -60), at(x, front, 400), at(x, back, 400)], lit(panel, 0.8))
  text += quad([at(-x, back, -60), at(x, back, -60), at(x, front, -60), at(-x, front, -60)], lit(panel, 0.5))
  let holes = ''
  for (let i = 0; i < 9; i++) {
    for (let j = 0; j < 4; j++) {
      const p = view.project(at(-48 + i * 12, back, 150 + j * 14))
      holes += `M${num(p.x)} ${num(p.y)}h7`
    }
  }
  text += `<path d="${holes}" stroke="#000" stroke-opacity=".45" stroke-width="3" stroke-linecap="round"/>`
  const glow = [view.project(at(-x, back, 262)), view.project(at(x, back, 262))]
  text += `<path d="${pathOf(glow)}" stroke="${lit(strip, 1)}" stroke-opacity=".35" stroke-width="22" filter="url(#far)"/><path d="${pathOf(glow)}" stroke="${lit(strip, 1)}" stroke-width="5"/>`
  const [from, to] = [lit(mix(panel, strip, 0.5), 1), lit(panel, 0.75)]
  return `<linearGradient id="panel" x1="0" y1="0" x2="0" y2="1"><stop offset=".2" stop-color="${from}"/><stop offset=".75" stop-color="${to}"/></linearGradient>${text}`
}

/** What is behind the printer. */
export function drawRoom(random: Random, printer: Printer, filament: Colour, view: View): string {
  return printer.frame === 'portal' ? workshop(random, filament) : enclosure(random, printer, view)
}
