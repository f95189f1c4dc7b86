import { isBinaryGCode } from './binary-g-code.js'
import { readBinaryFacts } from './binary-g-code-flow.js'
import { type ByteSource, windowedSource } from './facts-source.js'
import { type GCodeMetadata, metadataOfText } from './metadata.js'
import { type Ends, piecesOf, PIECE_BYTES } from './metadata-pieces.js'
import { findThumbnails, thumbnailBytes } from './thumbnails.js'
import { encodeThumbnails, type GCodeThumbnail } from './thumbnails-flow.js'

export type { ByteSource } from './facts-source.js'
export type { GCodeThumbnail } from './thumbnails-flow.js'

export interface GCodeFacts {
  readonly metadata: GCodeMetadata
  /** Largest first, at most three. */
  readonly thumbnails: readonly GCodeThumbnail[]
}

/**
 * Reads what a G-code file says about itself: from its first and last mebibyte, or from its parts where it has some.
 * Bad content is no error: what cannot be read is absent. Rejects only when `source` does.
 */
export async function readGCodeFacts(name: string, source: ByteSource): Promise<GCodeFacts> {
  const windowed = windowedSource(source)
  const facts = await readFacts(name, windowed)
  windowed.check()
  return facts
}

async function readFacts(name: string, source: ByteSource): Promise<GCodeFacts> {
  const start = await source.read(0, 4)
  if (isBinaryGCode(start)) return readBinaryFacts(source)
  // Other zip archives are nobody's G-code, but an archive may also begin with something else.
  if (name.toLowerCase().endsWith('.3mf')) return (await import('./archive-flow.js')).readArchiveFacts(source)
  return readTextFacts(source)
}

async function readTextFacts(source: ByteSource): Promise<GCodeFacts> {
  const { pieces, isWhole } = piecesOf(await readEnds(source), source.size)
  const found = pieces.flatMap(({ text }) => findThumbnails(text).map((block) => ({ ...block, text })))
  const thumbnails = await encodeThumbnails(found, async (block) => thumbnailBytes(block.text, block))
  return { metadata: metadataOfText(pieces, isWhole), thumbnails }
}

async function readEnds(source: ByteSource): Promise<Ends> {
  const head = await source.read(0, PIECE_BYTES)
  const tailAt = Math.max(head.length, source.size - PIECE_BYTES)
  return { head, tail: await source.read(tailAt, source.size - tailAt), tailAt }
}
