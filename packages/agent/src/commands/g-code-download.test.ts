import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PrintArgs } from '@printwarden/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fakeClock } from '../time/fake-clock.js'
import { fakeLog } from '../log/fake-log.js'
import { downloadGCode } from './g-code-download.js'
import { resumeHeaders, startOf } from './g-code-range.js'

const FILE = randomBytes(300_000)
const TAG = '"one"'

interface Asked {
  range: string | undefined
  ifRange: string | undefined
}

let folder: string
let http: Server
let asked: Asked[]
/** How each request is answered, one after the other; the last one for all that follow. */
let answers: ((request: IncomingMessage, response: ServerResponse) => void)[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'download-'))
  asked = []
  http = createServer((request, response) => {
    asked.push({ range: request.headers.range, ifRange: request.headers['if-range']?.toString() })
    const answer = answers[Math.min(asked.length, answers.length) - 1]
    answer?.(request, response)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
})
afterEach(async () => {
  http.closeAllConnections()
  http.close()
  await rm(folder, { recursive: true, force: true })
})

/** Serves `file` as a server with ranges does, and breaks off after so many bytes. */
const serve =
  (breakAfter = Number.POSITIVE_INFINITY, file: Buffer = FILE, tag = TAG) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const isPart = from > 0 && [undefined, tag].includes(request.headers['if-range']?.toString())
    const body = isPart ? file.subarray(from) : file
    response.writeHead(isPart ? 206 : 200, {
      etag: tag,
      'content-length': body.length,
      ...(isPart ? { 'content-range': `bytes ${from}-${file.length - 1}/${file.length}` } : {}),
    })
    response.write(body.subarray(0, breakAfter), () => (breakAfter < body.length ? response.destroy() : response.end()))
  }
const status = (code: number) => (_: IncomingMessage, response: ServerResponse) => void response.writeHead(code).end()

async function download(change: Partial<PrintArgs> = {}) {
  const clock = fakeClock()
  const { port } = http.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/file`
  const sha256 = createHash('sha256').update(FILE).digest('hex')
  const args = { g_code_file_id: 1, filename: 'a.gcode', num_bytes: FILE.length, sha256, url, ...change }
  const deps = {
    folder: join(folder, 'mk3.downloads'),
    signal: new AbortController().signal,
    random: () => 0,
    log: fakeLog(),
  }
  const timer = setInterval(() => clock.advance(500), 2)
  try {
    const fetched = await downloadGCode(args, { ...deps, clock })
    const bytes = await readFile(fetched.path)
    await fetched.remove()
    return bytes
  } finally {
    clearInterval(timer)
    expect(await readdir(deps.folder)).toEqual([])
  }
}

test('a download that breaks again and again goes on where it was', async () => {
  answers = [serve(100_000), serve(50_000), status(503), serve(1), serve()]
  expect(FILE.equals(await download())).toBe(true)
  expect(asked.map(({ range }) => range?.replace(/\d+/, 'N'))).toEqual([
    undefined,
    'bytes=N-',
    'bytes=N-',
    'bytes=N-',
    'bytes=N-',
  ])
  expect(asked.slice(1).every(({ ifRange }) => ifRange === TAG)).toBe(true)
  const starts = asked.slice(1).map(({ range }) => Number(/\d+/.exec(range ?? '')?.[0]))
  expect(starts).toEqual([...starts].sort((a, b) => a - b))
})

test('a file that has become another one is fetched from its beginning', async () => {
  answers = [serve(100_000, randomBytes(300_000), '"old"'), serve()]
  expect(FILE.equals(await download())).toBe(true)
})

test('a server that knows no ranges is asked for the whole', async () => {
  answers = [serve(100_000), (_, response) => void response.writeHead(200, { 'content-length': FILE.length }).end(FILE)]
  expect(FILE.equals(await download())).toBe(true)
})

test('a part that was put to another beginning is found out by the hash, and the file fetched once more', async () => {
  const lying = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.headers.range === undefined) return serve(100_000, randomBytes(300_000))(request, response)
    serve()(request, response)
  }
  answers = [lying, lying, serve()]
  expect(FILE.equals(await download())).toBe(true)
})

test('a connection over which nothing comes is given up, and the rest fetched by another', async () => {
  answers = [
    (_, response) => {
      response.writeHead(200, { 'content-length': FILE.length, etag: TAG })
      response.write(FILE.subarray(0, 1000))
    },
    serve(),
  ]
  expect(FILE.equals(await download())).toBe(true)
  expect(asked).toHaveLength(2)
  expect(asked[1]?.range).toBe('bytes=1000-')
})

test.each([
  { name: 'a file that is gone', answer: status(404), says: 'answers 404', tries: 1 },
  {
    name: 'a file that is damaged',
    answer: serve(undefined, randomBytes(300_000)),
    says: 'its hash is another',
    tries: 1,
  },
  {
    name: 'a file that is too large',
    answer: serve(undefined, randomBytes(300_001)),
    says: 'larger than announced',
    tries: 1,
  },
  { name: 'a server in trouble', answer: status(500), says: 'answers 500', tries: 8 },
])('$name is not kept', async ({ answer, says, tries }) => {
  answers = [answer]
  await expect(download()).rejects.toThrow(says)
  expect(asked).toHaveLength(tries)
})

test.each([
  { url: 'data:text/plain,G28', says: 'not of the web (data:)' },
  { url: 'file:///etc/hostname', says: 'not of the web (file:)' },
  { num_bytes: 1e15, says: 'the file has no room here' },
])('$url$num_bytes is refused before anything is asked', async ({ says, ...change }) => {
  answers = [serve()]
  await expect(download(change)).rejects.toThrow(says)
  expect(asked).toHaveLength(0)
})

test('a redirect to a file of this machine is not followed', async () => {
  answers = [(_, response) => void response.writeHead(302, { location: 'file:///etc/hostname' }).end()]
  await expect(download()).rejects.toThrow('cannot be fetched')
  expect(asked).toHaveLength(1)
})

test.each([
  { status: 200, range: '', start: 0 },
  { status: 206, range: 'bytes 7-9/10', start: 7 },
  { status: 206, range: 'bytes 7-9/*', start: 7 },
  { status: 206, range: '', start: undefined },
  { status: 206, range: 'lines 7-9/10', start: undefined },
  { status: 416, range: 'bytes */10', start: undefined },
])('$status with "$range" begins at $start', ({ status: code, range, start }) => {
  expect(startOf(code, range)).toBe(start)
})

test('a weak tag is not relied on', () => {
  expect(resumeHeaders(5, 'W/"a"')).toEqual({ 'accept-encoding': 'identity', range: 'bytes=5-' })
})
