import { afterAll, beforeAll, expect, test } from 'vitest'
import { printerSubject } from '../printers/notices.js'
import { sampleStatus } from '../printers/sample.js'
import { startTestServer, type TestServer } from '../testing.js'
import { connectLive } from './testing.js'

// A dashboard on a real socket that stops reading, as one on a train does, and then goes on.

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.close())

/** So large that what the network itself holds back is full after a few. */
const PADDING = 'x'.repeat(900_000)
const STATUSES = 600
const PATIENCE = { timeout: 60_000 }

test('a dashboard that does not read for a while is told the newest values then, not all that there were', async () => {
  const { printer } = await server.addPrinter(server.owner.id)
  const tell = (completion: number): void => {
    const status = { ...sampleStatus('Printing', completion), _ts: server.clock.now() / 1000 + completion, PADDING }
    server.bus.publish(printerSubject(printer.id), { type: 'status', status })
  }
  const seen = (messages: readonly object[]): unknown[] =>
    messages.flatMap((message) => ('printer' in message ? [message] : []))
  const slow = connectLive(server)
  const quick = connectLive(server)
  for (const client of [slow, quick]) {
    await client.subscribe([printer.id])
    await client.reach(1)
  }

  slow.socket.pause()
  for (let completion = 1; completion <= STATUSES; completion++) {
    tell(completion / 10)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const newest = { printer: { changes: { status: { progress: { completion: STATUSES / 10 } } } } }
  await expect.poll(() => quick.messages.at(-1), PATIENCE).toMatchObject(newest)
  // Rounds are four a second, for everybody.
  expect(seen(quick.messages).length).toBeLessThan(STATUSES / 2)

  slow.socket.resume()
  await expect.poll(() => slow.messages.at(-1), PATIENCE).toMatchObject(newest)
  expect(seen(slow.messages).length).toBeLessThanOrEqual(seen(quick.messages).length)
}, 180_000)
