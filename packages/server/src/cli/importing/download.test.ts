import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { download } from './download.js'
import { openSource } from './source-client.js'

const BYTES = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 251))

/** What is downloaded of a file that is answered so. */
async function downloaded(listener: RequestListener): Promise<Buffer> {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const base = new URL(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`)
  try {
    return await buffer(Readable.from(download(await openSource(base, 'token'), '/media/file')))
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** Answers with ranges, or without, and breaks off after so many bytes each time. */
function breaking(pieces: number[], { hasRanges = true, etag = (): string => 'a' } = {}): RequestListener {
  return (request, response) => {
    const asked = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const start = hasRanges ? asked : 0
    const part = BYTES.subarray(start)
    const range = start === 0 ? {} : { 'content-range': `bytes ${start}-${BYTES.length - 1}/${BYTES.length}` }
    response.writeHead(start === 0 ? 200 : 206, { 'content-length': part.length, etag: etag(), ...range })
    const most = pieces.shift()
    if (most === undefined) response.end(part)
    else response.write(part.subarray(0, most), () => setTimeout(() => response.destroy(), 20))
  }
}

test.each([
  { name: 'in one go', listener: () => breaking([]) },
  { name: 'after a break', listener: () => breaking([40_000]) },
  { name: 'after two', listener: () => breaking([40_000, 10_000]) },
  {
    name: 'from a server without ranges, which begins again',
    listener: () => breaking([40_000], { hasRanges: false }),
  },
])('a file comes whole: $name', async ({ listener }) => {
  expect((await downloaded(listener())).equals(BYTES)).toBe(true)
})

test('a file that changes while it is read is not put together of two', async () => {
  let version = 0
  await expect(downloaded(breaking([40_000], { etag: () => String(version++) }))).rejects.toThrow(
    /changed while it was read/,
  )
})

test('an address that is none of the web is not asked', async () => {
  const source = await openSource(new URL('http://127.0.0.1:9'), 'token')
  await expect(source.openFile('file:///etc/passwd', 0)).rejects.toThrow(/names no address/)
})
