import type { TextPiece } from './metadata.js'

/** How much is read of each end of a file. */
export const PIECE_BYTES = 1024 * 1024

/** The bytes at both ends of a file. They do not overlap. */
export interface Ends {
  readonly head: Uint8Array
  readonly tail: Uint8Array
  readonly tailAt: number
}

/** The ends as text, less the lines that are cut in two. One piece where nothing is missing between them. */
export function piecesOf({ head, tail, tailAt }: Ends, size: number): { pieces: TextPiece[]; isWhole: boolean } {
  const isWhole = tailAt === head.length && tailAt + tail.length === size
  const first = latin1(head)
  const last = latin1(tail)
  if (isWhole) return { pieces: [{ text: withoutMark(first + last), offset: 0 }], isWhole }
  const cut = last.indexOf('\n') + 1
  return {
    pieces: [
      { text: withoutMark(first.slice(0, first.lastIndexOf('\n') + 1)), offset: 0 },
      // Without a line's end, all of it is the rest of one line.
      { text: cut === 0 ? '' : last.slice(cut), offset: tailAt + cut },
    ],
    isWhole,
  }
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

/** The mark that some editors put before UTF-8, made blank so that positions stay. */
const withoutMark = (text: string): string => (text.startsWith('\u00ef\u00bb\u00bf') ? `   ${text.slice(3)}` : text)
