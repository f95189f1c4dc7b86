import { addComment, type Comments } from './metadata-scan.js'
import { MAX_VALUE_LENGTH } from './metadata-values.js'
import type { SaidSize } from './thumbnails.js'

// Binary G-code: a file header, then blocks of a header, parameters, data and, where the file header says so, a CRC-32.
// All numbers are little-endian.

export const FILE_HEADER_SIZE = 10
/** The longest block header with the longest parameters. */
export const MAX_BLOCK_HEADER_SIZE = 12 + 6
/** Metadata is a few kilobytes; a thumbnail has its own limit. */
export const MAX_METADATA_BYTES = 1024 * 1024

const MAGIC = 0x45444347 // "GCDE"
const CHECKSUM_NONE = 0
const CHECKSUM_CRC32 = 1

/** How large the checksum of each block is. Undefined for what is no binary G-code, or of a later version. */
export function readFileHeader(bytes: Uint8Array): { checksumSize: 0 | 4 } | undefined {
  if (bytes.length < FILE_HEADER_SIZE) return undefined
  const view = viewOf(bytes)
  if (view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== 1) return undefined
  const checksum = view.getUint16(8, true)
  if (checksum !== CHECKSUM_NONE && checksum !== CHECKSUM_CRC32) return undefined
  return { checksumSize: checksum === CHECKSUM_CRC32 ? 4 : 0 }
}

export const isBinaryGCode = (bytes: Uint8Array): boolean =>
  bytes.length >= 4 && viewOf(bytes).getUint32(0, true) === MAGIC

const BLOCK_TYPES = [
  'file_metadata',
  'g_code',
  'slicer_metadata',
  'printer_metadata',
  'print_metadata',
  'thumbnail',
] as const
const COMPRESSIONS = ['none', 'deflate', 'heatshrink_11_4', 'heatshrink_12_4'] as const

export interface Block {
  readonly type: (typeof BLOCK_TYPES)[number]
  readonly compression: (typeof COMPRESSIONS)[number]
  /** Of the header and the parameters together. */
  readonly headerSize: number
  /** As it lies in the file, and unpacked. */
  readonly dataSize: number
  readonly unpackedSize: number
  /** Only of a thumbnail. */
  readonly thumbnail?: SaidSize
}

/** The block whose header begins `bytes`. Undefined where there is none: past the end, or after sizes that lie. */
export function readBlockHeader(bytes: Uint8Array): Block | undefined {
  if (bytes.length < 8) return undefined
  const view = viewOf(bytes)
  const type = BLOCK_TYPES[view.getUint16(0, true)]
  const compression = COMPRESSIONS[view.getUint16(2, true)]
  if (type === undefined || compression === undefined) return undefined
  const parametersAt = compression === 'none' ? 8 : 12
  const headerSize = parametersAt + (type === 'thumbnail' ? 6 : 2)
  if (bytes.length < headerSize) return undefined
  const unpackedSize = view.getUint32(4, true)
  const dataSize = compression === 'none' ? unpackedSize : view.getUint32(8, true)
  const block = { type, compression, headerSize, dataSize, unpackedSize }
  if (type !== 'thumbnail') return block
  // The first parameter is the format, which the picture itself tells.
  const [width, height] = [view.getUint16(parametersAt + 2, true), view.getUint16(parametersAt + 4, true)]
  return { ...block, thumbnail: { width, height } }
}

/** Adds the lines of a metadata block, `key=value` each, to `comments`. */
export function addMetadataLines(comments: Comments, bytes: Uint8Array): void {
  for (const line of Buffer.from(bytes).toString('latin1').split('\n')) {
    const equals = line.indexOf('=')
    if (equals > 0 && equals <= 100)
      addComment(comments, line.slice(0, equals), line.slice(equals + 1, equals + MAX_VALUE_LENGTH))
  }
}

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
