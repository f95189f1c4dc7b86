import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { openHttpDiscoverySecrets } from './discovery-secrets-http.js'

// Against real servers on this machine that answer as agents do, and as other things do.

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => {
      server.close(resolve)
    })
  }
})

const DEVICE = 'a'.repeat(32)
const SECRET = 'b'.repeat(64)
const told = JSON.stringify({ device_secret: SECRET })

async function serve(listener: RequestListener, host = '127.0.0.1'): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => {
    server.listen(0, host, resolve)
  })
  return (server.address() as AddressInfo).port
}

const ask = (port: number, address = '127.0.0.1') =>
  openHttpDiscoverySecrets().secretOf({ address, port, device_id: DEVICE })

test.each(['127.0.0.1', '::1'])('an agent at %s tells its secret', async (address) => {
  const asked: string[] = []
  const port = await serve((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.accept}`)
    response.end(told)
  }, address)
  expect(await ask(port, address)).toBe(SECRET)
  expect(asked).toEqual([`GET /plugin/obico/grab-discovery-secret?device_id=${DEVICE} application/json`])
})

test('an old agent does so at an older path', async () => {
  const port = await serve((request, response) => {
    response.statusCode = request.url?.startsWith('/plugin/thespaghettidetective/') ? 200 : 404
    response.end(response.statusCode === 200 ? told : '')
  })
  expect(await ask(port)).toBe(SECRET)
})

test.each<{ name: string; listener: RequestListener }>([
  { name: 'a refusal', listener: (_, response) => response.writeHead(403).end(told) },
  { name: 'a page', listener: (_, response) => response.end('<html>') },
  { name: 'other JSON', listener: (_, response) => response.end('{"device_secret":7}') },
  { name: 'far too much', listener: (_, response) => response.end(told.padEnd(100_000)) },
  { name: 'a cut connection', listener: (request) => request.socket.destroy() },
])('$name is no secret', async ({ listener }) => {
  expect(await ask(await serve(listener))).toBeUndefined()
})

test('where nobody listens there is none', async () => {
  const port = await serve(() => undefined)
  await new Promise((resolve) => {
    servers.splice(0)[0]?.close(resolve)
  })
  expect(await ask(port)).toBeUndefined()
})

test('a redirect leads to nobody else in the network', async () => {
  let reached = 0
  const inner = await serve((_, response) => {
    reached += 1
    response.end(told)
  })
  const port = await serve((_, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${inner}/` }).end()
  })
  expect(await ask(port)).toBeUndefined()
  expect(reached).toBe(0)
})
