// The "Quite OK Image" format, version 1.0: a header of 14 bytes, then chunks that each make one pixel or a run of them.

/** Pixels, row after row, with `channels` bytes each. */
export interface RawPicture {
  readonly width: number
  readonly height: number
  readonly channels: 4
  readonly pixels: Uint8Array
}

const HEADER_SIZE = 14
const MAGIC = 0x716f6966 // "qoif"

/** The size that a QOI picture says it has. Undefined for anything else. */
export function qoiSizeOf(bytes: Uint8Array): { width: number; height: number } | undefined {
  if (bytes.length < HEADER_SIZE) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_SIZE)
  if (view.getUint32(0) !== MAGIC) return undefined
  const [width, height] = [view.getUint32(4), view.getUint32(8)]
  return width === 0 || height === 0 ? undefined : { width, height }
}

/** Decodes a QOI picture. Undefined for one that is larger than `maxPixels`, cut off, or no QOI. */
export function decodeQoi(bytes: Uint8Array, maxPixels: number): RawPicture | undefined {
  const size = qoiSizeOf(bytes)
  // Before any memory is taken: the header of a few bytes may say millions by millions.
  if (size === undefined || size.width * size.height > maxPixels) return undefined
  const pixels = decodeChunks(bytes, size.width * size.height)
  return pixels && { ...size, channels: 4, pixels }
}

const RGB = 0xfe
const RGBA = 0xff

function decodeChunks(bytes: Uint8Array, count: number): Uint8Array | undefined {
  const view = new DataView(new ArrayBuffer(count * 4))
  const seen = new DataView(new ArrayBuffer(64 * 4))
  let [r, g, b, a] = [0, 0, 0, 255]
  let at = HEADER_SIZE
  // Past the end there is nothing, which counts as zero; that it came to this is seen after each chunk.
  const next = (): number => bytes[at++] ?? 0
  for (let done = 0; done < count; ) {
    const chunk = next()
    let run = 1
    if (chunk === RGB || chunk === RGBA) {
      r = next()
      g = next()
      b = next()
      if (chunk === RGBA) a = next()
    } else if (chunk < 0x40) {
      const pixel = seen.getUint32(chunk * 4)
      r = pixel >>> 24
      g = (pixel >>> 16) & 255
      b = (pixel >>> 8) & 255
      a = pixel & 255
    } else if (chunk < 0x80) {
      r = (r + ((chunk >> 4) & 3) - 2) & 255
      g = (g + ((chunk >> 2) & 3) - 2) & 255
      b = (b + (chunk & 3) - 2) & 255
    } else if (chunk < 0xc0) {
      const green = (chunk & 63) - 32
      const others = next()
      r = (r + green + (others >> 4) - 8) & 255
      g = (g + green) & 255
      b = (b + green + (others & 15) - 8) & 255
    } else run = (chunk & 63) + 1
    if (at > bytes.length) return undefined
    const pixel = ((r << 24) | (g << 16) | (b << 8) | a) >>> 0
    seen.setUint32(((r * 3 + g * 5 + b * 7 + a * 11) & 63) * 4, pixel)
    for (const end = Math.min(count, done + run); done < end; done += 1) view.setUint32(done * 4, pixel)
  }
  return new Uint8Array(view.buffer)
}
