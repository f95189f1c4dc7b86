import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import type { UploadLimits } from './read-form.js'

/**
 * Reads a body that is a file itself. It is kept in memory, so its size is bounded.
 * @throws {ApiError} too_large, invalid_request
 */
export async function readRaw(request: FastifyRequest, { maxFileBytes, timeoutMs }: UploadLimits): Promise<Buffer> {
  // Told before reading, so that the client need not send all of it first.
  if (Number(request.headers['content-length'] ?? 0) > maxFileBytes) throw new ApiError('too_large')
  const timer = setTimeout(() => request.raw.destroy(), timeoutMs).unref()
  try {
    return await collect(request.body, maxFileBytes)
  } catch (err) {
    throw err instanceof ApiError ? err : new ApiError('invalid_request', 'The body was cut off.', { cause: err })
  } finally {
    clearTimeout(timer)
  }
}

async function collect(body: unknown, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of (body ?? []) as Readable) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > maxBytes) throw new ApiError('too_large')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks, size)
}
