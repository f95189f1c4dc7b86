// The brightness of a pixel as libvips has it: mixed in linear light, then bent back as a screen's is. Made here, since having libvips turn
// a whole picture grey costs a third of looking at it.

const RED = 0.2126
const GREEN = 0.7152
const BLUE = 0.0722
const RGB = 3

/** So finely is linear light told apart on its way back. */
const STEPS = 16_384

/** And each colour's part of it, so that a pixel is three sums of whole numbers. */
const PARTS_BITS = 10

/** What one colour of each of the 256 levels of sRGB gives to the light of its pixel, in parts of a step. */
const lightOf = (share: number): Int32Array =>
  Int32Array.from({ length: 256 }, (_, level) => Math.round(linearOf(level / 255) * share * (STEPS << PARTS_BITS)))

const RED_LIGHT = lightOf(RED)
const GREEN_LIGHT = lightOf(GREEN)
const BLUE_LIGHT = lightOf(BLUE)
const HALF_A_STEP = 1 << (PARTS_BITS - 1)
const LEVELS = Uint8Array.from({ length: STEPS + 1 }, (_, step) => Math.round(screenOf(step / STEPS) * 255))

function linearOf(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

function screenOf(value: number): number {
  return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055
}

/** One byte of brightness for each pixel of `channels` bytes: grey, or red, green and blue, then maybe more, which does not count. */
export function greyOf(pixels: Uint8Array, channels: number): Uint8Array {
  const grey = new Uint8Array(pixels.length / channels)
  for (let at = 0, from = 0; at < grey.length; at++, from += channels) {
    grey[at] = channels < RGB ? (pixels[from] ?? 0) : brightness(pixels, from)
  }
  return grey
}

function brightness(pixels: Uint8Array, from: number): number {
  const red = RED_LIGHT[pixels[from] ?? 0] ?? 0
  const green = GREEN_LIGHT[pixels[from + 1] ?? 0] ?? 0
  const blue = BLUE_LIGHT[pixels[from + 2] ?? 0] ?? 0
  return LEVELS[(red + green + blue + HALF_A_STEP) >> PARTS_BITS] ?? 0
}
