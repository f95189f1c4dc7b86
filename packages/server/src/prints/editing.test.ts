import { Print } from '@printwarden/protocol'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { printerSubject } from '../printers/notices.js'
import type { PrinterRow } from '../printers/store.js'
import { addCurrentPrint, addPrint } from '../printers/testing.js'
import { startTestServer, type TestServer } from '../testing.js'
import { insertPrinterEvent } from './events-store.js'
import { addFeedbackShots } from './feedback-store.js'
import type { PrintRow } from './store.js'

let server: TestServer
let reader: string
let printer: PrinterRow
let print: PrintRow
let running: PrintRow
let foreign: PrintRow

const path = (id: number | string): string => `/api/v1/prints/${id}/`

beforeAll(async () => {
  server = await startTestServer()
  reader = await server.addToken(server.owner.id, 'read')
  const { printer: strange } = await server.addPrinter(server.other.id)
  foreign = await addPrint(server.database.db, strange, { state: 'finished', finished_at: 1 })
})

beforeEach(async () => {
  printer = (await server.addPrinter(server.owner.id)).printer
  print = await addPrint(server.database.db, printer, { state: 'cancelled', cancelled_at: server.clock.now() })
  running = await addCurrentPrint(server.database.db, printer)
})

afterAll(async () => {
  await server.close()
})

const get = async (id: number): Promise<Print> => Print.parse((await server.call('GET', path(id))).json)
const statusOf = async (id: number): Promise<number> => (await server.call('GET', path(id))).status

test('a change answers the print, at both paths', async () => {
  const body = { alert_overwrite: 'FAILED', filament_used: 12.5, access_consented_at: '2026-11-21T10:00:00Z' }
  const { status, json } = await server.call('PATCH', path(print.id), { body })
  const changed = { ...body, access_consented_at: '2026-11-21T10:00:00.000Z', need_alert_overwrite: false }
  expect([status, json]).toMatchObject([200, { ...changed, id: print.id, printer: { id: printer.id } }])
  expect(json).toEqual(await get(print.id))
  const back = await server.call('PATCH', `/api/v1/print/${print.id}`, { body: { alert_overwrite: null } })
  expect(back.json).toMatchObject({ alert_overwrite: null, need_alert_overwrite: true, filament_used: 12.5 })
})

test('what may not be changed is ignored', async () => {
  const before = await get(print.id)
  const body = {
    ...{ id: 1, printer: 1, printer_id: foreign.printer_id, user_id: server.other.id, filename: 'x', state: 'running' },
    ...{ started_at: '2020-01-01T00:00:00Z', finished_at: '2020-01-01T00:00:00Z', cancelled_at: null, failed_at: null },
    ...{ alerted_at: '2020-01-01T00:00:00Z', alert_acknowledged_at: null, alert_muted_at: null, paused_at: null },
    ...{
      video_url: 'http://x',
      video_key: 'x',
      poster_url: 'http://x',
      prediction_json_url: 'http://x',
      colour: 'red',
    },
  }
  expect((await server.call('PATCH', path(print.id), { body })).json).toEqual(before)
  expect(await get(print.id)).toEqual(before)
})

test.each([
  { alert_overwrite: 'MAYBE' },
  { alert_overwrite: 1 },
  { filament_used: -1 },
  { filament_used: '1' },
  // Sums of these, as statistics make them, would be no numbers.
  { filament_used: 1e300 },
  { print_time: 1e300 },
  { print_time: 'long' },
  { access_consented_at: 'yesterday' },
  { alert_overwrite: 'FAILED', print_time: {} },
  [],
  'FAILED',
  null,
])('%j is refused and changes nothing', async (body) => {
  const before = await get(print.id)
  const { status, json } = await server.call('PATCH', path(print.id), { body })
  expect([status, json]).toMatchObject([400, { code: 'invalid_request', issues: [expect.anything()] }])
  expect(await get(print.id)).toEqual(before)
})

test('a change of the current print is told', async () => {
  const heard: unknown[] = []
  const stop = server.bus.subscribe(printerSubject(printer.id), (notice) => void heard.push(notice))
  await server.call('PATCH', path(running.id), { body: { alert_overwrite: 'NOT_FAILED' } })
  await server.call('PATCH', path(running.id), { body: {} })
  stop()
  expect(heard).toEqual([{ type: 'row' }])
})

