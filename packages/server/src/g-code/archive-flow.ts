import { createInflateRaw, constants } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { addProjectSettings, addSliceInfo, pickParts } from './archive.js'
import type { GCodeFacts } from './facts-flow.js'
import type { ByteSource } from './facts-source.js'
import { metadataOfParts } from './metadata.js'
import { PIECE_BYTES, piecesOf } from './metadata-pieces.js'
import type { Comments } from './metadata-scan.js'
import { findThumbnails, MAX_THUMBNAIL_BYTES, type SaidSize, thumbnailBytes } from './thumbnails.js'
import { encodeThumbnails } from './thumbnails-flow.js'

/** A project of many plates and objects has some hundreds. */
const MAX_ENTRIES = 2000
/** What is read of the settings and the summary. */
const MAX_PART_BYTES = 2 * 1024 * 1024

/** Reads what a 3MF file says about its first plate that has G-code. */
export async function readArchiveFacts(source: ByteSource): Promise<GCodeFacts> {
  const zip = await openZip(source)
  if (zip === undefined) return { metadata: {}, thumbnails: [] }
  const parts = pickParts(await listEntries(zip))
  const read = (entry: Entry | undefined, maxBytes: number) => readEntry(source, zip, entry, maxBytes)

  const gCode = await read(parts.gCode, PIECE_BYTES)
  const head = { head: gCode, tail: new Uint8Array(), tailAt: gCode.length }
  const { pieces, isWhole } = piecesOf(head, parts.gCode?.uncompressedSize ?? 0)
  const summary: Comments = new Map()
  addSliceInfo(summary, (await read(parts.sliceInfo, MAX_PART_BYTES)).toString('latin1'), parts.plate)
  const settings: Comments = new Map()
  addProjectSettings(settings, (await read(parts.settings, MAX_PART_BYTES)).toString())

  // Pictures of the archive are large, those in the G-code small; neither says its size before it is read.
  const pictures: Picture[] = parts.pictures.map((entry) => ({
    width: 1024,
    height: 1024,
    read: () => read(entry, MAX_THUMBNAIL_BYTES),
  }))
  const comments: Picture[] = pieces.flatMap(({ text }) =>
    findThumbnails(text).map((block) => ({ ...block, read: async () => thumbnailBytes(text, block) })),
  )
  const thumbnails = await encodeThumbnails([...pictures, ...comments], (picture) => picture.read())
  return { metadata: metadataOfParts(pieces[0], isWhole, [summary, settings]), thumbnails }
}

interface Picture extends SaidSize {
  read(): Promise<Uint8Array | undefined>
}

/** Lets the zip reader read from a source. */
class SourceReader extends RandomAccessReader {
  constructor(private readonly source: ByteSource) {
    super()
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (err: Error | null) => void,
  ): void {
    this.source.read(position, length).then(
      (bytes) => {
        buffer.set(bytes, offset)
        done(bytes.length < length ? new Error('the archive ends early') : null)
      },
      (err: unknown) => done(new Error('the archive cannot be read', { cause: err })),
    )
  }
}

async function openZip(source: ByteSource): Promise<ZipFile | undefined> {
  try {
    const options = { lazyEntries: true, autoClose: false }
    return await fromRandomAccessReaderPromise(new SourceReader(source), source.size, options)
  } catch {
    return undefined // no zip archive
  }
}

/** The entries up to the first damaged one. */
async function listEntries(zip: ZipFile): Promise<Entry[]> {
  const entries: Entry[] = []
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.push(entry) === MAX_ENTRIES) break
    }
  } catch {
    // What was found before is as good as it would be alone.
  }
  return entries
}

/** The first `maxBytes` of an entry, or what can be read of them. Sizes in the archive are not believed. */
async function readEntry(
  source: ByteSource,
  zip: ZipFile,
  entry: Entry | undefined,
  maxBytes: number,
): Promise<Buffer> {
  if (entry === undefined || !entry.canDecodeFileData()) return Buffer.alloc(0)
  try {
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true })
    const packed = await source.read(fileDataStart, Math.min(entry.compressedSize, maxBytes))
    return entry.compressionMethod === 0 ? Buffer.from(packed) : await inflateStart(packed, maxBytes)
  } catch {
    return Buffer.alloc(0)
  }
}

async function inflateStart(packed: Uint8Array, maxBytes: number): Promise<Buffer> {
  // The input may be a part of the entry, so that it ends early is no error.
  const inflater = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH })
  inflater.end(packed)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of inflater as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}
