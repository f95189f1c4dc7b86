import { type Part, SourceError, type TransferProgress, type UploadFile } from './multipart.js'

const CHUNK_BYTES = 64 * 1024

/** A multipart body as a stream, and what the request has to say about it. */
export interface MultipartBody {
  readonly body: ReadableStream<Uint8Array>
  readonly contentType: string
  /** In bytes; undefined when a part's size is not known. */
  readonly size: number | undefined
}

/**
 * Writes parts as `multipart/form-data` (RFC 7578), no faster than they are read.
 *
 * @param signal ends the reading of the files
 * @param onProgress hears of the bytes of the files alone, since that is what a user knows the size of
 */
export function multipartBody(
  parts: readonly Part[],
  signal: AbortSignal,
  onProgress: (progress: TransferProgress) => void,
): MultipartBody {
  const boundary = `printwarden-${crypto.randomUUID()}`
  const end = bytesOf(`--${boundary}--\r\n`)
  const heads = parts.map((part) => bytesOf(headOf(part, boundary)))
  const total = sum(parts.map((part) => ('file' in part ? sizeOf(part.file) : 0)))
  const framing = sum([end.length, ...heads.map((head) => head.length + 2)])
  const texts = sum(parts.map((part) => ('text' in part ? bytesOf(part.text).length : 0)))

  async function* write(): AsyncGenerator<Uint8Array> {
    let loaded = 0
    for (const [index, part] of parts.entries()) {
      yield heads[index] ?? end
      if ('text' in part) yield bytesOf(part.text)
      else {
        for await (const chunk of watched(chunksOf(part.file))) {
          yield chunk
          loaded += chunk.length
          onProgress({ loaded, total })
        }
      }
      yield bytesOf('\r\n')
    }
    yield end
  }

  const size = total === undefined || framing === undefined || texts === undefined ? undefined : total + framing + texts
  return { body: streamOf(write(), signal), contentType: `multipart/form-data; boundary=${boundary}`, size }
}

const encoder = new TextEncoder()
const bytesOf = (text: string): Uint8Array => encoder.encode(text)

const sum = (sizes: readonly (number | undefined)[]): number | undefined =>
  sizes.reduce((total, size) => (total === undefined || size === undefined ? undefined : total + size), 0)

function sizeOf(file: UploadFile): number | undefined {
  if (file instanceof Blob) return file.size
  return file instanceof Uint8Array ? file.length : undefined
}

function headOf(part: Part, boundary: string): string {
  const name = `content-disposition: form-data; name="${escaped(part.name)}"`
  if ('text' in part) return `--${boundary}\r\n${name}\r\n\r\n`
  const type = part.type.replaceAll(/[\r\n]/g, '')
  return `--${boundary}\r\n${name}; filename="${escaped(part.filename)}"\r\ncontent-type: ${type}\r\n\r\n`
}

/** As browsers do it (WHATWG HTML, multipart/form-data). */
const escaped = (text: string): string => text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

async function* chunksOf(file: UploadFile): AsyncGenerator<Uint8Array> {
  if (file instanceof Uint8Array) {
    for (let at = 0; at < file.length; at += CHUNK_BYTES) yield file.subarray(at, at + CHUNK_BYTES)
    return
  }
  const source = file instanceof Blob ? file.stream() : file
  if ('getReader' in source) yield* readAll(source)
  else for await (const chunk of source) yield checked(chunk)
}

async function* watched(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    throw new SourceError('the file could not be read', { cause: error })
  }
}

/** Browsers' streams are not always iterable, so they are read by hand. */
async function* readAll(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  let isDone = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      isDone = done
      if (done) return
      yield checked(value)
    }
  } finally {
    if (!isDone) await reader.cancel().catch(() => undefined)
    reader.releaseLock()
  }
}

/** A Node stream with an encoding gives text, whose length is not that of its bytes. */
function checked(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk
  throw new TypeError('the stream of a file must give bytes (Uint8Array), not text or objects')
}

/** `fetch` in Node does not let go of a body whose request was given up, so the signal is heeded here too. */
function streamOf(chunks: AsyncGenerator<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const stop = (): void => void chunks.return(undefined).catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  const end = (): void => signal.removeEventListener('abort', stop)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        signal.throwIfAborted()
        if (!done) return controller.enqueue(value)
        end()
        controller.close()
      },
      async cancel() {
        end()
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
