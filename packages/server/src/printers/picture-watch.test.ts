import { ActionResult, flagsOf } from '@printwarden/protocol'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { statusKey } from './live-keys.js'
import type { PrinterRow } from './store.js'
import { addCurrentPrint, connectAgent } from './testing.js'

let server: TestServer
let printer: PrinterRow

beforeAll(async () => {
  server = await startTestServer()
})

beforeEach(async () => {
  printer = (await server.addPrinter(server.owner.id)).printer
  const now = server.clock.now()
  const state = { text: 'Operational', flags: flagsOf('Operational') }
  const status = { _ts: now / 1000, state, watched_by: 'picture' }
  await server.live.put(statusKey(printer.id), status, { ts: now, ttlMs: 60_000 })
})

afterAll(async () => {
  await server.close()
})

async function act(action: string, body: object): Promise<{ status: number; result: ActionResult | undefined }> {
  const { status, json } = await server.call('POST', `/api/v1/printers/${printer.id}/${action}/`, { body })
  return { status, result: ActionResult.safeParse(json).data }
}

test('the start is asked of the agent that watches, which keeps the print', async () => {
  const { received } = connectAgent(server.bus, printer.id)
  const { result } = await act('start_print', { filename: 'a vase' })
  expect(result).toMatchObject({ succeeded: true, command_id: expect.any(String), printer: { current_print: null } })
  expect(received).toEqual([
    expect.objectContaining({ type: 'command', cmd: 'start_watching', args: { name: 'a vase' } }),
  ])
})

test('the end is asked of it too, with how it ended', async () => {
  const { received } = connectAgent(server.bus, printer.id)
  expect((await act('finish_print', { status: 'success' })).status).toBe(404)
  await addCurrentPrint(server.database.db, printer)
  const { result } = await act('finish_print', { status: 'cancelled' })
  expect(result).toMatchObject({ succeeded: true, command_id: expect.any(String) })
  expect(received.at(-1)).toMatchObject({ cmd: 'stop_watching', args: { outcome: 'cancelled' } })
})

test('without a connection nothing begins', async () => {
  const { result } = await act('start_print', { filename: 'a vase' })
  expect(result).toMatchObject({ succeeded: false, printer: { current_print: null } })
})
