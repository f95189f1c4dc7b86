import type { Crop, Point, Polygon } from '../cameras/look-options.js'

/** Whether a place lies in a polygon: counts the edges to its right, so a polygon may cross itself. */
export function isInside([x, y]: Point, polygon: Polygon): boolean {
  let inside = false
  let [fromX, fromY] = polygon.at(-1) ?? [0, 0]
  for (const [toX, toY] of polygon) {
    if (toY > y !== fromY > y && x < ((fromX - toX) * (y - toY)) / (fromY - toY) + toX) inside = !inside
    fromX = toX
    fromY = toY
  }
  return inside
}

export function isInAny(point: Point, polygons: readonly Polygon[]): boolean {
  return polygons.some((polygon) => isInside(point, polygon))
}

/** The polygon in shares of a part of the picture; its corners may then lie outside of 0..1. */
export function within(polygon: Polygon, { x, y, width, height }: Crop): Polygon {
  return polygon.map(([px, py]): Point => [(px - x) / width, (py - y) / height])
}
