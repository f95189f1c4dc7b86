import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../errors.js'
import type { BlobFacts, BlobStore, BlobStream, Clock, Secrets } from '../ports.js'
import { attachmentHeader } from './content-disposition.js'
import { isRangeMeant, mediaClaim, mediaExpiry, mediaTag, parseRange } from './media-url.js'
import type { RequestLimits } from './request-limits.js'
import { whenAnswered } from './when-closed.js'

/** Makes the URLs of blobs: absolute, signed, and good for a day. */
export interface Media {
  /** A file name, where there is one, is what a browser saves the blob as. */
  urls(origin: string): (key: string, filename?: string) => string
}

export interface MediaDeps {
  readonly blobs: Pick<BlobStore, 'find' | 'stream'>
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'sign' | 'verify'>
  readonly limits: Pick<RequestLimits, 'ofMedia'>
}

const MediaQuery = z.object({
  expires: z
    .string()
    .regex(/^\d{1,12}$/)
    .transform(Number),
  signature: z.string(),
  name: z.string().optional(),
})
const MediaParams = z.object({ '*': z.string() })

/** A browser shows these; everything else is saved, never run. */
const SHOWN = /^(image\/(jpeg|png|webp)|video\/mp4)$/

/** Whatever else was stored goes out under these names: never as a page, a picture with script, or text that is looked at. */
const savedType = (contentType: string): string =>
  contentType === 'application/json' ? contentType : 'application/octet-stream'

/** The URLs of blobs, and the route at which they are served to whoever holds one. */
export function media({ secrets, clock }: Pick<MediaDeps, 'secrets' | 'clock'>): Media {
  return {
    urls: (origin) => (key, filename) => {
      const expires = mediaExpiry(clock.now())
      const path = key.split('/').map(encodeURIComponent).join('/')
      const url = `${origin}/media/${path}?expires=${expires}&signature=${secrets.sign(mediaClaim(key, expires, filename))}`
      return filename === undefined ? url : `${url}&name=${encodeURIComponent(filename)}`
    },
  }
}

export function mediaRoute(app: FastifyInstance, { blobs, clock, secrets, limits }: MediaDeps): void {
  app.get('/media/*', async (request, reply) => {
    const query = MediaQuery.safeParse(request.query)
    const { '*': key } = MediaParams.parse(request.params)
    if (!query.success) throw new ApiError('not_found')
    const { expires, signature, name } = query.data
    const isGood = secrets.verify(mediaClaim(key, expires, name), signature) && expires * 1000 > clock.now()
    if (isGood) await limits.ofMedia(request, reply)
    // What is not sent is not opened: there may be a connection behind it.
    const isPlain = request.method === 'GET' && request.headers.range === undefined
    // One answer for a wrong signature, an old one and a missing blob: nothing is learned by trying.
    const found = isGood ? await (isPlain ? blobs.stream(key) : blobs.find(key)) : undefined
    if (found === undefined) throw new ApiError('not_found')
    const tag = mediaTag(key, found.size)
    // A header that cannot be sent twice; a second one would come as a list.
    const isMeant = isRangeMeant(request.headers['if-range']?.toString(), tag)
    const range = isMeant ? parseRange(request.headers.range, found.size) : undefined
    // Left to Fastify, the bytes for a HEAD would be read to their end for nothing. Of a stream it believes the length that is told.
    const isEmpty = request.method === 'HEAD' || range === null
    const body = isEmpty ? Readable.from([]) : await bodyOf(found, key, range)
    // An answer that waits on its connection behind another one is not told when that goes.
    whenAnswered(request, reply, () => void body.destroy())
    // Only now: no answer that something went wrong is to be kept by a browser.
    void reply
      .header('accept-ranges', 'bytes')
      .header('etag', tag)
      .header('cache-control', 'private, max-age=3600, immutable')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('access-control-allow-origin', '*')
      .header('x-content-type-options', 'nosniff')
      .type(SHOWN.test(found.contentType) ? found.contentType : savedType(found.contentType))
    if (!SHOWN.test(found.contentType)) void reply.header('content-disposition', attachmentHeader(name))

    if (request.method === 'HEAD' || range === undefined) return reply.header('content-length', found.size).send(body)
    if (range === null) return reply.code(416).header('content-range', `bytes */${found.size}`).send('')
    return reply
      .code(206)
      .header('content-range', `bytes ${range.start}-${range.end}/${found.size}`)
      .header('content-length', range.end - range.start + 1)
      .send(body)
  })

  async function bodyOf(
    found: BlobFacts | BlobStream,
    key: string,
    range: { start: number; end: number } | null | undefined,
  ): Promise<Readable> {
    if ('body' in found) return found.body
    const blob = await blobs.stream(key, range ?? undefined)
    if (blob === undefined) throw new ApiError('not_found')
    return blob.body
  }
}
