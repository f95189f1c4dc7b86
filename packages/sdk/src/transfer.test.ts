import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { type Client, type ClientOptions, createClient } from './client.js'
import type { TransferProgress, UploadFile } from './multipart.js'

// Uploads and downloads over real connections.

const closers: (() => void)[] = []
afterEach(() => closers.splice(0).forEach((close) => close()))

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  options: ClientOptions = {},
): Promise<{ client: Client; url: string }> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { client: createClient({ baseUrl: url, token: 't', ...options }), url }
}

async function formOf(request: IncomingMessage): Promise<FormData> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk as Uint8Array)
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  return new Response(new Blob(chunks as BlobPart[]), { headers }).formData()
}

const text = 'G28 ; home — über\n'.repeat(20_000)
const bytes = new TextEncoder().encode(text)

async function* inPieces(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000)
}

const SOURCES: { name: string; file: () => UploadFile; total: number | undefined }[] = [
  { name: 'a Blob', file: () => new Blob([bytes]), total: bytes.length },
  { name: 'a Uint8Array', file: () => bytes, total: bytes.length },
  { name: 'a web stream', file: () => new Blob([bytes]).stream(), total: undefined },
  { name: 'a Readable of Node', file: () => Readable.from(inPieces()), total: undefined },
  { name: 'an async iterable', file: inPieces, total: undefined },
]

test.each(SOURCES)('$name arrives whole, and progress is told', async ({ file, total }) => {
  const seen = vi.fn()
  const { client } = await serve((request, response) => {
    void formOf(request).then(async (form) => {
      const part = form.get('file')
      if (!(part instanceof File)) throw new Error('no file')
      seen(
        request.headers['content-length'] !== undefined,
        form.get('filename'),
        form.get('parent_folder'),
        part.name,
        (await part.text()) === text,
      )
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"id":1}')
    })
  })
  const progress: TransferProgress[] = []
  const input = { filename: 'würfel "1".gcode', parent_folder: 7, file: file() }
  expect(await client.uploadGCodeFile(input, { onProgress: (one) => progress.push(one) })).toEqual({ id: 1 })
  expect(seen).toHaveBeenCalledExactlyOnceWith(total !== undefined, 'würfel "1".gcode', '7', 'würfel "1".gcode', true)
  expect(progress.at(-1)).toEqual({ loaded: bytes.length, total })
  expect(progress.map(({ loaded }) => loaded)).toEqual(progress.map(({ loaded }) => loaded).toSorted((a, b) => a - b))
})

test('a file without a field for its name is called like the File, or as is said', async () => {
  const names: unknown[] = []
  const { client } = await serve((request, response) => {
    void formOf(request).then((form) => {
      const part = form.get('pic')
      names.push(part instanceof File && [part.name, part.type], form.has('filename'))
      response.end('{"result":"ok"}')
    })
  })
  const file = new File(['JPEG'], 'bed.jpg', { type: 'image/jpeg' })
  await client.uploadPic({ pic: file })
  await client.uploadPic({ pic: file, filename: 'other.jpg' })
  await client.uploadPic({ pic: new Uint8Array(4) })
  expect(names).toEqual([
    ['bed.jpg', 'image/jpeg'],
    false,
    ['other.jpg', 'image/jpeg'],
    false,
    ['pic', 'application/octet-stream'],
    false,
  ])
})

test('an upload that is given up stops reading its source', async () => {
  const { client } = await serve((request) => void request.resume())
  const controller = new AbortController()
  const ended = vi.fn()
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield new Uint8Array(1000)
    } finally {
      ended()
    }
  }
  const reason = new Error('the user left')
  const onProgress = ({ loaded }: TransferProgress): void => {
    if (loaded > 100_000) controller.abort(reason)
  }
  const call = client.uploadGCodeFile(
    { filename: 'x.gcode', file: endless() },
    { signal: controller.signal, onProgress },
  )
  await expect(call).rejects.toBe(reason)
  await vi.waitFor(() => expect(ended).toHaveBeenCalled())
})

test('a file that is no file, and a stream of text, are told apart from a broken network', async () => {
  const { client } = await serve((request) => void request.resume())
  await expect(client.uploadGCodeFile({ filename: 'x.gcode', file: 'G28' as never })).rejects.toThrow(TypeError)
  const upload = client.uploadGCodeFile({ filename: 'x.gcode', file: Readable.from(['G28']) })
  await expect(upload).rejects.toThrow(TypeError)
  await expect(upload).rejects.toThrow(/must give bytes/)
  const broken = new Error('the disk is gone')
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10)
    throw broken
  }
  await expect(client.uploadGCodeFile({ filename: 'x.gcode', file: failing() })).rejects.toBe(broken)
  const own = createClient({
    baseUrl: 'http://fake',
    fetch: (request) => request.text().then(() => new Response('{}')),
  })
  await expect(own.uploadGCodeFile({ filename: 'x.gcode', file: failing() })).rejects.toBe(broken)
})

test('a refusal before the file was taken is heard', async () => {
  const problem = { status: 413, code: 'too_large', title: 'The body is too large', detail: 'At most 1 MiB.' }
  const { client } = await serve((_request, response) => {
    response
      .writeHead(413, { 'content-type': 'application/problem+json', connection: 'close' })
      .end(JSON.stringify(problem))
  })
  const file = new Blob([new Uint8Array(8 * 1024 * 1024)])
  await expect(client.uploadGCodeFile({ filename: 'x.gcode', file })).rejects.toMatchObject({ code: 'too_large' })
})

