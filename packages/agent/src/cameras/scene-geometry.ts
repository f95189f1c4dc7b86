/** A point of the printer in millimetres: x to the right, y away from the door, z up; the middle of the bed is 0, 0, 0. */
export interface Point3 {
  x: number
  y: number
  z: number
}

/** A point of the picture, in the units of {@link PICTURE}. */
export interface Point2 {
  x: number
  y: number
}

/** The size every scene is composed at; other sizes are this one scaled. */
export const PICTURE = { width: 640, height: 480 } as const

/** Where the webcam stands and what it sees. */
export interface View {
  position: Point3
  project(point: Point3): Point2
  /** Distance along the line of sight; larger is farther away. */
  depth(point: Point3): number
  /** Picture units per millimetre at this point. */
  scaleAt(point: Point3): number
}

/** A camera that looks at `target` from `distance`, turned by `yaw` and raised by `elevation` (radians). */
export function makeView(view: {
  target: Point3
  distance: number
  yaw: number
  elevation: number
  focal: number
}): View {
  const { target, distance, focal } = view
  const [s, c] = [Math.sin(view.yaw), Math.cos(view.yaw)]
  const [se, ce] = [Math.sin(view.elevation), Math.cos(view.elevation)]
  const forward = { x: s * ce, y: c * ce, z: -se }
  const right = { x: c, y: -s, z: 0 }
  const up = { x: s * se, y: c * se, z: ce }
  const position = {
    x: target.x - forward.x * distance,
    y: target.y - forward.y * distance,
    z: target.z - forward.z * distance,
  }
  const along = (axis: Point3, p: Point3): number =>
    (p.x - position.x) * axis.x + (p.y - position.y) * axis.y + (p.z - position.z) * axis.z
  // Nothing of a printer comes closer to its camera than this; the bound keeps the division safe.
  const depth = (p: Point3): number => Math.max(40, along(forward, p))
  return {
    position,
    depth,
    scaleAt: (p) => focal / depth(p),
    project: (p) => {
      const k = focal / depth(p)
      return { x: PICTURE.width / 2 + along(right, p) * k, y: PICTURE.height / 2 - along(up, p) * k }
    },
  }
}

/** The same camera, for things that stand on a bed moved by `dy`. */
export function shiftView(view: View, dy: number): View {
  const moved = (p: Point3): Point3 => ({ x: p.x, y: p.y + dy, z: p.z })
  return {
    position: { ...view.position, y: view.position.y - dy },
    depth: (p) => view.depth(moved(p)),
    scaleAt: (p) => view.scaleAt(moved(p)),
    project: (p) => view.project(moved(p)),
  }
}

/** A number as SVG text: one decimal is a tenth of a pixel. */
export function num(value: number): string {
  return String(Math.round(value * 10) / 10)
}

/** Path data through these points; closed when `close`. */
export function pathOf(points: readonly Point2[], close = false): string {
  let text = ''
  for (const [i, p] of points.entries()) text += `${i === 0 ? 'M' : 'L'}${num(p.x)} ${num(p.y)}`
  return close ? `${text}Z` : text
}

/** Path data of a smooth curve near these points: each is a control point, each middle is on the curve. */
export function curveOf(points: readonly Point2[]): string {
  let text = ''
  for (const [i, p] of points.entries()) {
    const q = points[i + 1]
    if (i === 0) text += `M${num(p.x)} ${num(p.y)}`
    else if (q) text += `Q${num(p.x)} ${num(p.y)} ${num((p.x + q.x) / 2)} ${num((p.y + q.y) / 2)}`
    else text += `L${num(p.x)} ${num(p.y)}`
  }
  return text
}

export function lerp(from: number, to: number, t: number): number {
  return from + (to - from) * t
}

export function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}
