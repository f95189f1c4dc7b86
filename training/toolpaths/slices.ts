import type { Outline, Point } from './outlines.js'
import { moved } from './outlines.js'
import { MOVE } from './toolpath.js'

/** One layer of a part, before it becomes moves. Coordinates around the part's own middle. */
export interface Slice {
  readonly walls: readonly Outline[]
  /** Lines of filling, and how they are to be seen. */
  readonly fill?: { readonly angle: number; readonly spacing: number; readonly kind: number } | undefined
  /** Lines that close nothing. */
  readonly strokes?: readonly (readonly Point[])[]
  readonly supports?: readonly Outline[]
}

/** What a part is made of. Lengths in millimetres. */
export interface Solid {
  readonly height: number
  readonly isOpen: boolean
  /** The slice at a share of the height. */
  slice(share: number): Slice
}

/** Shares of the height at the bottom and at the top that are filled closely. */
export const FACE_SHARE = 0.02

/** A fill that is dense where it shows (first and last layers) and sparse between. */
export function filled(share: number, spacing: number, angle: number): NonNullable<Slice['fill']> {
  const isFace = share < FACE_SHARE || share > 1 - FACE_SHARE
  return { angle, spacing: isFace ? 0.7 : spacing, kind: isFace ? MOVE.top : MOVE.fill }
}

/** The direction of filling, which changes from layer to layer. */
export function turning(share: number): number {
  return Math.round(share * 211) % 2 === 0 ? Math.PI / 4 : -Math.PI / 4
}

/** A point at a share of the circle. */
export function polar(radius: number, share: number): [number, number] {
  return [Math.cos(share * 2 * Math.PI) * radius, Math.sin(share * 2 * Math.PI) * radius]
}

export function mix(from: number, to: number, share: number): number {
  return from + (to - from) * Math.min(1, share)
}

/** An outline drawn in towards its own middle. */
export function shrunk(outline: Outline, scale: number): Outline {
  const x = outline.reduce((sum, point) => sum + point[0], 0) / outline.length
  const y = outline.reduce((sum, point) => sum + point[1], 0) / outline.length
  return moved(moved(outline, -x, -y), x, y, scale).map(([px, py]): Point => [px, py])
}
