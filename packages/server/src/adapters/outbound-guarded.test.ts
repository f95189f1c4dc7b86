import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { parseAllowEntry } from '../outbound-rules.js'
import type { OutboundRequest } from '../ports.js'
import type { FoundAddress } from './outbound-connection.js'
import { openGuardedOutbound } from './outbound-guarded.js'

// Against real servers on this machine, at addresses that are listed (127.0.0.1) and ones that are not (127.0.0.2).

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => {
      server.close(resolve)
    })
  }
})

const asked: string[] = []

async function serve(listener: RequestListener, host = '127.0.0.1', port = 0): Promise<number> {
  asked.length = 0
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    asked.push(`${host}${request.url ?? ''}`)
    listener(request, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => {
    server.listen(port, host, resolve)
  })
  return (server.address() as AddressInfo).port
}

function outboundTo(allow: string[], lookup?: (host: string) => Promise<readonly FoundAddress[]>) {
  const entries = allow.map(parseAllowEntry).filter((entry) => entry !== undefined)
  return openGuardedOutbound({ allow: entries, ...(lookup === undefined ? {} : { lookup }) })
}

const get = (url: string, limits: Partial<OutboundRequest> = {}): OutboundRequest => ({
  ...{ url, maxBytes: 10_000, timeoutMs: 2_000 },
  ...limits,
})

test('a listed server is asked, and its answer comes back whatever its status', async () => {
  const port = await serve((_, response) => {
    response.writeHead(418, { 'content-type': 'text/plain' }).end('short')
  })
  const answer = await outboundTo(['127.0.0.1']).request(get(`http://127.0.0.1:${port}/x?y=1`))
  expect(answer).toMatchObject({ status: 418, contentType: 'text/plain' })
  expect(answer.body.toString()).toBe('short')
  expect(asked).toEqual(['127.0.0.1/x?y=1'])
})

test.each([
  'http://127.0.0.1:PORT/',
  'http://localhost:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f.1:PORT/',
  'http://017700000001:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://0.0.0.0:PORT/',
  'http://127.1:PORT/',
])('%s is refused where nothing is listed, and nobody is asked', async (url) => {
  const port = await serve((_, response) => response.end('secret'))
  const request = outboundTo([]).request(get(url.replace('PORT', String(port))))
  await expect(request).rejects.toMatchObject({ code: 'refused' })
  expect(asked).toEqual([])
})

test('only the listed port is asked', async () => {
  const port = await serve((_, response) => response.end('yes'))
  const outbound = outboundTo([`127.0.0.1:${port + 1}`])
  await expect(outbound.request(get(`http://127.0.0.1:${port}/`))).rejects.toMatchObject({ code: 'refused' })
  await expect(outboundTo([`127.0.0.1:${port}`]).request(get(`http://127.0.0.1:${port}/`))).resolves.toBeDefined()
})

test.each([
  'ftp://127.0.0.1/',
  'file:///etc/passwd',
  'gopher://127.0.0.1/',
  'nothing',
  'data:image/png,x',
  'http://a:b@127.0.0.1/',
])('%s is no address to ask', async (url) => {
  await expect(outboundTo(['127.0.0.1']).request(get(url))).rejects.toMatchObject({ code: 'invalid' })
})

test('redirects are followed three times, each checked', async () => {
  const port = await serve((request, response) => {
    const left = Number(request.url?.slice(1))
    if (left === 0) response.end('there')
    else response.writeHead(302, { location: `/${left - 1}` }).end()
  })
  const outbound = outboundTo(['127.0.0.1'])
  expect((await outbound.request(get(`http://127.0.0.1:${port}/3`))).body.toString()).toBe('there')
  await expect(outbound.request(get(`http://127.0.0.1:${port}/4`))).rejects.toMatchObject({ code: 'failed' })
})

test.each(['http://127.0.0.2:PORT/', 'http://169.254.169.254/latest/meta-data/', '//127.0.0.2:PORT/', 'http://[::1]/'])(
  'a redirect to %s is not followed',
  async (location) => {
    const port = await serve((_, response) => response.end('secret'), '127.0.0.2')
    const front = await serve((_, response) => {
      response.writeHead(307, { location: location.replace('PORT', String(port)) }).end()
    })
    const request = outboundTo(['127.0.0.1']).request(get(`http://127.0.0.1:${front}/`))
    await expect(request).rejects.toMatchObject({ code: 'refused' })
    expect(asked).toEqual(['127.0.0.1/'])
  },
)

test('a redirect to another scheme is not followed', async () => {
  const port = await serve((_, response) => {
    response.writeHead(301, { location: 'file:///etc/passwd' }).end()
  })
  const request = outboundTo(['127.0.0.1']).request(get(`http://127.0.0.1:${port}/`))
  await expect(request).rejects.toMatchObject({ code: 'invalid' })
})

