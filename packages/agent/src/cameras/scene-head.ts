import { lit, mix } from './scene-colour.js'
import { drawBar, drawCuboid, frontCircle } from './scene-cuboid.js'
import { num, pathOf, PICTURE, type Point3, type View } from './scene-geometry.js'
import type { Printer } from './scene-printer.js'
import type { Light } from './scene-solid.js'

/** The tube of filament and the wires, from the head up and out of the picture. */
function drawTubes(from: Point3, view: View): string {
  const p = view.project(from)
  const aside = (PICTURE.width / 2 - p.x) * 0.3
  const tube = (dx: number, bend: number, end: number, stroke: string, width: number): string =>
    `<path d="M${num(p.x + dx)} ${num(p.y)}q${bend} -80 ${num(aside + end)} ${num(-p.y - 60)}" ${stroke} stroke-width="${width}" fill="none"/>`
  return (
    tube(-6, -14, -34, 'stroke="#17181b"', 9) +
    tube(-8, -14, -34, 'stroke="#4b4d52"', 2) +
    tube(8, 30, 20, 'stroke="#dfe3e8" stroke-opacity=".75"', 4)
  )
}

function drawFan(centre: Point3, radius: number, turn: number, printer: Printer, view: View): string {
  let text = `<path d="${frontCircle(centre, radius, view)}" fill="#111215" stroke="${lit(printer.head, 1.1)}" stroke-width="1.4"/>`
  for (let i = 0; i < 7; i++) {
    const a = turn + (i / 7) * Math.PI * 2
    const blade = [0.25, 0.9, 0.9].map((r, j) =>
      view.project({
        x: centre.x + Math.cos(a + j * 0.28) * r * radius,
        y: centre.y,
        z: centre.z + Math.sin(a + j * 0.28) * r * radius,
      }),
    )
    text += `<path d="${pathOf(blade, true)}" fill="#54565c" fill-opacity=".8"/>`
  }
  return `${text}<path d="${frontCircle(centre, radius * 0.3, view)}" fill="${lit(printer.accent, 0.85)}"/>`
}

/** The tool head with its nozzle's tip at `nozzle`; `turn` is the angle of its fan, `hot` 0 (cold) to 1. */
export function drawHead(
  printer: Printer,
  nozzle: Point3,
  turn: number,
  hot: number,
  view: View,
  light: Light,
): string {
  const p = (dx: number, dy: number, dz: number): Point3 => ({ x: nozzle.x + dx, y: nozzle.y + dy, z: nozzle.z + dz })
  const shape = (points: Point3[], fill: string): string =>
    `<path d="${pathOf(
      points.map((q) => view.project(q)),
      true,
    )}" fill="${fill}" stroke="#000" stroke-opacity=".45" stroke-width=".6"/>`
  let text = drawTubes(p(4, 10, 92), view)
  text += shape([p(-3.6, 0, 7), p(3.6, 0, 7), p(3.6, 0, 4.5), p(0.9, 0, 0), p(-0.9, 0, 0), p(-3.6, 0, 4.5)], '#c79a45')
  text += drawCuboid(
    { min: p(-9, -8, 7), max: p(12, 8, 17) },
    view,
    light,
    mix([176, 178, 184], [214, 150, 110], hot * 0.35),
  )
  text +=
    drawBar(p(9, -8.5, 12), p(26, -6, 40), 1.6, view, '#b03030') +
    drawBar(p(7, -8.5, 10), p(26, -4, 40), 1.4, view, '#d8d8d4')
  const duct = [
    p(-22, -13, 34),
    p(22, -13, 34),
    p(15, -11, 8),
    p(10, -11, 8),
    p(9, -11, 22),
    p(-9, -11, 22),
    p(-10, -11, 8),
    p(-15, -11, 8),
  ]
  text += shape(duct, lit(printer.head, 0.36))
  text += drawCuboid({ min: p(-24, -14, 32), max: p(24, 24, 84) }, view, light, printer.head)
  text += drawCuboid({ min: p(-24, -15, 80), max: p(24, 24, 90) }, view, light, printer.accent)
  text += drawFan(p(0, -14.6, 56), 18, turn, printer, view)
  for (const [dx, dz] of [
    [-20, 37],
    [20, 37],
    [-20, 75],
    [20, 75],
  ] as const)
    text += drawBar(p(dx, -14.6, dz), p(dx, -14.6, dz), 3.4, view, '#1a1b1e')
  if (hot < 0.5) return text
  const tip = view.project(p(0, 0, 1))
  const spot = `cx="${num(tip.x)}" cy="${num(tip.y)}"`
  // The lamp under the head brightens what is being printed.
  return `${text}<circle ${spot} r="90" fill="url(#lamp)"/><circle ${spot} r="2" fill="#ffb066" fill-opacity="${num(hot)}"/>`
}
