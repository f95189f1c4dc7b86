import { lit, type Colour } from './scene-colour.js'
import { pathOf, type Point2, type View } from './scene-geometry.js'
import type { Part } from './scene-parts.js'
import type { Light, Solid } from './scene-solid.js'

/** How far a part reaches from the middle of the bed, up to height `z`. */
export function halfSize(part: Part, z: number): { rx: number; ry: number } {
  const points = part.solids.filter((s) => s.from < Math.max(z, 0.1)).flatMap((s) => s.outline(0.5))
  const farthest = (values: number[]): number => Math.max(10, ...values.map((value) => Math.abs(value)))
  return { rx: farthest(points.map((p) => p.x)), ry: farthest(points.map((p) => p.y)) }
}

/** The shadow of a part of height `reached` on the bed. */
export function drawShadow(part: Part, reached: number, view: View, light: Light): string {
  const d = light.direction
  const thrown = (solid: Solid, z: number): Point2[] =>
    solid.outline(0).map((p) => view.project({ x: p.x - (d.x / d.z) * z * 0.5, y: p.y - (d.y / d.z) * z * 0.3, z: 0 }))
  let text = ''
  for (const solid of part.solids) {
    if (solid.from >= reached) continue
    const top = Math.min(reached, solid.to)
    for (const z of [solid.from, (solid.from + top) / 2, top]) text += pathOf(thrown(solid, z), true)
  }
  return text && `<path d="${text}" fill="#000" fill-opacity=".4" filter="url(#soft)"/>`
}

/** The loop around the part that primes the nozzle. */
export function drawSkirt(part: Part, view: View, colour: Colour): string {
  const { rx, ry } = halfSize(part, 0)
  const loop = Array.from({ length: 40 }, (_, i) => {
    const a = (i / 40) * Math.PI * 2
    const r = (Math.abs(Math.cos(a)) ** 4 + Math.abs(Math.sin(a)) ** 4) ** -0.25
    return view.project({ x: Math.cos(a) * r * (rx + 7), y: Math.sin(a) * r * (ry + 7), z: 0.2 })
  })
  return `<path d="${pathOf(loop, true)}" fill="none" stroke="${lit(colour, 0.8)}" stroke-width="1.3"/>`
}
