import { lit, type Colour } from './scene-colour.js'
import { clamp, curveOf, num, type Point2, type Point3, type View } from './scene-geometry.js'
import type { Random } from './scene-random.js'

/** What the filament that found no layer to lie on falls upon. */
export interface Obstacle {
  /** Half the part's width and depth, and the height at which it stopped to grow (millimetres). */
  rx: number
  ry: number
  top: number
}

/** A part no higher than this is buried by a tangle rather than surrounded by it (millimetres). */
export const LOW_PART = 12

/** The space a share of the strands stays within. */
export interface Dome {
  centre: Point3
  radius: number
  height: number
}

/** Keeps a point out of the part and above the bed. */
function pushOut(at: Point3, part: Obstacle, fromAbove: boolean): void {
  const inside = Math.hypot(at.x / part.rx, at.y / part.ry)
  if (inside < 1 && at.z < part.top) {
    if (inside < (fromAbove ? 0.85 : 0.6)) at.z = part.top + 0.4
    else {
      const k = 1.02 / Math.max(0.2, inside)
      at.x *= k
      at.y *= k
    }
  }
  at.z = Math.max(0.4, at.z)
}

/**
 * One strand: a walk whose turning changes slowly and leans to one side, so that it curls as filament dropped in the
 * air does; it is pulled back when it leaves the dome.
 */
export function walkStrand(random: Random, dome: Dome, size: number, tightness: number, part: Obstacle): Point3[] {
  const [reach, rise] = [dome.radius * size, dome.height * size]
  const angle = random.range(0, Math.PI * 2)
  const away = reach * Math.sqrt(random.next()) * 0.8
  const bound = Math.sqrt(Math.max(0.08, 1 - (away / reach) ** 2)) * rise
  const { centre } = dome
  const at = {
    x: centre.x + Math.cos(angle) * away,
    y: centre.y + Math.sin(angle) * away,
    z: centre.z + bound * random.next(),
  }
  let [heading, tilt, spin, roll] = [random.range(0, Math.PI * 2), random.normal() * 0.5, 0, 0]
  const lean = random.normal() * 0.16
  const step = random.range(1.9, 3.1)
  const points: Point3[] = []
  for (let i = random.whole(20, 46); i > 0; i--) {
    pushOut(at, part, dome.centre.z > 0 || part.top < LOW_PART)
    points.push({ ...at })
    spin = spin * 0.86 + random.normal() * tightness
    roll = roll * 0.8 + random.normal() * tightness * 0.7
    heading += spin + lean
    tilt = clamp(tilt * 0.9 + roll, -1.2, 1.2)
    const [dx, dy] = [at.x - centre.x, at.y - centre.y]
    const out = Math.max(0, Math.hypot(dx, dy) / reach - 0.8) * 0.14
    const over = Math.max(0, at.z - centre.z - bound) * 0.14
    at.x += Math.cos(heading) * Math.cos(tilt) * step - dx * out
    at.y += Math.sin(heading) * Math.cos(tilt) * step - dy * out
    at.z += Math.sin(tilt) * step - over
  }
  return points
}

/** A strand as a dark edge, its body, and a glint where it is thick enough to see one. */
export function drawStrand(points: readonly Point2[], width: number, colour: Colour, light: number): string {
  const d = curveOf(points)
  const line = (stroke: string, w: number, shift: number): string => {
    const moved = shift ? ` transform="translate(${num(-shift * 0.6)} ${num(-shift)})"` : ''
    return `<path d="${d}" stroke="${stroke}" stroke-width="${num(w)}"${moved}/>`
  }
  const core = line(lit(colour, 0.4 * light), width * 1.25, 0) + line(lit(colour, light), width * 0.75, width * 0.2)
  return width > 1.8 ? core + line(lit(colour, light * 1.25), width * 0.3, width * 0.36) : core
}

/** A lump where filament melted together, with a glint. */
export function drawBlob(at: Point3, radius: number, view: View, colour: Colour): string {
  const p = view.project(at)
  const r = radius * view.scaleAt(at)
  const oval = (dx: number, k: number, fill: string): string =>
    `<ellipse cx="${num(p.x - dx)}" cy="${num(p.y - dx)}" rx="${num(r * k)}" ry="${num(r * k * 0.8)}" fill="${fill}" stroke="none"/>`
  return (
    oval(0, 1, lit(colour, 0.45)) + oval(r * 0.12, 0.82, lit(colour, 0.85)) + oval(r * 0.35, 0.3, lit(colour, 1.25))
  )
}

/** The strand that still comes out of the nozzle, sagging and curling down to the heap. */
export function hangFrom(nozzle: Point3, to: Point3, random: Random): Point3[] {
  const curl = random.range(3, 7)
  return Array.from({ length: 22 }, (_, i) => {
    const t = i / 21
    return {
      x: nozzle.x + (to.x - nozzle.x) * t * t + Math.sin(t * 11) * curl * t,
      y: nozzle.y + (to.y - nozzle.y) * t * t + Math.cos(t * 10) * curl * t,
      z: nozzle.z + (to.z - nozzle.z) * t,
    }
  })
}
