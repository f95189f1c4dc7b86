import type { Polygon } from '../detection/cameras/look-options.js'
import { isInAny } from '../detection/context/polygon.js'

// Blanks regions of a small RGB picture. What is put there continues the colours around it without an edge: a flat patch with a sharp
// border can look like something on the bed. Pure.

interface Layer {
  readonly width: number
  readonly height: number
  /** Red, green and blue, times the weight. */
  readonly colours: Float32Array
  /** How much is known of each pixel, 0 to 1. */
  readonly weights: Float32Array
}

/** Half the size: four pixels become one, as heavy as what is known of them. */
function shrink({ width, height, colours, weights }: Layer): Layer {
  const [halfWidth, halfHeight] = [Math.ceil(width / 2), Math.ceil(height / 2)]
  const out: Layer = {
    width: halfWidth,
    height: halfHeight,
    colours: new Float32Array(halfWidth * halfHeight * 3),
    weights: new Float32Array(halfWidth * halfHeight),
  }
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const from = y * width + x
      const to = (y >> 1) * halfWidth + (x >> 1)
      out.weights[to] = (out.weights[to] ?? 0) + (weights[from] ?? 0)
      for (let c = 0; c < 3; c++)
        out.colours[to * 3 + c] = (out.colours[to * 3 + c] ?? 0) + (colours[from * 3 + c] ?? 0)
    }
  }
  for (let i = 0; i < out.weights.length; i++) {
    const weight = out.weights[i] ?? 0
    if (weight <= 1) continue
    for (let c = 0; c < 3; c++) out.colours[i * 3 + c] = (out.colours[i * 3 + c] ?? 0) / weight
    out.weights[i] = 1
  }
  return out
}

/** Fills what is not known of a layer from one that is half its size and known everywhere, between its pixels in a straight line. */
function fill({ width, height, colours, weights }: Layer, coarse: Layer): Layer {
  const sample = (x: number, y: number, c: number): number => {
    const column = Math.min(coarse.width - 1, Math.max(0, x))
    const row = Math.min(coarse.height - 1, Math.max(0, y))
    return coarse.colours[(row * coarse.width + column) * 3 + c] ?? 0
  }
  const out = new Float32Array(colours.length)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x
      const missing = 1 - (weights[i] ?? 0)
      const [sx, sy] = [(x + 0.5) / 2 - 0.5, (y + 0.5) / 2 - 0.5]
      const [left, top] = [Math.floor(sx), Math.floor(sy)]
      const [right, down] = [sx - left, sy - top]
      for (let c = 0; c < 3; c++) {
        const known = colours[i * 3 + c] ?? 0
        if (missing <= 0) {
          out[i * 3 + c] = known
          continue
        }
        const above = sample(left, top, c) * (1 - right) + sample(left + 1, top, c) * right
        const below = sample(left, top + 1, c) * (1 - right) + sample(left + 1, top + 1, c) * right
        out[i * 3 + c] = known + missing * (above * (1 - down) + below * down)
      }
    }
  }
  return { width, height, colours: out, weights: new Float32Array(weights.length).fill(1) }
}

function solve(layer: Layer): Layer {
  if (layer.width <= 1 && layer.height <= 1) return { ...layer, weights: Float32Array.of(1) }
  return fill(layer, solve(shrink(layer)))
}

/**
 * Blanks polygons in RGB pixels, in place. Polygons are in shares of these pixels; parts outside of them do not matter.
 *
 * @returns how many pixels were blanked
 */
export function blank(rgb: Uint8Array, width: number, height: number, polygons: readonly Polygon[]): number {
  const hidden: number[] = []
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (isInAny([(x + 0.5) / width, (y + 0.5) / height], polygons)) hidden.push(y * width + x)
    }
  }
  if (hidden.length === 0) return 0
  const weights = new Float32Array(width * height).fill(1)
  const colours = Float32Array.from(rgb)
  for (const i of hidden) {
    weights[i] = 0
    colours.fill(0, i * 3, i * 3 + 3)
  }
  const filled = solve({ width, height, colours, weights })
  for (const i of hidden) {
    for (let c = 0; c < 3; c++) rgb[i * 3 + c] = Math.round(filled.colours[i * 3 + c] ?? 0)
  }
  return hidden.length
}
