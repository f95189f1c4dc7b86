import { lit, type Colour } from './scene-colour.js'
import { clamp, lerp, pathOf, type Point2, type Point3, type View } from './scene-geometry.js'

/** A body printed layer by layer: one closed outline (anticlockwise from above) at each height. */
export interface Solid {
  from: number
  to: number
  /** The outline at height `t` (0 = `from`, 1 = `to`); always the same number of points. */
  outline(t: number): Point2[]
  /** How its top looks while it is printed. */
  inside: 'infill' | 'hollow'
  /** Straight walls need no bands. */
  straight: boolean
  /** Openings in its walls, as loops in space. */
  openings?: readonly Point3[][]
}

/** Where the light comes from (length 1), and the share of light that comes from everywhere. */
export interface Light {
  direction: Point3
  ambient: number
}

const BAND_MM = 5
const LINE_MM = 1.5

function at(points: readonly Point2[], z: number): Point3[] {
  return points.map((p) => ({ x: p.x, y: p.y, z }))
}

/** How bright a surface with this normal is. */
export function brightness(normal: Point3, light: Light): number {
  const length = Math.hypot(normal.x, normal.y, normal.z) || 1
  const d = light.direction
  const cosine = (normal.x * d.x + normal.y * d.y + normal.z * d.z) / length
  const wrapped = Math.max(0, cosine * 0.75 + 0.25)
  // The glint of plastic: strongest halfway between the lamp and a viewer at the front.
  const glint = Math.max(
    0,
    (normal.x * d.x * 0.6 + normal.y * (d.y - 0.9) * 0.62 + normal.z * (d.z + 0.3) * 0.62) / length,
  )
  return light.ambient + (1 - light.ambient) * wrapped * 1.32 + 0.22 * glint ** 14
}

interface Face {
  depth: number
  path: string
  fill: string
}

function wallFaces(lower: Point3[], upper: Point3[], view: View, light: Light, colour: Colour): Face[] {
  const faces: Face[] = []
  for (const [i, a] of lower.entries()) {
    const j = (i + 1) % lower.length
    const [b, c, d] = [lower[j], upper[j], upper[i]]
    if (!b || !c || !d) continue
    const rise = Math.max(0.01, d.z - a.z)
    const lean =
      ((d.x - a.x) * (b.y - a.y) - (d.y - a.y) * (b.x - a.x)) / (rise * (Math.hypot(b.x - a.x, b.y - a.y) || 1))
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1
    const normal = { x: (b.y - a.y) / length, y: -(b.x - a.x) / length, z: -lean }
    const eye = view.position
    if (normal.x * (eye.x - a.x) + normal.y * (eye.y - a.y) + normal.z * (eye.z - a.z) <= 0) continue
    faces.push({
      depth: view.depth({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, z: a.z }),
      path: pathOf(
        [a, b, c, d].map((p) => view.project(p)),
        true,
      ),
      fill: lit(colour, brightness(normal, light)),
    })
  }
  return faces.sort((p, q) => q.depth - p.depth)
}

/** The visible part of one layer's outline, as path data. */
function layerLine(points: readonly Point2[], z: number, view: View): string {
  let text = ''
  let run: Point2[] = []
  const flush = (): void => {
    if (run.length > 1) text += pathOf(run)
    run = []
  }
  for (let i = 0; i <= points.length; i++) {
    const a = points[i % points.length]
    const b = points[(i + 1) % points.length]
    if (!a || !b) break
    const faces = (b.y - a.y) * (view.position.x - a.x) - (b.x - a.x) * (view.position.y - a.y) > 0
    if (!faces) flush()
    else {
      if (run.length === 0) run.push(view.project({ ...a, z }))
      run.push(view.project({ ...b, z }))
    }
  }
  flush()
  return text
}

function walls(solid: Solid, z: number, view: View, light: Light, colour: Colour): string {
  const height = solid.to - solid.from
  const count = solid.straight ? 1 : Math.max(1, Math.ceil((z - solid.from) / BAND_MM))
  const levels = Array.from({ length: count + 1 }, (_, i) => lerp(solid.from, z, i / count))
  const rings = levels.map((level) => at(solid.outline((level - solid.from) / height), level))
  let text = ''
  for (let i = 0; i < count; i++) {
    const [lower, upper] = [rings[i], rings[i + 1]]
    if (!lower || !upper) continue
    for (const face of wallFaces(lower, upper, view, light, colour))
      text += `<path d="${face.path}" fill="${face.fill}" stroke="${face.fill}" stroke-width=".7"/>`
  }
  return text
}

