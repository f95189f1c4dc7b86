import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { pictureLibrary } from '../../picture-library.js'
import type { BlobStore, Database, Secrets } from '../../ports.js'
import { storedDetections } from '../alerts/alert-view.js'
import { type ExampleRow, listExamples } from './examples-store.js'
import { labelOf } from './labels.js'
import { MAX_ZIP_BYTES, MAX_ZIP_ENTRIES, type ZipEntry, zipEnd, zipEntry } from './zip.js'

const AT_ONCE = 200
/** Each picture has its label beside it. */
const MAX_PICTURES = MAX_ZIP_ENTRIES / 2 - 2

const CLASSES = 'path: .\ntrain: images/train\nval: images/val\nnc: 1\nnames: [failure]\n'
/** Every so manieth print is for validation: pictures of one print never lie in both. */
const VALIDATION_SHARE = 5

export interface ExportFlowDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'get'>
  readonly secrets: Pick<Secrets, 'keyedHash'>
}

/** One line of the manifest. */
interface ManifestLine {
  readonly file: string
  readonly source: string
  readonly group: string
  readonly classes: readonly number[]
  readonly answer: string
  readonly kind: string
  readonly camera: string
  readonly score: number
  readonly boxes_from: string
}

export type ExportFlow = ReturnType<typeof exportFlow>

/**
 * A user's labelled pictures as a zip file in YOLO layout. Pictures are read one after another while they are sent. Cameras and prints
 * have names that say nothing; no name of a person, a printer or a file is in it.
 */
export function exportFlow({ database, blobs, secrets }: ExportFlowDeps) {
  /** The same camera or print has the same name in each file, which cannot be traced back without the server's key. */
  const pseudonym = (kind: string, id: number): string =>
    `${kind}-${secrets.keyedHash(`export:${kind}:${id}`).slice(0, 10)}`

  async function* zipOf(userId: number): AsyncGenerator<Buffer> {
    const entries: ZipEntry[] = []
    const manifest: ManifestLine[] = []
    let offset = 0
    const add = (name: string, bytes: Uint8Array): Buffer => {
      const made = zipEntry(name, bytes, crc32(bytes), offset)
      entries.push(made.entry)
      offset += made.bytes.length
      return made.bytes
    }
    yield add('data.yaml', Buffer.from(CLASSES))
    for await (const example of examplesOf(userId)) {
      if (manifest.length >= MAX_PICTURES || offset > MAX_ZIP_BYTES) break
      const blob = await blobs.get(example.image_key)
      if (blob === undefined) continue
      const { line, label } = describe(example, blob.contentType)
      const bytes = await bare(blob.bytes).catch(() => undefined)
      if (bytes === undefined) continue
      manifest.push(line)
      yield add(`images/${line.file}`, bytes)
      yield add(`labels/${line.file.replace(/\.\w+$/, '.txt')}`, Buffer.from(label))
    }
    yield add('manifest.json', Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`))
    yield zipEnd(entries, offset)
  }

  async function* examplesOf(userId: number): AsyncGenerator<ExampleRow> {
    for (let start = 0; ; start += AT_ONCE) {
      const rows = await listExamples(database.db, userId, { start, limit: AT_ONCE })
      yield* rows
      if (rows.length < AT_ONCE) return
    }
  }

  function describe(example: ExampleRow, contentType: string) {
    const answer = example.answer === 'FAILED' ? 'FAILED' : 'NOT_FAILED'
    const { text, boxes_from } = labelOf(answer, storedDetections(example.detections))
    const group = pseudonym('print', example.print_id)
    const line = {
      file: `${splitOf(group)}/${pseudonym('picture', example.id)}.${endingOf(contentType)}`,
      source: 'feedback',
      group,
      classes: answer === 'FAILED' ? [0] : [],
      ...{ answer, kind: example.source, score: example.score, boxes_from },
      camera: pseudonym('camera', example.camera_id ?? 0),
    }
    return { line, label: text }
  }

  return { open: (userId: number): Readable => Readable.from(zipOf(userId)) }
}

function splitOf(group: string): 'train' | 'val' {
  const number = Number.parseInt(group.slice(-4), 16)
  return number % VALIDATION_SHARE === 0 ? 'val' : 'train'
}

/** The picture without what a camera writes beside it, such as its place and owner. Most have nothing, and stay as they are. */
async function bare(bytes: Uint8Array): Promise<Uint8Array> {
  const sharp = await pictureLibrary()
  const picture = sharp(bytes)
  const { exif, xmp, iptc, comments } = await picture.metadata()
  if (exif === undefined && xmp === undefined && iptc === undefined && comments === undefined) return bytes
  return picture.autoOrient().toBuffer()
}

function endingOf(contentType: string): string {
  return contentType === 'image/png' ? 'png' : contentType === 'image/webp' ? 'webp' : 'jpg'
}
