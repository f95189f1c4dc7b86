// The brightness of a pixel as a JPEG has it, so that a camera looks alike in whichever format its pictures come.

const RED = 0.299
const GREEN = 0.587
const BLUE = 0.114
const RGB = 3

/** One byte of brightness for each pixel of `channels` bytes: grey, or red, green and blue, then maybe more, which does not count. */
export function greyOf(pixels: Uint8Array, channels: number): Uint8Array {
  const grey = new Uint8Array(pixels.length / channels)
  for (let at = 0, from = 0; at < grey.length; at++, from += channels) {
    grey[at] = channels < RGB ? (pixels[from] ?? 0) : brightness(pixels, from)
  }
  return grey
}

function brightness(pixels: Uint8Array, from: number): number {
  return Math.round(RED * (pixels[from] ?? 0) + GREEN * (pixels[from + 1] ?? 0) + BLUE * (pixels[from + 2] ?? 0))
}