test('a blob is sent again after 429, a stream is not', async () => {
  let count = 0
  const { client } = await serve((request, response) => {
    void formOf(request).then(() => {
      count += 1
      const problem = JSON.stringify({ status: 429, code: 'rate_limited', title: '', detail: '' })
      if (count % 2 === 1) response.writeHead(429, { 'retry-after': '0' }).end(problem)
      else response.writeHead(201).end('{"id":1}')
    })
  })
  await client.uploadGCodeFile({ filename: 'x.gcode', file: new Blob(['G28']) })
  expect(count).toBe(2)
  const upload = client.uploadGCodeFile({ filename: 'x.gcode', file: inPieces() })
  await expect(upload).rejects.toMatchObject({ code: 'rate_limited' })
  expect(count).toBe(3)
})

async function readAll(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text()
}

/** Serves the bytes, and breaks the connection after so many of them, once for each number. */
function breaking(breaks: number[], ranges: (string | undefined)[], headers: Record<string, string> = {}) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    ranges.push(request.headers.range)
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const part = bytes.subarray(start)
    const range = start === 0 ? {} : { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }
    response.writeHead(start === 0 ? 200 : 206, {
      'content-length': part.length,
      'content-type': 'text/x.gcode',
      ...range,
      ...headers,
    })
    const end = breaks.shift()
    if (end === undefined) response.end(part)
    else response.write(part.subarray(0, end), () => setTimeout(() => response.destroy(), 5))
  }
}

test('a download goes on where it broke, as often as bytes come', async () => {
  const ranges: (string | undefined)[] = []
  const { client, url } = await serve(breaking([100_000, 50_000, 1000, 2000], ranges, { etag: '"v1"' }))
  const progress: TransferProgress[] = []
  const download = await client.download('/media/x', {
    onProgress: (one) => progress.push(one),
    retry: { longestDelayMs: 1 },
  })
  expect(download).toMatchObject({ size: bytes.length, type: 'text/x.gcode' })
  expect(await readAll(download.stream)).toBe(text)
  expect(ranges.length).toBe(5)
  expect(ranges.slice(1).every((range) => /^bytes=[1-9]\d*-$/.test(range ?? ''))).toBe(true)
  expect(progress.at(-1)).toEqual({ loaded: bytes.length, total: bytes.length })
  expect(await readAll((await client.download(`${url}/media/x`)).stream)).toBe(text)
})

test('a download that breaks without a byte ends with an error, not early', async () => {
  const { client } = await serve(breaking([1000, 0, 0, 0, 0, 0, 0, 0, 0], []))
  const { stream } = await client.download('/media/x', { retry: { longestDelayMs: 1 } })
  await expect(readAll(stream)).rejects.toMatchObject({ name: 'NetworkError' })
})

test('a file that was replaced meanwhile is not glued together', async () => {
  let count = 0
  const { client } = await serve((request, response) => {
    breaking(count === 0 ? [1000] : [], [], { etag: `"v${(count += 1)}"` })(request, response)
  })
  const { stream } = await client.download('/media/x', { retry: { longestDelayMs: 1 } })
  await expect(readAll(stream)).rejects.toThrow('the file changed while it was downloaded')
})

test('the token goes to the API of its own server alone', async () => {
  const tokens: (string | undefined)[] = []
  const note = (request: IncomingMessage, response: ServerResponse): void => {
    tokens.push(request.headers.authorization)
    response.end('x')
  }
  const elsewhere = await serve(note)
  const { client, url } = await serve(note)
  for (const address of ['/api/x', `${url}/api/x`, `${url}/media/x`, `${elsewhere.url}/api/x`]) {
    await readAll((await client.download(address)).stream)
  }
  expect(tokens).toEqual(['Bearer t', 'Bearer t', undefined, undefined])
  await expect(client.download('file:///etc/passwd')).rejects.toThrow(TypeError)
})

test('a download that is refused is an ApiError; one that is given up ends with the reason', async () => {
  const { client } = await serve((_request, response) => {
    const problem = { status: 404, code: 'not_found', title: 'Not found', detail: 'Not found' }
    response.writeHead(404).end(JSON.stringify(problem))
  })
  await expect(client.download('/media/x')).rejects.toMatchObject({ code: 'not_found' })

  const closed = vi.fn()
  const endless = await serve((request, response) => {
    request.on('close', closed)
    response.write('x')
  })
  const controller = new AbortController()
  const { stream } = await endless.client.download('/media/x', { signal: controller.signal })
  const reader = stream.getReader()
  await reader.read()
  const reason = new Error('enough')
  const rest = reader.read()
  controller.abort(reason)
  await expect(rest).rejects.toBe(reason)
  await vi.waitFor(() => expect(closed).toHaveBeenCalled())
})

test('a server that falls silent in the middle is left after a while', async () => {
  const { client } = await serve(
    (_request, response) => void response.writeHead(200, { 'content-length': 10 }).write('x'),
  )
  const { stream } = await client.download('/media/x', { timeoutMs: 60, retry: { attempts: 1 } })
  await expect(readAll(stream)).rejects.toThrow('nothing came within 60 ms')
})