test('deleting takes everything along that is kept of the print', async () => {
  const { db } = server.database
  const jpeg = new Uint8Array([0xff, 0xd8])
  const keys = [
    `prints/${print.id}/alerts/1.jpg`,
    `prints/${print.id}/shots/1.jpg`,
    `elsewhere/${print.id}/poster.jpg`,
    `shots/${print.id}.jpg`,
  ]
  const kept = [`prints/${print.id}0/alerts/1.jpg`, `printers/${printer.id}/events/1.jpg`]
  for (const key of [...keys, ...kept]) await server.blobs.put(key, jpeg, 'image/jpeg')
  await db
    .updateTable('prints')
    .set({ poster_key: keys[2] ?? '' })
    .where('id', '=', print.id)
    .execute()
  const line = {
    user_id: server.owner.id,
    printer_id: printer.id,
    print_id: print.id,
    event_class: 'INFO',
    created_at: 1,
  }
  const alert = await insertPrinterEvent(db, { ...line, event_type: 'FAILURE_ALERTED', image_key: keys[0] ?? '' })
  const other = await insertPrinterEvent(db, { ...line, event_type: 'PRINTER_ERROR', image_key: kept[1] ?? '' })
  const shot = { print_id: print.id, user_id: server.owner.id, image_key: keys[3] ?? '', created_at: 1 }
  await addFeedbackShots(db, [shot])

  const { status, text, headers } = await server.call('DELETE', path(print.id))
  expect([status, text, headers.get('content-length')]).toEqual([200, '', '0'])
  for (const key of keys) expect(await server.blobs.get(key), key).toBeUndefined()
  for (const key of kept) expect(await server.blobs.get(key), key).toBeDefined()
  expect(await statusOf(print.id)).toBe(404)
  expect((await server.call('DELETE', path(print.id))).status).toBe(404)
  expect((await server.call('GET', `/api/v1/printshotfeedbacks/?print_id=${print.id}`)).json).toEqual([])
  const { json } = await server.call('GET', `/api/v1/printer_events/?printer_id=${printer.id}`)
  expect(json).toMatchObject([
    { id: other.id, print: null, image_url: expect.stringContaining(kept[1] ?? '') },
    { id: alert.id, print: null, image_url: null },
  ])
})

test('a running print is not deleted, and one is told what to do first', async () => {
  const { status, json } = await server.call('DELETE', path(running.id))
  expect([status, json]).toMatchObject([409, { code: 'conflict', detail: expect.stringContaining('Cancel it first') }])
  expect(await statusOf(running.id)).toBe(200)
})

test('bulk delete counts what it deleted and leaves the rest alone', async () => {
  const second = await addPrint(server.database.db, printer, { state: 'finished', finished_at: 1 })
  const print_ids = [print.id, print.id, second.id, running.id, foreign.id, 999_999]
  const { status, json } = await server.call('POST', '/api/v1/prints/bulk_delete/', { body: { print_ids } })
  expect([status, json]).toEqual([200, { deleted: 2 }])
  expect([await statusOf(print.id), await statusOf(second.id), await statusOf(running.id)]).toEqual([404, 404, 200])
  expect((await server.call('GET', path(foreign.id), { token: server.other.token })).status).toBe(200)
  expect((await server.call('POST', '/api/v1/prints/bulk_delete', { body: { print_ids: [] } })).json).toEqual({
    deleted: 0,
  })
})

test.each([
  {},
  { print_ids: 1 },
  { print_ids: ['1'] },
  { print_ids: [1.5] },
  { print_ids: [0] },
  { print_ids: [2 ** 53] },
  { print_ids: Array.from({ length: 1001 }, (_, index) => index + 1) },
])('bulk delete refuses %j', async (body) => {
  expect((await server.call('POST', '/api/v1/prints/bulk_delete/', { body })).status).toBe(400)
})

test.each([
  { method: 'PATCH', rest: (id: number | string) => path(id), body: {} },
  { method: 'DELETE', rest: (id: number | string) => path(id), body: undefined },
])('$method: 401, 403, 404 in this order, and what is foreign is missing', async ({ method, rest, body }) => {
  const call = (id: number | string, token?: string | null) =>
    server.call(method, rest(id), { body, ...(token === undefined ? {} : { token }) })
  expect((await call(999_999, null)).status).toBe(401)
  expect((await call(999_999, reader)).status).toBe(403)
  const missing = await call(999_999)
  expect(missing.status).toBe(404)
  for (const id of [foreign.id, 'x', '0', '9007199254740993']) {
    expect(await call(id)).toMatchObject({ status: 404, text: missing.text })
  }
  expect((await server.call('GET', path(foreign.id), { token: server.other.token })).status).toBe(200)
})

test('the length of the list follows every change', async () => {
  const count = async (query: string): Promise<string | null> => {
    const list = `/api/v1/prints/?filter_by_printer_ids[]=${printer.id}&${query}`
    return (await server.call('GET', list)).headers.get('x-total-count')
  }
  expect([await count(''), await count('filter=cancelled'), await count('filter=finished')]).toEqual(['2', '1', '0'])
  expect(await count('filter=need_alert_overwrite')).toBe('2')
  await server.call('PATCH', path(print.id), { body: { alert_overwrite: 'FAILED' } })
  expect(await count('filter=need_alert_overwrite')).toBe('1')
  await server.call('POST', `/api/v1/printers/${printer.id}/finish_print/`)
  expect([await count(''), await count('filter=finished')]).toEqual(['2', '1'])
  await server.call('DELETE', path(print.id))
  expect([await count(''), await count('filter=cancelled')]).toEqual(['1', '0'])
  await server.call('DELETE', `/api/v1/printers/${printer.id}/`)
  expect(await count('')).toBe('0')
})
