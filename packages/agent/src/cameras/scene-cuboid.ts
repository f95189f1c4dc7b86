import { lit, type Colour } from './scene-colour.js'
import { num, pathOf, type Point3, type View } from './scene-geometry.js'
import { brightness, type Light } from './scene-solid.js'

/** A body with straight edges along the axes, from corner `min` to corner `max`. */
export interface Cuboid {
  min: Point3
  max: Point3
}

const X = { x: 1, y: 0, z: 0 }
const Y = { x: 0, y: 1, z: 0 }
const Z = { x: 0, y: 0, z: 1 }

/** The up to three faces of a cuboid that the camera sees. */
export function drawCuboid({ min, max }: Cuboid, view: View, light: Light, colour: Colour): string {
  const eye = view.position
  let text = ''
  const face = (corners: Point3[], normal: Point3): void => {
    const fill = lit(colour, brightness(normal, light))
    text += `<path d="${pathOf(
      corners.map((p) => view.project(p)),
      true,
    )}" fill="${fill}" stroke="${lit(colour, 0.3)}" stroke-width=".5"/>`
  }
  if (eye.y > max.y || eye.y < min.y) {
    const y = eye.y < min.y ? min.y : max.y
    const corners = [
      { ...min, y },
      { ...min, y, x: max.x },
      { ...max, y },
      { ...max, y, x: min.x },
    ]
    face(corners, eye.y < min.y ? { ...Y, y: -1 } : Y)
  }
  if (eye.x > max.x || eye.x < min.x) {
    const x = eye.x < min.x ? min.x : max.x
    const corners = [
      { ...min, x },
      { ...min, x, y: max.y },
      { ...max, x },
      { ...max, x, y: min.y },
    ]
    face(corners, eye.x < min.x ? { ...X, x: -1 } : X)
  }
  if (eye.z > max.z || eye.z < min.z) {
    const z = eye.z < min.z ? min.z : max.z
    const corners = [
      { ...min, z },
      { ...min, z, x: max.x },
      { ...max, z },
      { ...max, z, x: min.x },
    ]
    face(corners, eye.z < min.z ? { ...Z, z: -1 } : Z)
  }
  return text
}

/** A line between two points in space, `width` millimetres thick. */
export function drawBar(from: Point3, to: Point3, width: number, view: View, stroke: string): string {
  const thick = num(width * view.scaleAt({ x: (from.x + to.x) / 2, y: (from.y + to.y) / 2, z: (from.z + to.z) / 2 }))
  return `<path d="${pathOf([view.project(from), view.project(to)])}" stroke="${stroke}" stroke-width="${thick}" stroke-linecap="round" fill="none"/>`
}

/** A circle that faces the front (constant y), as path data. */
export function frontCircle(centre: Point3, radius: number, view: View): string {
  const points = Array.from({ length: 20 }, (_, i) => {
    const a = (i / 20) * Math.PI * 2
    return view.project({ x: centre.x + Math.cos(a) * radius, y: centre.y, z: centre.z + Math.sin(a) * radius })
  })
  return pathOf(points, true)
}
