import type { Crop } from '../detection/cameras/look-options.js'

// Which parts of a picture a model looks at. Pure.

/** A tile covers this share of the part that is looked at, in each direction: a tangle on the seam is whole in one of the tiles. */
export const TILE_SHARE = 0.6

/** Four overlapping quarters of a part of the picture. */
export function tilesOf({ x, y, width, height }: Crop): Crop[] {
  const step = 1 - TILE_SHARE
  return [0, step].flatMap((down) =>
    [0, step].map((right) => ({
      x: x + right * width,
      y: y + down * height,
      width: width * TILE_SHARE,
      height: height * TILE_SHARE,
    })),
  )
}

/** A part of a picture in whole pixels, at least one in each direction. */
export function pixelsOf(
  part: Crop,
  width: number,
  height: number,
): { left: number; top: number; width: number; height: number } {
  const left = Math.min(width - 1, Math.round(part.x * width))
  const top = Math.min(height - 1, Math.round(part.y * height))
  return {
    left,
    top,
    width: Math.max(1, Math.min(width - left, Math.round(part.width * width))),
    height: Math.max(1, Math.min(height - top, Math.round(part.height * height))),
  }
}

/** A cut of an RGB picture, as RGB. */
export function cut(
  rgb: Uint8Array,
  rowWidth: number,
  { left, top, width, height }: ReturnType<typeof pixelsOf>,
): Uint8Array {
  const out = new Uint8Array(width * height * 3)
  for (let row = 0; row < height; row++) {
    const from = ((top + row) * rowWidth + left) * 3
    out.set(rgb.subarray(from, from + width * 3), row * width * 3)
  }
  return out
}

/** How wide and high a thumbnail is. */
export const THUMB_SIDE = 56

/** A small grey picture from colour planes: each of its pixels is the mean brightness of its part, 0 to 255. */
export function thumbOf(planes: Float32Array, width: number, height: number): Uint8Array {
  const thumb = new Uint8Array(THUMB_SIDE * THUMB_SIDE)
  const size = width * height
  for (let row = 0; row < THUMB_SIDE; row++) {
    const [top, bottom] = span(row, height)
    for (let column = 0; column < THUMB_SIDE; column++) {
      const [left, right] = span(column, width)
      let sum = 0
      for (let y = top; y < bottom; y++) {
        for (let i = y * width + left; i < y * width + right; i++) {
          sum += 0.299 * (planes[i] ?? 0) + 0.587 * (planes[i + size] ?? 0) + 0.114 * (planes[i + size * 2] ?? 0)
        }
      }
      thumb[row * THUMB_SIDE + column] = Math.round((255 * sum) / ((bottom - top) * (right - left)))
    }
  }
  return thumb
}

/** Which pixels of a side belong to one of the thumbnail; at least one. */
function span(index: number, side: number): [number, number] {
  const from = Math.floor((index * side) / THUMB_SIDE)
  return [from, Math.max(from + 1, Math.floor(((index + 1) * side) / THUMB_SIDE))]
}
