/**
 * The bytes of a file to upload. A `Blob` or `File` is best: its size is known, and it can be sent again. In Node
 * `await openAsBlob(path)` of `node:fs` gives one without reading the file. A stream (a web `ReadableStream`, a `Readable` of
 * Node, any async iterable of bytes) is read as it is sent; in a browser it is gathered into a `Blob` first.
 */
export type UploadFile = Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** How far a transfer is. */
export interface TransferProgress {
  /** Bytes so far. */
  readonly loaded: number
  /** Bytes in all; undefined when that is not known before the end. */
  readonly total: number | undefined
}

/** Which fields of an input are parts of a multipart body. */
export interface Parts {
  readonly files: readonly string[]
  readonly texts: readonly string[]
}

/** One part of a multipart body. */
export type Part =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly file: UploadFile; readonly filename: string; readonly type: string }

/** The parts of a body. Texts come first, so that a server knows them before it takes the file. */
export function partsOf(declared: Parts, input: Readonly<Record<string, unknown>>): Part[] {
  const texts = declared.texts.filter((name) => input[name] !== undefined && input[name] !== null)
  const files = declared.files.filter((name) => input[name] !== undefined && input[name] !== null)
  return [
    ...texts.map((name) => ({ name, text: String(input[name]) })),
    ...files.map((name) => filePart(name, input[name], input['filename'])),
  ]
}

function filePart(name: string, file: unknown, filename: unknown): Part {
  if (!isUploadFile(file)) throw new TypeError(`"${name}" must be a Blob, a Uint8Array or a stream of bytes`)
  const own = file instanceof Blob && 'name' in file && typeof file.name === 'string' ? file.name : name
  const type = file instanceof Blob && file.type !== '' ? file.type : 'application/octet-stream'
  return { name, file, filename: typeof filename === 'string' ? filename : own, type }
}

function isUploadFile(value: unknown): value is UploadFile {
  if (typeof value !== 'object' || value === null) return false
  return value instanceof Blob || value instanceof Uint8Array || 'getReader' in value || Symbol.asyncIterator in value
}

/** What a file is read from has failed: the caller's concern, unlike the network. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** Whether the parts can be sent a second time: a stream is used up by the first. */
export function canRepeat(parts: readonly Part[]): boolean {
  return parts.every((part) => !('file' in part) || part.file instanceof Blob || part.file instanceof Uint8Array)
}
