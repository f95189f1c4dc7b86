import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ApiError } from '../errors.js'
import type { BlobStore, Clock, Secrets } from '../ports.js'
import { attachmentHeader } from './content-disposition.js'
import { isRangeMeant, mediaClaim, mediaExpiry, mediaTag, parseRange } from './media-url.js'

/** Makes the URLs of blobs: absolute, signed, and good for a day. */
export interface Media {
  /** A file name, where there is one, is what a browser saves the blob as. */
  urls(origin: string): (key: string, filename?: string) => string
}

export interface MediaDeps {
  readonly blobs: Pick<BlobStore, 'stream'>
  readonly clock: Clock
  readonly secrets: Pick<Secrets, 'sign' | 'verify'>
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

export function mediaRoute(app: FastifyInstance, { blobs, clock, secrets }: MediaDeps): void {
  app.get('/media/*', async (request, reply) => {
    const query = MediaQuery.safeParse(request.query)
    const { '*': key } = MediaParams.parse(request.params)
    if (!query.success) throw new ApiError('not_found')
    const { expires, signature, name } = query.data
    const isGood = secrets.verify(mediaClaim(key, expires, name), signature) && expires * 1000 > clock.now()
    // One answer for a wrong signature, an old one and a missing blob: nothing is learned by trying.
    const whole = isGood ? await blobs.stream(key) : undefined
    if (whole === undefined) throw new ApiError('not_found')
    const tag = mediaTag(key, whole.size)
    void reply
      .header('accept-ranges', 'bytes')
      .header('etag', tag)
      .header('cache-control', 'private, max-age=3600, immutable')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('access-control-allow-origin', '*')
      .header('x-content-type-options', 'nosniff')
      .type(SHOWN.test(whole.contentType) ? whole.contentType : savedType(whole.contentType))
    if (!SHOWN.test(whole.contentType)) void reply.header('content-disposition', attachmentHeader(name))

    if (request.method === 'HEAD') {
      // Left to Fastify, the bytes would be read to their end for nothing. Of a stream it believes the length that is told.
      whole.body.destroy()
      return reply.header('content-length', whole.size).send(Readable.from([]))
    }
    // A header that cannot be sent twice; a second one would come as a list.
    const isMeant = isRangeMeant(request.headers['if-range']?.toString(), tag)
    const range = isMeant ? parseRange(request.headers.range, whole.size) : undefined
    if (range === undefined) return reply.header('content-length', whole.size).send(whole.body)
    whole.body.destroy()
    if (range === null) return reply.code(416).header('content-range', `bytes */${whole.size}`).send('')
    const part = await blobs.stream(key, range)
    if (part === undefined) throw new ApiError('not_found')
    return reply
      .code(206)
      .header('content-range', `bytes ${range.start}-${range.end}/${whole.size}`)
      .header('content-length', range.end - range.start + 1)
      .send(part.body)
  })
}
