import { THUMBNAIL, type Thumbnail } from './thumbnail.js'

/** So many neighbours are read at once, as one whole number: a byte at a time takes three times as long. */
const PIXELS_OF_WORD = 4
/** So many rows make one of the thumbnail's, in pictures of any height. */
const ROWS = 4

/** Whether a picture is wide enough to have a word for each pixel of the thumbnail, and its rows are made of whole ones. */
export const canShrink = (width: number): boolean =>
  width >= THUMBNAIL.width * PIXELS_OF_WORD && width % PIXELS_OF_WORD === 0

/**
 * Makes a thumbnail of a grey picture of any shape, one byte for each pixel, which `canShrink`. Each of its pixels is the mean of 16, so
 * that a large picture costs no more than one of 640 × 480, of which none is left out. The bytes must begin at a multiple of 4 of their
 * memory.
 */
export function shrink(grey: Uint8Array, width: number, height: number): Thumbnail {
  const words = new Int32Array(grey.buffer, grey.byteOffset, grey.length / PIXELS_OF_WORD)
  const wordsOfRow = width / PIXELS_OF_WORD
  const columns = placesOf(wordsOfRow, THUMBNAIL.width)
  const rows = placesOf(height, THUMBNAIL.height * ROWS)
  const small = new Uint8Array(THUMBNAIL.width * THUMBNAIL.height)
  const sums = new Int32Array(THUMBNAIL.width)
  for (let y = 0, at = 0; y < THUMBNAIL.height; y++) {
    sums.fill(0)
    for (let row = y * ROWS; row < (y + 1) * ROWS; row++) {
      addRow(sums, words, (rows[row] ?? 0) * wordsOfRow, columns)
    }
    for (let x = 0; x < THUMBNAIL.width; x++, at++) small[at] = meanOf(sums[x] ?? 0)
  }
  return { ...THUMBNAIL, grey: small }
}

/** The middles of so many equal parts of `length`. */
function placesOf(length: number, count: number): Uint16Array {
  const places = new Uint16Array(count)
  for (let index = 0; index < count; index++) places[index] = ((index + 0.5) * length) / count
  return places
}

const EVEN_BYTES = 0x00ff00ff
const BYTE = 8

/** Adds one word to each sum: its first and third byte to the lower half of the sum's bits and to the upper, and so the other two. */
function addRow(sums: Int32Array, words: Int32Array, from: number, columns: Uint16Array): void {
  for (let x = 0; x < sums.length; x++) {
    const word = words[from + (columns[x] ?? 0)] ?? 0
    sums[x] = (sums[x] ?? 0) + (word & EVEN_BYTES) + ((word >>> BYTE) & EVEN_BYTES)
  }
}

const HALF_BITS = 16
const COUNT = PIXELS_OF_WORD * ROWS

function meanOf(sum: number): number {
  return ((sum & 0xffff) + (sum >>> HALF_BITS) + COUNT / 2) / COUNT
}