function layerLines(solid: Solid, z: number, view: View): string {
  const height = solid.to - solid.from
  let [strong, faint] = ['', '']
  for (let level = solid.from + 0.4, i = 0; level < z; level += LINE_MM, i++) {
    const line = layerLine(solid.outline((level - solid.from) / height), level, view)
    // Real layers are uneven: every few the line stands out.
    if ((i * 7 + Math.floor(level)) % 5 === 0) strong += line
    else faint += line
  }
  const stroke = (d: string, opacity: number): string =>
    d && `<path d="${d}" fill="none" stroke="#000" stroke-opacity="${opacity}" stroke-width=".9"/>`
  const gloss =
    faint &&
    `<path d="${faint}" transform="translate(0 -1)" fill="none" stroke="#fff" stroke-opacity=".08" stroke-width=".7"/>`
  return stroke(faint, 0.13) + stroke(strong, 0.2) + gloss
}

/** Lines across an outline, `gap` apart, at `angle`: what infill looks like from above. */
function hatch(outline: readonly Point2[], angle: number, gap: number): [Point2, Point2][] {
  const [c, s] = [Math.cos(angle), Math.sin(angle)]
  const turned = outline.map((p) => ({ x: p.x * c + p.y * s, y: -p.x * s + p.y * c }))
  const back = (x: number, y: number): Point2 => ({ x: x * c - y * s, y: x * s + y * c })
  const ys = turned.map((p) => p.y)
  const lines: [Point2, Point2][] = []
  for (let y = Math.min(...ys) + gap / 2; y < Math.max(...ys); y += gap) {
    const cuts: number[] = []
    for (const [i, a] of turned.entries()) {
      const b = turned[(i + 1) % turned.length]
      if (b && a.y < y !== b.y < y) cuts.push(a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x))
    }
    cuts.sort((p, q) => p - q)
    for (let i = 0; i + 1 < cuts.length; i += 2) lines.push([back(cuts[i] ?? 0, y), back(cuts[i + 1] ?? 0, y)])
  }
  return lines
}

function shrink(outline: readonly Point2[], by: number): Point2[] {
  const cx = outline.reduce((sum, p) => sum + p.x, 0) / outline.length
  const cy = outline.reduce((sum, p) => sum + p.y, 0) / outline.length
  return outline.map((p) => {
    const r = Math.hypot(p.x - cx, p.y - cy) || 1
    const k = Math.max(0, 1 - by / r)
    return { x: cx + (p.x - cx) * k, y: cy + (p.y - cy) * k }
  })
}

function top(solid: Solid, z: number, view: View, light: Light, colour: Colour): string {
  const outline = solid.outline(clamp((z - solid.from) / (solid.to - solid.from), 0, 1))
  const flat = brightness({ x: 0, y: 0, z: 1 }, light)
  const project = (points: readonly Point2[]): Point2[] => at(points, z).map((p) => view.project(p))
  const rim = pathOf(project(outline), true)
  const inner = pathOf(project(shrink(outline, 2)), true)
  const wall = `<path d="${rim}" fill="${lit(colour, flat)}" stroke="${lit(colour, flat * 1.1)}" stroke-width=".8"/>`
  if (solid.inside === 'hollow') {
    return `${wall}<path d="${inner}" fill="${lit(colour, light.ambient * 0.55)}" stroke="${lit(colour, 0.3)}" stroke-width=".8"/>`
  }
  const done = z >= solid.to - 0.01
  const lines = hatch(shrink(outline, 2), z % 2 < 1 ? 0.8 : -0.75, done ? 1.6 : 4.5)
  const infill = lines.map((line) => pathOf(project(line))).join('')
  const floor = done ? '' : `<path d="${inner}" fill="${lit(colour, flat * 0.5)}"/>`
  return `${wall}${floor}<path d="${infill}" stroke="${lit(colour, done ? flat * 0.88 : flat)}" stroke-width="${done ? 0.6 : 1.1}" fill="none"/>`
}

/** A solid printed up to height `z` (millimetres), with its layer lines. */
export function drawSolid(solid: Solid, z: number, view: View, light: Light, colour: Colour): string {
  const reached = Math.min(z, solid.to)
  if (reached <= solid.from + 0.05) return ''
  let text = walls(solid, reached, view, light, colour) + layerLines(solid, reached, view)
  for (const loop of solid.openings ?? []) {
    const cut = loop.filter((p) => p.z <= reached)
    if (cut.length < 3) continue
    const d = pathOf(
      cut.map((p) => view.project(p)),
      true,
    )
    text += `<path d="${d}" fill="${lit(colour, 0.22)}" stroke="${lit(colour, 0.5)}" stroke-width="1"/>`
  }
  return text + top(solid, reached, view, light, colour)
}
