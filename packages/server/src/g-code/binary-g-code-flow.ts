import { crc32, inflateSync } from 'node:zlib'
import {
  addMetadataLines,
  type Block,
  FILE_HEADER_SIZE,
  MAX_BLOCK_HEADER_SIZE,
  MAX_METADATA_BYTES,
  readBlockHeader,
  readFileHeader,
} from './binary-g-code.js'
import { unpackHeatshrink } from './binary-g-code-heatshrink.js'
import type { GCodeFacts } from './facts-flow.js'
import type { ByteSource } from './facts-source.js'
import { metadataOfComments } from './metadata.js'
import type { Comments } from './metadata-scan.js'
import { MAX_THUMBNAIL_BYTES, type SaidSize } from './thumbnails.js'
import { encodeThumbnails } from './thumbnails-flow.js'

/** A slicer writes a dozen before the G-code. */
const MAX_BLOCKS = 256

interface PlacedBlock extends Block {
  readonly at: number
}

/** Reads what binary G-code says about itself: its blocks up to the first one of G-code. */
export async function readBinaryFacts(source: ByteSource): Promise<GCodeFacts> {
  const header = readFileHeader(await source.read(0, FILE_HEADER_SIZE))
  if (header === undefined) return { metadata: {}, thumbnails: [] }
  const { blocks, gCodeAt } = await findBlocks(source, header.checksumSize)
  const read = (block: PlacedBlock, maxSize: number) => readData(source, block, header.checksumSize, maxSize)

  const comments: Comments = new Map()
  for (const block of blocks.filter(({ type }) => type !== 'thumbnail')) {
    const data = await read(block, MAX_METADATA_BYTES)
    if (data !== undefined) addMetadataLines(comments, data)
  }
  const pictures = blocks.flatMap((block) => (block.thumbnail === undefined ? [] : [{ ...block.thumbnail, block }]))
  const thumbnails = await encodeThumbnails<SaidSize & { block: PlacedBlock }>(pictures, ({ block }) =>
    read(block, MAX_THUMBNAIL_BYTES),
  )
  // The blocks of G-code are the last ones of a file.
  const gCode = gCodeAt === undefined ? undefined : { start: gCodeAt, end: source.size }
  return { metadata: metadataOfComments(comments, gCode), thumbnails }
}

async function findBlocks(
  source: ByteSource,
  checksumSize: number,
): Promise<{ blocks: PlacedBlock[]; gCodeAt: number | undefined }> {
  const blocks: PlacedBlock[] = []
  let at = FILE_HEADER_SIZE
  while (blocks.length < MAX_BLOCKS && at < source.size) {
    const block = readBlockHeader(await source.read(at, MAX_BLOCK_HEADER_SIZE))
    if (block === undefined) break
    if (block.type === 'g_code') return { blocks, gCodeAt: at }
    blocks.push({ ...block, at })
    at += block.headerSize + block.dataSize + checksumSize
  }
  return { blocks, gCodeAt: undefined }
}

/** The unpacked data of a block. Undefined where it is too large, cut off, damaged or not what it says. */
async function readData(
  source: ByteSource,
  block: PlacedBlock,
  checksumSize: number,
  maxSize: number,
): Promise<Uint8Array | undefined> {
  if (block.dataSize > maxSize || block.unpackedSize > maxSize) return undefined
  const checkedSize = block.headerSize + block.dataSize
  const bytes = await source.read(block.at, checkedSize + checksumSize)
  if (bytes.length < checkedSize + checksumSize) return undefined
  const checked = bytes.subarray(0, checkedSize)
  if (checksumSize > 0 && crc32(checked) !== Buffer.from(bytes.subarray(checkedSize)).readUInt32LE()) return undefined
  return unpack(checked.subarray(block.headerSize), block)
}

function unpack(data: Uint8Array, { compression, unpackedSize }: Block): Uint8Array | undefined {
  switch (compression) {
    case 'none':
      return data
    case 'deflate':
      return inflate(data, unpackedSize)
    case 'heatshrink_11_4':
      return unpackHeatshrink(data, unpackedSize, { windowBits: 11, lookaheadBits: 4 })
    case 'heatshrink_12_4':
      return unpackHeatshrink(data, unpackedSize, { windowBits: 12, lookaheadBits: 4 })
  }
}

function inflate(data: Uint8Array, size: number): Uint8Array | undefined {
  try {
    const bytes = inflateSync(data, { maxOutputLength: Math.max(1, size) })
    return bytes.length === size ? bytes : undefined
  } catch {
    return undefined // damaged, or larger than it says
  }
}
