import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_TRIES, waitMs } from './pace.js'
import type { SourceClient } from './source-client.js'
import { SourceError } from './source-error.js'

/** Where an answer's bytes begin, and how many the whole has; undefined where it does not say. */
export function extentOf(response: Pick<IncomingMessage, 'statusCode' | 'headers'>): {
  readonly start: number
  readonly total: number | undefined
} {
  const { headers } = response
  if (response.statusCode !== 206) {
    const length = headers['content-length']
    return { start: 0, total: length === undefined ? undefined : Number(length) }
  }
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? []
  if (start === undefined) throw new SourceError('not_understood', 'it gives a part of a file and does not say which')
  return { start: Number(start), total: total === '*' ? undefined : Number(total) }
}

const versionOf = ({ headers }: IncomingMessage): string | undefined => headers.etag ?? headers['last-modified']

/** The bytes of a file, which go on where they broke off. @throws {SourceError} */
export async function* download(source: Pick<SourceClient, 'openFile'>, url: string): AsyncGenerator<Buffer> {
  let offset = 0
  let total: number | undefined
  let version: string | undefined
  for (let breaks = 0; ; ) {
    const response = await source.openFile(url, offset)
    const extent = extentOf(response)
    if (extent.start > offset || (offset > 0 && versionOf(response) !== version)) {
      response.destroy()
      throw new SourceError('broken', 'the file changed while it was read')
    }
    total = extent.total
    version = versionOf(response)
    let skip = offset - extent.start // a server without ranges begins again
    try {
      for await (const chunk of response) {
        const bytes = Buffer.from(chunk as Uint8Array).subarray(skip)
        skip -= Math.min(skip, (chunk as Uint8Array).length)
        if (bytes.length === 0) continue
        offset += bytes.length
        breaks = 0
        yield bytes
      }
    } catch {
      // Broken off: what is missing is asked for.
    } finally {
      response.destroy()
    }
    if (total === undefined ? response.complete : offset >= total) return
    breaks += 1
    if (breaks >= MAX_TRIES)
      throw new SourceError('broken', `the file breaks off after ${offset} bytes again and again`)
    await sleep(waitMs(breaks, undefined, Date.now()))
  }
}
