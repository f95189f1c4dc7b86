import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keptLog } from '../testing.js'
import { openBlobs } from './blobs-open.js'

// Our test server takes any signature for good, so what is sent to it is computed once more here, by AWS's description of version 4.

const SECRET = 'a secret that only this test has'
interface Heard {
  readonly request: IncomingMessage
  readonly body: Buffer
}
let heard: Heard[] = []
let server: Server
let url: string

beforeAll(async () => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'SIGNER', AWS_SECRET_ACCESS_KEY: SECRET })
  server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  url = `s3://farm?endpoint=http://127.0.0.1:${address.port}&region=eu-test-1&prefix=some/where`
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  heard.push({ request, body: await buffer(request) })
  if (request.headers.range !== undefined) {
    response.writeHead(206, { etag: '"x"', 'content-length': 4, 'content-range': 'bytes 0-3/11' })
    return void response.end('the ')
  }
  // An empty list, or the thanks for an object.
  const isList = request.url?.includes('list-type=2') === true
  const text = isList ? '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>' : ''
  response.writeHead(200, { etag: '"x"', 'content-length': text.length })
  response.end(text)
}

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** The signature that a request should have: of its method, place, signed headers and body. */
function signatureOf({ request, body }: Heard): { found: string; expected: string; headers: string[] } {
  const match =
    /^AWS4-HMAC-SHA256 Credential=SIGNER\/(\d{8})\/eu-test-1\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/
  const [, day = '', names = '', found = ''] = match.exec(request.headers.authorization ?? '') ?? []
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
  const query = [...searchParams]
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .sort()
    .join('&')
  const headers = names.split(';')
  const lines = headers.map((name) => `${name}:${String(request.headers[name]).trim()}\n`).join('')
  const canonical = [request.method, pathname, query, lines, names, sha256(body)].join('\n')
  const scope = `${day}/eu-test-1/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = ['eu-test-1', 's3', 'aws4_request'].reduce(hmac, hmac(`AWS4${SECRET}`, day))
  return { found, expected: hmac(key, text).toString('hex'), headers }
}

test('a put, a get of a part, a list and a removal are signed with their bodies', async () => {
  const store = await openBlobs(url, keptLog())
  heard = []
  await store.put('a/b.jpg', Buffer.from('the picture'), 'image/jpeg')
  await store.stream('a/b.jpg', { start: 0, end: 3 })
  await store.list('a/')
  await store.remove('a/b.jpg')
  // What a start looks for besides may come in between.
  heard = heard.filter(({ request }) => request.url?.includes('uploads') !== true)
  expect(heard.map(({ request: { method, url: path } }) => `${method} ${path?.split('?')[0]}`)).toEqual([
    'PUT /farm/some/where/a/b.jpg',
    'GET /farm/some/where/a/b.jpg',
    'GET /farm/',
    'DELETE /farm/some/where/a/b.jpg',
  ])
  for (const one of heard) {
    const { found, expected, headers } = signatureOf(one)
    expect(found).toBe(expected)
    expect(headers).toEqual(expect.arrayContaining(['host', 'x-amz-content-sha256', 'x-amz-date']))
    expect(one.request.headers['x-amz-content-sha256']).toBe(sha256(one.body))
  }
  expect(heard[0]?.body.toString()).toBe('the picture')
  expect(heard[0]?.request.headers['content-type']).toBe('image/jpeg')
  expect(heard[1]?.request.headers.range).toBe('bytes=0-3')
  await store.close()
})
