import type { Multipart } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../errors.js'

/** What a form may cost. */
export interface UploadLimits {
  readonly maxFileBytes: number
  /** A slower upload is cut off, so that slow clients cannot pile up. */
  readonly timeoutMs: number
}

/** The parts of a form: texts by name, and the one file that is asked for. */
export interface Form {
  readonly fields: ReadonlyMap<string, string>
  readonly file: Buffer | undefined
}

const MAX_FIELDS = 20
const MAX_FIELD_BYTES = 64 * 1024

/** What surrounds the file in a body: boundaries, headers, text parts. */
const MAX_OVERHEAD_BYTES = 256 * 1024

const UrlEncoded = z.record(z.string(), z.unknown())

/**
 * Reads a multipart or URL-encoded form. The file, of any of the names, is kept in memory, so its size is bounded.
 * @throws {ApiError} too_large, invalid_request
 */
export async function readForm(
  request: FastifyRequest,
  fileName: string | readonly string[],
  limits: UploadLimits,
): Promise<Form> {
  if (!request.isMultipart()) return { fields: textsOf(request.body), file: undefined }
  // Told before reading, so that the client need not send all of it first.
  if (Number(request.headers['content-length'] ?? 0) > limits.maxFileBytes + MAX_OVERHEAD_BYTES) {
    throw new ApiError('too_large')
  }
  const timer = setTimeout(() => request.raw.destroy(), limits.timeoutMs).unref()
  try {
    return await readParts(request, [fileName].flat(), limits)
  } catch (err) {
    throw isLimit(err) ? err : new ApiError('invalid_request', 'The form could not be read.', { cause: err })
  } finally {
    clearTimeout(timer)
  }
}

/** The plugin's own errors say which limit was reached; everything else is a malformed or cut-off form. */
const isLimit = (err: unknown): boolean =>
  err instanceof Error && 'code' in err && typeof err.code === 'string' && err.code.startsWith('FST_')

async function readParts(
  request: FastifyRequest,
  fileNames: readonly string[],
  { maxFileBytes }: UploadLimits,
): Promise<Form> {
  const fields = new Map<string, string>()
  let file: Buffer | undefined
  const bounds = { fileSize: maxFileBytes, files: 1, fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES }
  const parts: AsyncIterable<Multipart> = request.parts({ limits: { ...bounds, parts: MAX_FIELDS + 1 } })
  for await (const part of parts) {
    if (part.type === 'field') {
      if (typeof part.value === 'string' && !part.valueTruncated) fields.set(part.fieldname, part.value)
    } else if (fileNames.includes(part.fieldname)) {
      file = await part.toBuffer()
    } else {
      part.file.resume()
    }
  }
  return { fields, file }
}

/** Of a repeated name the last value counts. */
function textsOf(body: unknown): Map<string, string> {
  const entries = Object.entries(UrlEncoded.safeParse(body ?? {}).data ?? {})
  return new Map(
    entries.flatMap(([name, value]): [string, string][] => {
      const last: unknown = Array.isArray(value) ? value.at(-1) : value
      return typeof last === 'string' ? [[name, last]] : []
    }),
  )
}
