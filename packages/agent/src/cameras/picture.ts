import { CameraError } from '../camera.js'

/** What a picture's bytes say about it. */
export interface Picture {
  readonly format: 'jpeg' | 'png' | 'webp'
  /** Null for the formats that are converted before they leave. */
  readonly size: { readonly width: number; readonly height: number } | null
}

/** The most bytes of one picture; the largest webcams stay well below. */
export const MAX_PICTURE_BYTES = 16 * 1024 * 1024

/**
 * Looks at a picture without decoding it.
 *
 * @throws {CameraError} when it is no picture, or only a part of one
 */
export function readPicture(bytes: Uint8Array): Picture {
  if (bytes.length === 0) throw new CameraError('the picture is empty')
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47])) return { format: 'png', size: null }
  if (startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) && ascii(bytes, 8, 4) === 'WEBP')
    return { format: 'webp', size: null }
  if (startsWith(bytes, [0xff, 0xd8])) return { format: 'jpeg', size: readJpegSize(bytes) }
  throw new CameraError(`the answer is no picture: it starts with ${preview(bytes)}`)
}

/** Walks from marker to marker up to the picture's data, then makes sure that the end mark is there. */
function readJpegSize(bytes: Uint8Array): { width: number; height: number } {
  let size: { width: number; height: number } | undefined
  let at = 2
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) throw new CameraError('the JPEG is damaged')
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) {
      at += 1
      continue
    }
    const length = read16(bytes, at + 2)
    if (isFrameHeader(marker)) size = { height: read16(bytes, at + 5), width: read16(bytes, at + 7) }
    at += 2 + length
    if (marker === 0xda) {
      if (!size) throw new CameraError('the JPEG is damaged')
      // Inside the data every 0xff is followed by 0, so this can only be the end. Bytes after it are padding.
      if (!hasEndMark(bytes, at)) throw new CameraError('the picture is cut off')
      return size
    }
  }
  throw new CameraError('the picture is cut off')
}

/** Start of frame: C0 to CF, but for the three markers among them that are tables. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

function hasEndMark(bytes: Uint8Array, from: number): boolean {
  for (let at = bytes.length - 2; at >= from; at -= 1) {
    if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true
  }
  return false
}

function read16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0)
}

function startsWith(bytes: Uint8Array, prefix: readonly number[]): boolean {
  return prefix.every((byte, index) => bytes[index] === byte)
}

function ascii(bytes: Uint8Array, from: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(from, from + length))
}

/** The first characters, as somebody who mistook a page for a picture would recognise them. */
function preview(bytes: Uint8Array): string {
  return JSON.stringify(ascii(bytes, 0, Math.min(24, bytes.length)).replace(/[^\x20-\x7e]/g, '.'))
}
