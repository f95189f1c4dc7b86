// Nearly every webcam sends JPEGs of one kind: baseline, grey or in three colours, in one scan. Such a picture costs what its pixels and
// its bytes cost, whoever made it; a JPEG of many scans can cost hundreds of times as much.

const FRAME_BASELINE = 0xc0
const FRAME_EXTENDED = 0xc1
const SCAN = 0xda
/** Markers that say how a picture is coded: each but the two above is another kind, and those three are none. */
const FRAMES = { first: 0xc0, last: 0xcf, others: [0xc4, 0xc8, 0xcc] } as const

const SCAN_MARKER = Buffer.from([0xff, SCAN])

/** Cameras write a dozen parts before the pixels. */
const MOST_PARTS = 100

export interface PictureSize {
  readonly width: number
  readonly height: number
}

/** How many pixels a JPEG of the plain kind has each way; undefined for any other, and for what is no JPEG. All in pixels. */
export function plainJpegSize(bytes: Buffer): PictureSize | undefined {
  let size: PictureSize | undefined
  let at = 2
  for (let part = 0; part < MOST_PARTS && at + 4 <= bytes.length; part++) {
    const marker = bytes.readUInt8(at + 1)
    if (bytes[at] !== 0xff || !isPart(marker)) return undefined
    // Between two scans of pixels no other byte than 0 follows 0xff, so a second scan would be found.
    if (marker === SCAN) return bytes.includes(SCAN_MARKER, at + 2) ? undefined : size
    if (isFrame(marker)) {
      if (size !== undefined) return undefined
      size = frameSize(marker, bytes, at + 4)
      if (size === undefined) return undefined
    }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** Whether a part with a length follows the marker, rather than nothing or another marker. */
const isPart = (marker: number): boolean => marker >= FRAMES.first && marker < 0xff && (marker < 0xd0 || marker >= SCAN)

function isFrame(marker: number): boolean {
  return marker >= FRAMES.first && marker <= FRAMES.last && !FRAMES.others.some((other) => other === marker)
}

function frameSize(marker: number, bytes: Buffer, at: number): PictureSize | undefined {
  if ((marker !== FRAME_BASELINE && marker !== FRAME_EXTENDED) || at + 6 > bytes.length) return undefined
  const bits = bytes.readUInt8(at)
  const height = bytes.readUInt16BE(at + 1)
  const width = bytes.readUInt16BE(at + 3)
  const colours = bytes.readUInt8(at + 5)
  return bits === 8 && width > 0 && height > 0 && (colours === 1 || colours === 3) ? { width, height } : undefined
}
