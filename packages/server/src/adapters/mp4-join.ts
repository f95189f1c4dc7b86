import {
  boxLength,
  contentAt,
  type Mp4Box,
  numbersIn,
  ofNumbers,
  readBoxes,
  withContents,
  writeBox,
} from './mp4-boxes.js'

// Several short MP4 files of one video track, made by the same encoder with the same settings, as one file with its index in front.

/** A short file, as far as joining needs it. */
export interface Segment {
  /** `ftyp` and `moov`. */
  readonly head: readonly Mp4Box[]
  /** In bytes, one for each frame. */
  readonly sizes: readonly number[]
  /** Numbers of the frames that need no other one, from 1. */
  readonly whole: readonly number[]
}

const STBL = 'moov/trak/mdia/minf/stbl'

/** Reads a short file: what joining needs to know, and the frames themselves. */
export function readSegment(file: Uint8Array): { segment: Segment; frames: Uint8Array } {
  const boxes = readBoxes(file)
  const stsz = contentAt(boxes, `${STBL}/stsz`)
  const [sameSize = 0, count = 0] = numbersIn(stsz, 4, 2)
  const sizes = sameSize > 0 ? Array<number>(count).fill(sameSize) : numbersIn(stsz, 12, count)
  const offsets = offsetsOf(boxes, sizes)
  const parts = offsets.map((offset, index) => file.subarray(offset, offset + (sizes[index] ?? 0)))
  const whole = parts.flatMap((part, index) => (isWhole(part) ? [index + 1] : []))
  const head = boxes.filter(({ type }) => type === 'ftyp' || type === 'moov')
  return { segment: { head, sizes, whole }, frames: joined(parts) }
}

const IDR_SLICE = 5

/**
 * Whether a frame needs no other one: it has a slice of a picture at which decoding can begin (ITU-T H.264, table 7-1). The encoder does
 * not say so in its index. A frame is a list of units, each after its length in four bytes.
 */
function isWhole(frame: Uint8Array): boolean {
  for (let offset = 0; offset + 4 < frame.length; ) {
    if (((frame[offset + 4] ?? 0) & 0x1f) === IDR_SLICE) return true
    offset += 4 + (numbersIn(frame, offset, 1)[0] ?? 0)
  }
  return false
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}

/** Where each frame begins in the file. */
function offsetsOf(boxes: readonly Mp4Box[], sizes: readonly number[]): number[] {
  const stco = contentAt(boxes, `${STBL}/stco`)
  const chunks = numbersIn(stco, 8, numbersIn(stco, 4, 1)[0] ?? 0)
  const stsc = contentAt(boxes, `${STBL}/stsc`)
  const runs = numbersIn(stsc, 8, 3 * (numbersIn(stsc, 4, 1)[0] ?? 0))
  const offsets: number[] = []
  for (const [index, chunk] of chunks.entries()) {
    let offset = chunk
    for (let left = framesIn(runs, index + 1); left > 0; left--) {
      offsets.push(offset)
      offset += sizes[offsets.length - 1] ?? 0
    }
  }
  return offsets.slice(0, sizes.length)
}

/** How many frames a chunk has: the last run that begins at it or before it says so. */
function framesIn(runs: readonly number[], chunk: number): number {
  let count = 1
  for (let index = 0; index < runs.length && (runs[index] ?? 0) <= chunk; index += 3) count = runs[index + 1] ?? 1
  return count
}

/** Offsets of four bytes reach no further. */
const MAX_BYTES = 2 ** 32 - 1

/** Everything of the joined file that stands before the frames, which follow in the order of the segments. */
export function joinedHead(segments: readonly Segment[], framesPerSecond: number): Uint8Array {
  const [first] = segments
  if (first === undefined) throw new Error('a video has at least one frame')
  const sizes = segments.flatMap((segment) => segment.sizes)
  const whole: number[] = []
  let before = 0
  for (const segment of segments) {
    whole.push(...segment.whole.map((number) => number + before))
    before += segment.sizes.length
  }
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const replaced = (frames: number) =>
    withContents(withSyncTable(first.head), {
      ...durations(first.head, sizes.length, framesPerSecond),
      stsz: ofNumbers([0, 0, sizes.length, ...sizes]),
      stss: ofNumbers([0, whole.length, ...whole]),
      stsc: ofNumbers([0, 1, 1, sizes.length, 1]),
      stco: ofNumbers([0, 1, frames]),
    })
  const length = replaced(0).reduce((sum, box) => sum + boxLength(box), 8)
  if (length + total > MAX_BYTES) throw new Error('the video is larger than 4 GiB')
  const head = replaced(length).map(writeBox)
  return joined([...head, ofNumbers([8 + total]), new TextEncoder().encode('mdat')])
}

/** The boxes with a place for the numbers of the frames that need no other one. */
function withSyncTable(boxes: readonly Mp4Box[]): Mp4Box[] {
  return boxes.map(({ type, content }) => {
    if (content instanceof Uint8Array) return { type, content }
    if (type !== 'stbl') return { type, content: withSyncTable(content) }
    const others = content.filter((box) => box.type !== 'stss')
    return { type, content: [...others, { type: 'stss', content: new Uint8Array() }] }
  })
}

/** The lengths of the film, each in the unit of its box. */
function durations(head: readonly Mp4Box[], frames: number, framesPerSecond: number): Record<string, Uint8Array> {
  const mvhd = contentAt(head, 'moov/mvhd')
  const tkhd = contentAt(head, 'moov/trak/tkhd')
  const mdhd = contentAt(head, 'moov/trak/mdia/mdhd')
  if ([mvhd, tkhd, mdhd].some(([version]) => version !== 0)) throw new Error('the MP4 file has times of eight bytes')
  const [filmScale = 0] = numbersIn(mvhd, 12, 1)
  const [trackScale = 0] = numbersIn(mdhd, 12, 1)
  const perFrame = Math.round(trackScale / framesPerSecond)
  const filmLength = Math.round((frames * filmScale) / framesPerSecond)
  return {
    mvhd: patched(mvhd, 16, filmLength),
    tkhd: patched(tkhd, 20, filmLength),
    mdhd: patched(mdhd, 16, frames * perFrame),
    stts: ofNumbers([0, 1, frames, perFrame]),
  }
}

function patched(content: Uint8Array, offset: number, number: number): Uint8Array {
  const copy = Uint8Array.from(content)
  copy.set(ofNumbers([number]), offset)
  return copy
}
