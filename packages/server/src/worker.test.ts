import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from './testing.js'
import { buildWorker, type WorkerDeps } from './worker.js'

// A process that works for others, on the parts of a test server.

const closers: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

async function startWorker(change: Partial<WorkerDeps>): Promise<{ server: TestServer; url: string }> {
  const server = await startTestServer()
  closers.push(() => server.close())
  const worker = await buildWorker({ ...server, jobs: undefined, isDetector: false, ...change })
  closers.push(() => worker.close())
  return { server, url: await worker.listen({ host: '127.0.0.1', port: 0 }) }
}

test('the connections of one address have a number at a worker, too', async () => {
  const { url } = await startWorker({ limits: { address_connections: 2 } })
  const open = async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  const [first, second] = [await open(), await open()]
  // Closed without an answer.
  await once((await open()).resume(), 'close')
  first.destroy()
  second.destroy()
  await expect
    .poll(() =>
      fetch(`${url}/readyz`).then(
        ({ status }) => status,
        () => 'closed',
      ),
    )
    .toBe(200)
})

test('probes of one address have a number at a worker, too', async () => {
  const { server, url } = await startWorker({ limits: { address_probes: { perSecond: 0.01, burst: 2 } } })
  // Somebody behind a proxy that nobody trusts: not this machine itself.
  const probe = async () => (await fetch(`${url}/healthz`, { headers: { 'x-forwarded-for': '192.0.2.1' } })).status
  expect([await probe(), await probe(), await probe()]).toEqual([200, 200, 429])
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect(server.log.lines.some(({ fields }) => 'limit' in fields && fields.limit === 'address_probes')).toBe(true)
})

test('who tries tokens that nobody has for the metrics is slowed at a worker, too', async () => {
  const { url } = await startWorker({ limits: { address_unknown_credentials: { perSecond: 0.01, burst: 2 } } })
  let guess = 0
  const ask = async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1', authorization: `Bearer no-such-token-${(guess += 1)}` }
    return (await fetch(`${url}/metrics`, { headers })).status
  }
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([401, 401, 401, 429])
  expect((await fetch(`${url}/metrics`)).status).toBe(200)
})