test('credentials are not handed on to another server, and a body is never sent elsewhere', async () => {
  const seen: (string | undefined)[] = []
  const second = await serve((request, response) => {
    seen.push(request.headers.authorization, request.headers['x-other'] as string)
    response.end()
  })
  const first = await serve((_, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${second}/` }).end()
  })
  const outbound = outboundTo(['127.0.0.1'])
  const headers = { authorization: 'Bearer secret', 'x-other': 'kept' }
  await outbound.request(get(`http://127.0.0.1:${first}/`, { headers }))
  expect(seen).toEqual([undefined, 'kept'])
  const post = outbound.request(get(`http://127.0.0.1:${first}/`, { method: 'POST', body: Buffer.from('x') }))
  await expect(post).rejects.toMatchObject({ code: 'failed' })
})

test('a name is looked up once, and the connection goes to what was checked', async () => {
  const port = await serve((_, response) => response.end('open'), '127.0.0.1')
  await serve((_, response) => response.end('secret'), '127.0.0.2', port)
  let lookups = 0
  // The second answer, and all that follow, lead inside: what rebinding does.
  const outbound = outboundTo(['127.0.0.1'], async () => [
    { address: lookups++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 },
  ])
  expect((await outbound.request(get(`http://rebind.example:${port}/`))).body.toString()).toBe('open')
  expect({ lookups, asked }).toEqual({ lookups: 1, asked: ['127.0.0.1/'] })
  await expect(outbound.request(get(`http://rebind.example:${port}/`))).rejects.toMatchObject({ code: 'refused' })
})

test('of several addresses only those that may be asked are tried', async () => {
  const port = await serve((_, response) => response.end('open'), '127.0.0.1')
  await serve((_, response) => response.end('secret'), '127.0.0.2', port)
  const outbound = outboundTo(['127.0.0.1'], async () => [
    { address: '127.0.0.2', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ])
  expect((await outbound.request(get(`http://two.example:${port}/`))).body.toString()).toBe('open')
  expect(asked).toEqual(['127.0.0.1/'])
})

test.each([
  { name: 'a body that is announced as huge', headers: { 'content-length': '99999999' } },
  { name: 'a body that turns out huge', headers: {} },
])('$name is not read', async ({ headers }) => {
  let sent = 0
  const port = await serve((_, response) => {
    response.writeHead(200, headers)
    const more = (): void => {
      if (response.destroyed || sent > 50_000_000) return
      sent += 65_536
      response.write(Buffer.alloc(65_536), more)
    }
    more()
  })
  const request = outboundTo(['127.0.0.1']).request(get(`http://127.0.0.1:${port}/`))
  await expect(request).rejects.toMatchObject({ code: 'too_large' })
  expect(sent).toBeLessThan(20_000_000)
})

test('a packed body is not unfolded', async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000))
  const port = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  })
  const request = outboundTo(['127.0.0.1']).request(get(`http://127.0.0.1:${port}/`, { maxBytes: 1_000_000 }))
  await expect(request).rejects.toMatchObject({ code: 'failed', message: 'The answer is packed.' })
})

test.each([
  { name: 'drips', begin: (response: ServerResponse) => void response.write('x') },
  { name: 'never answers', begin: () => {} },
])('a server that $name is left when the time is over', async ({ begin }) => {
  let drip: NodeJS.Timeout | undefined
  const port = await serve((_, response) => {
    begin(response)
    drip = setInterval(() => begin(response), 20)
    response.on('close', () => clearInterval(drip))
  })
  const started = performance.now()
  const request = outboundTo(['127.0.0.1']).request(get(`http://127.0.0.1:${port}/`, { timeoutMs: 150 }))
  await expect(request).rejects.toMatchObject({ code: 'timeout' })
  expect(performance.now() - started).toBeLessThan(1_500)
})

test('a name server that never answers is left when the time is over', async () => {
  const outbound = outboundTo([], () => new Promise(() => {}))
  const request = outbound.request(get('http://slow.example/', { timeoutMs: 50 }))
  await expect(request).rejects.toMatchObject({ code: 'timeout' })
})

test('a server that is not there is told as such, without what is behind it', async () => {
  const port = await serve((_, response) => response.end())
  await new Promise((resolve) => {
    servers.pop()?.close(resolve)
  })
  const request = outboundTo(['127.0.0.1']).request(get(`http://127.0.0.1:${port}/`))
  await expect(request).rejects.toMatchObject({ code: 'failed', message: 'The server could not be reached.' })
})
