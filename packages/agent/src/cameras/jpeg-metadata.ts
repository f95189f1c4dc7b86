/** What a JPEG says of itself beside its pixels, and the JPEG without that. */
export interface StrippedJpeg {
  readonly bytes: Uint8Array
  /** How the camera was held (EXIF orientation): 1 to 8, where 1 is upright. */
  readonly orientation: number
}

const APP0_JFIF = 0xe0
const APP2_COLOURS = 0xe2
const APP14_ADOBE = 0xee
const COMMENT = 0xfe
const START_OF_SCAN = 0xda

/**
 * Takes the place, the time, the maker and everything else out of a JPEG that does not need to be decoded for it. What says how its
 * colours are meant stays. A JPEG without any of it is answered as it is.
 *
 * @param jpeg a whole JPEG: {@link readPicture} has walked through it
 */
export function stripJpeg(jpeg: Uint8Array): StrippedJpeg {
  const kept: Uint8Array[] = []
  let orientation = 1
  let from = 0
  let at = 2
  while (at + 4 <= jpeg.length) {
    const marker = jpeg[at + 1] ?? 0
    if (marker === 0xff) {
      at += 1
      continue
    }
    const end = at + 2 + (jpeg[at + 2] ?? 0) * 256 + (jpeg[at + 3] ?? 0)
    if (isMetadata(marker)) {
      orientation = marker === 0xe1 ? (orientationOf(jpeg.subarray(at + 4, end)) ?? orientation) : orientation
      kept.push(jpeg.subarray(from, at))
      from = end
    }
    at = end
    if (marker === START_OF_SCAN) break
  }
  if (kept.length === 0) return { bytes: jpeg, orientation }
  return { bytes: Buffer.concat([...kept, jpeg.subarray(from)]), orientation }
}

function isMetadata(marker: number): boolean {
  if (marker === COMMENT) return true
  const isApp = marker >= APP0_JFIF && marker <= 0xef
  return isApp && marker !== APP0_JFIF && marker !== APP2_COLOURS && marker !== APP14_ADOBE
}

/** Reads the orientation from an EXIF block; undefined where there is none that makes sense. */
function orientationOf(block: Uint8Array): number | undefined {
  const exif = Buffer.from(block.buffer, block.byteOffset, block.length)
  if (exif.toString('latin1', 0, 6) !== 'Exif\0\0' || exif.length < 14) return undefined
  const tiff = exif.subarray(6)
  const isLittle = tiff.toString('latin1', 0, 2) === 'II'
  const read16 = (at: number) => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
  const read32 = (at: number) => (at + 4 > tiff.length ? 0 : isLittle ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at))
  const directory = read32(4)
  const entries = Math.min(read16(directory), 200)
  for (let entry = 0; entry < entries; entry += 1) {
    const at = directory + 2 + entry * 12
    if (read16(at) !== 0x0112) continue
    const value = read16(at + 8)
    return value >= 1 && value <= 8 ? value : undefined
  }
  return undefined
}
