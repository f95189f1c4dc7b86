/** What a pixel shows. What is found (`tangle` and after) is told apart by what it is called in labels. */
export const SHOWN = { room: 0, bed: 1, machine: 2, part: 3, tangle: 4, strings: 5, warped: 6, shifted: 7 } as const

/** How a shape is coloured. Colours are amounts of light: 1 is a white wall well lit. */
export interface Paint {
  red: number
  green: number
  blue: number
  /** How much darker a line is at its edges, 0 to 1. */
  edge: number
  /** How much of what is behind it a shape hides, 0 to 1. */
  opacity: number
  /** One of `SHOWN`. */
  shows: number
  /** Draws only over pixels that show this, whatever their depth, and leaves no trace but its colour; -1 for any. */
  over: number
}

export function makePaint(): Paint {
  return { red: 1, green: 1, blue: 1, edge: 0, opacity: 1, shows: SHOWN.machine, over: -1 }
}

/** A point of the picture: column, row, distance along the camera's axis in millimetres. */
export interface Spot {
  x: number
  y: number
  depth: number
}

/** Thinner lines than this radius are drawn as wide as this, and let the background through instead. */
const THINNEST = 0.6

/** A picture with a depth for each pixel, so that what is near hides what is behind it in any order of drawing. */
export class Canvas {
  /** Red, green, blue. */
  readonly light: Float32Array
  readonly depth: Float32Array
  readonly shows: Uint8Array

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.light = new Float32Array(width * height * 3)
    this.depth = new Float32Array(width * height).fill(Infinity)
    this.shows = new Uint8Array(width * height)
  }

  /** A line with round ends from `a` to `b`, of radii in pixels. `thickness` is its radius in millimetres, which brings its middle nearer. */
  line(a: Spot, radiusA: number, b: Spot, radiusB: number, thickness: number, paint: Paint): void {
    const { width, height } = this
    const reach = Math.max(radiusA, radiusB, THINNEST) + 0.5
    const left = Math.max(0, Math.floor(Math.min(a.x, b.x) - reach))
    const right = Math.min(width - 1, Math.ceil(Math.max(a.x, b.x) + reach))
    const top = Math.max(0, Math.floor(Math.min(a.y, b.y) - reach))
    const bottom = Math.min(height - 1, Math.ceil(Math.max(a.y, b.y) + reach))
    if (left > right || top > bottom) return
    const dx = b.x - a.x
    const dy = b.y - a.y
    const fromDepth = a.depth
    const moreDepth = b.depth - fromDepth
    const moreRadius = radiusB - radiusA
    const scale = 1 / Math.max(1e-6, dx * dx + dy * dy)
    for (let y = top; y <= bottom; y++) {
      const py = y + 0.5 - a.y
      for (let x = left; x <= right; x++) {
        const px = x + 0.5 - a.x
        const along = (px * dx + py * dy) * scale
        const share = along < 0 ? 0 : along > 1 ? 1 : along
        const ox = px - share * dx
        const oy = py - share * dy
        const real = radiusA + moreRadius * share
        const radius = real < THINNEST ? THINNEST : real
        const squared = ox * ox + oy * oy
        if (squared >= (radius + 0.5) * (radius + 0.5)) continue
        const rim = radius + 0.5 - Math.sqrt(squared)
        const cover = (rim < 1 ? rim : 1) * (real < THINNEST ? real / THINNEST : 1)
        const inside = squared / (radius * radius)
        const bulge = inside < 1 ? 1 - inside : 0
        const depth = fromDepth + moreDepth * share - thickness * bulge
        this.#blend(y * width + x, depth, cover, 1 - paint.edge * (1 - bulge), paint)
      }
    }
  }

  /** A triangle of one colour. */
  triangle(a: Spot, b: Spot, c: Spot, paint: Paint): void {
    const { width, height } = this
    const twice = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    if (Math.abs(twice) < 1e-9) return
    const left = Math.max(0, Math.floor(Math.min(a.x, b.x, c.x)))
    const right = Math.min(width - 1, Math.ceil(Math.max(a.x, b.x, c.x)))
    const top = Math.max(0, Math.floor(Math.min(a.y, b.y, c.y)))
    const bottom = Math.min(height - 1, Math.ceil(Math.max(a.y, b.y, c.y)))
    const nearA = 1 / a.depth
    const nearB = 1 / b.depth
    const nearC = 1 / c.depth
    for (let y = top; y <= bottom; y++) {
      for (let x = left; x <= right; x++) {
        const px = x + 0.5
        const py = y + 0.5
        const shareB = ((px - a.x) * (c.y - a.y) - (py - a.y) * (c.x - a.x)) / twice
        const shareC = ((b.x - a.x) * (py - a.y) - (b.y - a.y) * (px - a.x)) / twice
        const shareA = 1 - shareB - shareC
        if (shareA < 0 || shareB < 0 || shareC < 0) continue
        this.#blend(y * width + x, 1 / (shareA * nearA + shareB * nearB + shareC * nearC), 1, 1, paint)
      }
    }
  }

  #blend(pixel: number, depth: number, cover: number, shade: number, paint: Paint): void {
    if (paint.over >= 0 ? this.shows[pixel] !== paint.over : depth >= (this.depth[pixel] ?? 0)) return
    const { light } = this
    const share = cover * paint.opacity
    const rest = 1 - share
    const at = pixel * 3
    light[at] = (light[at] ?? 0) * rest + paint.red * shade * share
    light[at + 1] = (light[at + 1] ?? 0) * rest + paint.green * shade * share
    light[at + 2] = (light[at + 2] ?? 0) * rest + paint.blue * shade * share
    if (paint.over >= 0) return
    if (cover > 0.45) {
      this.depth[pixel] = depth
      this.shows[pixel] = paint.shows
    } else if (paint.shows >= SHOWN.tangle && cover > 0.2 && (this.shows[pixel] ?? 0) < SHOWN.tangle) {
      this.shows[pixel] = paint.shows
    }
  }
}
