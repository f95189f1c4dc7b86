import { forEachLine, indexOrEnd, MAX_COMMENT_LINE } from './metadata-scan.js'

// Pictures in G-code comments: base64 over many lines between `; thumbnail begin 300x200 12345` and `; thumbnail end`.
// What the first line says is only what to try first; the picture itself tells what it is.

/** The size of a picture as the file says it, unproven. */
export interface SaidSize {
  readonly width: number
  readonly height: number
}

/** Where the base64 of a picture lies in the text. */
export interface ThumbnailBlock extends SaidSize {
  readonly start: number
  readonly end: number
}

/** Shown small: more is a mistake or an attack. */
export const MAX_THUMBNAIL_PIXELS = 4_000_000
export const MAX_THUMBNAIL_BYTES = 4 * 1024 * 1024

/** No slicer writes as many; what is beyond is not even noted. */
const MAX_BLOCKS = 20_000

const BEGIN = /^;\s*thumbnail(?:_\w{1,8})?\s+begin[\s:]+(\d{1,6})\s*[x*]\s*(\d{1,6})(?!\d)/
const END = /^;\s*thumbnail(?:_\w{1,8})?\s+end/

/** The complete thumbnails in a piece of G-code, as they come. One that the piece cuts off is left out. */
export function findThumbnails(text: string): ThumbnailBlock[] {
  const blocks: ThumbnailBlock[] = []
  let open: ThumbnailBlock | undefined
  let nextWord = -1
  forEachLine(text, (start, end, next) => {
    if (start === end) return
    // A picture is all comments: a command within means that its end is missing.
    if (text[start] !== ';') {
      open = undefined
      return
    }
    if (nextWord < start) nextWord = indexOrEnd(text, 'thumbnail', start)
    if (nextWord >= end) return
    const line = text.slice(start, Math.min(end, start + MAX_COMMENT_LINE))
    if (open !== undefined && END.test(line)) {
      if (blocks.length < MAX_BLOCKS) blocks.push({ ...open, end: start })
      open = undefined
      return
    }
    const [, width, height] = BEGIN.exec(line) ?? []
    if (width === undefined || height === undefined) return
    open = { width: Number(width), height: Number(height), start: next, end: next }
  })
  return blocks
}

/** The bytes of a picture. Undefined for what is no base64, or too much of it. */
export function thumbnailBytes(text: string, { start, end }: ThumbnailBlock): Uint8Array | undefined {
  if (end - start > MAX_THUMBNAIL_BYTES * 1.5) return undefined
  const base64 = text.slice(start, end).replace(/[;\s]/g, '')
  if (base64 === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  return Buffer.from(base64, 'base64')
}

/** Those worth a try, largest first. Sizes that are none or beyond all measure are left out. */
export function byPromise<T extends SaidSize>(thumbnails: readonly T[]): T[] {
  const area = ({ width, height }: T): number => width * height
  return thumbnails
    .filter((thumbnail) => area(thumbnail) > 0 && area(thumbnail) <= MAX_THUMBNAIL_PIXELS)
    .sort((one, other) => area(other) - area(one))
}

/** What the first bytes are. */
export function pictureFormatOf(bytes: Uint8Array): 'png' | 'jpeg' | 'qoi' | undefined {
  const starts = (...magic: readonly number[]): boolean => magic.every((byte, at) => bytes[at] === byte)
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'png'
  if (starts(0xff, 0xd8, 0xff)) return 'jpeg'
  if (starts(0x71, 0x6f, 0x69, 0x66)) return 'qoi'
  return undefined
}
