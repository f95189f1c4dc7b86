import type { Multipart, MultipartFile, MultipartValue } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../errors.js'
import { allowSlowBody } from '../http/body-deadline.js'
import { issue } from './input.js'
import type { ReceivedBytes, UploadFlow } from './upload-flow.js'

const MAX_FIELDS = 50
const MAX_FILES = 5
const MAX_FIELD_BYTES = 64 * 1024

/** What surrounds the file in a body: boundaries, headers, text parts. */
const MAX_OVERHEAD_BYTES = 4 * 1024 * 1024

/** An upload of which nothing arrives for so long is given up. */
const STALLED_MS = 60_000

/** A form with a G-code file: its texts by name, the bytes of its file, and what the client calls that. */
export interface GCodeForm {
  readonly fields: ReadonlyMap<string, string>
  readonly file: { readonly bytes: ReceivedBytes; readonly name: string } | undefined
}

const UrlEncoded = z.record(z.string(), z.unknown())

/**
 * Reads a form whose part `file` is G-code, with its parts in any order; the file goes to the disk as it comes. Parts that are not
 * known are ignored. When this throws nothing was kept; afterwards the bytes are the caller's to keep or to discard.
 *
 * @throws {ApiError} invalid_request, too_large, storage_full, rate_limited
 */
export async function readGCodeForm(
  request: FastifyRequest,
  uploads: Pick<UploadFlow, 'receive' | 'discard' | 'maxGCodeBytes'>,
  userId: number,
  known: readonly string[],
): Promise<GCodeForm> {
  if (!request.isMultipart()) return { fields: textsOf(request.body, known), file: undefined }
  // Told before reading, so that the client need not send all of it first.
  if (Number(request.headers['content-length'] ?? 0) > uploads.maxGCodeBytes + MAX_OVERHEAD_BYTES) {
    throw new ApiError('too_large', `A file may have ${uploads.maxGCodeBytes} bytes.`)
  }
  allowSlowBody(request, STALLED_MS)
  const form = new FormReader(request, uploads, userId, known)
  try {
    return await form.read()
  } catch (error) {
    // Nobody reads the rest, and a client that still sends it would never come to read the answer.
    request.raw.unpipe()
    request.raw.resume()
    await form.discard()
    throw readError(error)
  }
}

/** Reads the texts of a form that has no file. Parts that are not known, files among them, are ignored. */
export async function readTextForm(
  request: FastifyRequest,
  known: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (!request.isMultipart()) return textsOf(request.body, known)
  const fields = new Map<string, string>()
  const limits = { files: MAX_FILES, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, fileSize: MAX_OVERHEAD_BYTES }
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type === 'file') part.file.resume()
      else takeText(fields, known, part)
    }
  } catch (error) {
    throw readError(error)
  }
  return fields
}

/** Our own errors and the plugin's limits say what is wrong; everything else is a malformed or cut-off form. */
const isOurs = (error: unknown): boolean =>
  error instanceof ApiError ||
  (error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('FST_'))

const readError = (error: unknown): unknown =>
  isOurs(error) ? error : new ApiError('invalid_request', 'The form could not be read.', { cause: error })

/** A form that says the same thing twice may be read in two ways, so it is read in none. */
function takeText(
  fields: Map<string, string>,
  known: readonly string[],
  { fieldname, value, valueTruncated }: MultipartValue,
): void {
  if (!known.includes(fieldname)) return
  if (typeof value !== 'string' || valueTruncated) throw issue(fieldname, `must have at most ${MAX_FIELD_BYTES} bytes`)
  if (fields.has(fieldname)) throw issue(fieldname, 'was sent more than once')
  fields.set(fieldname, value)
}

class FormReader {
  private readonly fields = new Map<string, string>()
  private file: GCodeForm['file']

  constructor(
    private readonly request: FastifyRequest,
    private readonly uploads: Pick<UploadFlow, 'receive' | 'discard'>,
    private readonly userId: number,
    private readonly known: readonly string[],
  ) {}

  async read(): Promise<GCodeForm> {
    const limits = { files: MAX_FILES, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, parts: MAX_FIELDS + MAX_FILES }
    // The cap of the file is kept where it is written, to the byte.
    const parts: AsyncIterable<Multipart> = this.request.parts({ limits: { ...limits, fileSize: Infinity } })
    for await (const part of parts) {
      if (part.type === 'field') this.takeField(part)
      else if (part.fieldname === 'file') await this.takeFile(part)
      else part.file.resume()
    }
    return { fields: this.fields, file: this.file }
  }

  async discard(): Promise<void> {
    if (this.file !== undefined) await this.uploads.discard(this.file.bytes)
  }

  private takeField(part: MultipartValue): void {
    if (part.fieldname === 'file') throw issue('file', 'must be sent as a file, with a file name')
    takeText(this.fields, this.known, part)
  }

  private async takeFile(part: MultipartFile): Promise<void> {
    if (this.file !== undefined) {
      part.file.resume()
      throw issue('file', 'was sent more than once')
    }
    this.file = { bytes: await this.uploads.receive(this.userId, part.file), name: part.filename }
  }
}

/** The texts of a URL-encoded form; a repeated one is refused like a part. */
export function textsOf(body: unknown, known: readonly string[]): Map<string, string> {
  const all = Object.entries(UrlEncoded.safeParse(body ?? {}).data ?? {})
  const entries = all.filter(([name]) => known.includes(name))
  for (const [name, value] of entries) if (Array.isArray(value)) throw issue(name, 'was sent more than once')
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
