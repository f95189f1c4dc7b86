import { ActionResult, Print } from '@printwarden/protocol'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { printerSubject } from './notices.js'
import type { PrinterRow } from './store.js'
import { connectAgent } from './testing.js'

let server: TestServer
let printer: PrinterRow

beforeAll(async () => {
  server = await startTestServer()
})

beforeEach(async () => {
  printer = (await server.addPrinter(server.owner.id)).printer
})

afterAll(async () => {
  await server.close()
})

const path = (action: string): string => `/api/v1/printers/${printer.id}/${action}`

async function act(action: string, body?: object): Promise<ActionResult> {
  const { status, json } = await server.call('POST', path(action), { body })
  expect(status).toBe(200)
  return ActionResult.parse(json)
}

async function prints(): Promise<Print[]> {
  const list = `/api/v1/prints/?filter_by_printer_ids[]=${printer.id}&sorting=date_asc`
  return Print.array().parse((await server.call('GET', list)).json)
}

test('a print from its start to its end', async () => {
  const heard: object[] = []
  const stop = server.bus.subscribe(printerSubject(printer.id), (notice) => void heard.push(notice as object))
  const { received } = connectAgent(server.bus, printer.id)
  const started = await act('start_print/', { filename: 'boat.gcode' })
  expect(started).toMatchObject({ succeeded: true, command_id: null })
  expect(started.printer.current_print).toMatchObject({ filename: 'boat.gcode', ended_at: null })
  server.clock.advance(90_000)
  const finished = await act('finish_print')
  expect(finished).toMatchObject({ succeeded: true, command_id: null, printer: { current_print: null } })
  const [print] = await prints()
  expect(print).toMatchObject({ finished_at: expect.any(String), cancelled_at: null, failed_at: null })
  expect(print?.print_time).toBeGreaterThanOrEqual(90)
  stop()
  expect(heard).toMatchObject([
    { type: 'row' },
    { type: 'event', event: { event_type: 'STARTED', print: print?.id } },
    { type: 'row' },
    { type: 'event', event: { event_type: 'ENDED', event_class: 'SUCCESS', print: print?.id } },
  ])
  expect(received).toEqual([
    { type: 'remote_status', should_watch: true },
    { type: 'remote_status', should_watch: false },
  ])
})

test.each([
  { body: { status: 'success' }, filter: 'finished' },
  { body: { status: 'cancelled' }, filter: 'cancelled' },
  { body: {}, filter: 'finished' },
])('finish_print with $body: $filter', async ({ body, filter }) => {
  await act('start_print/', { filename: 'boat.gcode' })
  await act('finish_print/', body)
  const list = `/api/v1/prints/?filter=${filter}&filter_by_printer_ids[]=${printer.id}`
  expect((await server.call('GET', list)).json).toHaveLength(1)
})

test('the next print ends the one before as finished, also within the same second', async () => {
  for (const filename of ['a', 'b', 'c']) await act('start_print/', { filename })
  const all = await prints()
  expect(all.map(({ filename, finished_at }) => [filename, finished_at !== null])).toEqual([
    ['a', true],
    ['b', true],
    ['c', false],
  ])
})

test('two at once leave one print running', async () => {
  await Promise.all(['a', 'b'].map((filename) => act('start_print/', { filename })))
  expect((await prints()).filter(({ ended_at }) => ended_at === null)).toHaveLength(1)
})

test('nothing is being printed: there is nothing to finish', async () => {
  const { status, json } = await server.call('POST', path('finish_print/'), { body: {} })
  expect([status, json]).toMatchObject([404, { code: 'not_found' }])
})

test.each([
  { action: 'start_print/', body: undefined },
  { action: 'start_print/', body: {} },
  { action: 'start_print/', body: { filename: '' } },
  { action: 'start_print/', body: { filename: 7 } },
  { action: 'start_print/', body: { filename: 'a\u0000b' } },
  { action: 'start_print/', body: { filename: 'x'.repeat(1001) } },
  { action: 'finish_print/', body: { status: 'failed' } },
  { action: 'finish_print/', body: [] },
])('$action refuses $body', async ({ action, body }) => {
  const { status, json } = await server.call('POST', path(action), { body })
  expect([status, json]).toMatchObject([400, { code: 'invalid_request' }])
  expect(await prints()).toEqual([])
})

test.each([
  { action: 'start_print/', body: { filename: 'a' } },
  { action: 'finish_print/', body: undefined },
  { action: 'predict/', body: undefined },
])('$action: 401, 403, 404', async ({ action, body }) => {
  const call = (id: number, token?: string | null) =>
    server.call('POST', `/api/v1/printers/${id}/${action}`, { body, ...(token === undefined ? {} : { token }) })
  expect((await call(printer.id, null)).status).toBe(401)
  expect((await call(printer.id, await server.addToken(server.owner.id, 'read'))).status).toBe(403)
  const missing = await call(999_999)
  expect(missing.status).toBe(404)
  expect(await call(printer.id, server.other.token)).toMatchObject({ status: 404, text: missing.text })
  expect((await server.call('GET', path(action))).status).toBe(405)
})
