import { PredictionJson, Print } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PrinterRow } from '../printers/store.js'
import { setCurrentPrint } from '../printers/store.js'
import { startTestServer, type TestServer } from '../testing.js'
import { insertPrint, type PrintRow } from './store.js'

let server: TestServer
let reader: string
let writer: string
let printer: PrinterRow
let prints: PrintRow[]
let foreign: PrintRow
let count = 0

async function addPrint(on: PrinterRow, changes: Partial<PrintRow> = {}): Promise<PrintRow> {
  count += 1
  return insertPrint(server.database.db, {
    printer_id: on.id,
    user_id: on.user_id,
    current_print_ts: count,
    state: 'finished',
    filename: `${count}.gcode`,
    started_at: server.clock.now() + count,
    finished_at: server.clock.now() + 5000,
    ...changes,
  })
}

beforeAll(async () => {
  server = await startTestServer()
  reader = await server.addToken(server.owner.id, 'read')
  writer = await server.addToken(server.owner.id, 'write')
  printer = (await server.addPrinter(server.owner.id)).printer
  prints = []
  for (let index = 0; index < 5; index += 1) prints.push(await addPrint(printer))
  const running = await addPrint(printer, { state: 'running', finished_at: null, alert_muted_at: server.clock.now() })
  await setCurrentPrint(server.database.db, printer.id, running.id)
  prints.push(running)
  foreign = await addPrint((await server.addPrinter(server.other.id)).printer)
})

afterAll(async () => {
  await server.close()
})

const idsOf = (json: unknown): number[] =>
  Print.array()
    .parse(json)
    .map(({ id }) => id)
const newest = () => prints.map(({ id }) => id).toReversed()

test('the list, newest first, with its length', async () => {
  const { status, json, headers } = await server.call('GET', '/api/v1/prints/', { token: reader })
  expect(status).toBe(200)
  expect(idsOf(json)).toEqual(newest())
  expect([headers.get('x-total-count'), headers.get('link')]).toEqual(['6', null])
})

test('following the links from page to page shows every print once', async () => {
  const seen: number[] = []
  let next: string | undefined = '/api/v1/prints/?sorting=date_asc&limit=4'
  while (next !== undefined) {
    const { json, headers } = await server.call('GET', next)
    seen.push(...idsOf(json))
    const [, target] = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? []
    next = target?.replace(server.url, '')
  }
  expect(seen).toEqual(newest().toReversed())
})

test('by filter and printer', async () => {
  const list = async (query: string) => idsOf((await server.call('GET', `/api/v1/prints/?${query}`)).json)
  expect(await list('filter=finished')).toEqual(newest().slice(1))
  expect(await list('filter=cancelled')).toEqual([])
  expect(await list(`filter_by_printer_ids[]=${printer.id}&filter_by_printer_ids[]=99999`)).toEqual(newest())
  expect(await list(`filter_by_printer_ids[]=${foreign.printer_id}`)).toEqual([])
  expect(await list('sorting=date_desc&start=2&limit=1')).toEqual(newest().slice(2, 3))
  expect(await list('sorting=date_desc&start=100')).toEqual([])
  expect(await list('colour=red')).toEqual(newest())
})

test.each([
  'start=1',
  'limit=1',
  'filter=x',
  'sorting=x',
  'sorting=date_asc&start=-1',
  'sorting=date_asc&limit=501',
  'sorting=date_asc&limit=x',
])('?%s is refused', async (query) => {
  const { status, json } = await server.call('GET', `/api/v1/prints/?${query}`)
  expect([status, json]).toMatchObject([400, { code: 'invalid_request', issues: [{ path: expect.any(String) }] }])
})

test('start without sorting is told which rule it breaks', async () => {
  const { json } = await server.call('GET', '/api/v1/prints/?start=1')
  expect(json).toMatchObject({ issues: [{ path: 'start', message: expect.stringContaining('sorting') }] })
})

test('one print, at both paths, with its printer', async () => {
  const [first] = prints
  const [one, alias] = [
    await server.call('GET', `/api/v1/prints/${first?.id}/`),
    await server.call('GET', `/api/v1/print/${first?.id}/`),
  ]
  expect([one.status, alias.status]).toEqual([200, 200])
  expect(alias.text).toBe(one.text)
  const print = Print.parse(one.json)
  expect(print).toMatchObject({
    id: first?.id,
    filename: '1.gcode',
    prediction_json_url: null,
    printer: { id: printer.id },
  })
  expect(print.ended_at).toBe(print.finished_at)
  expect(print.printer?.auth_token).toMatch(/^[0-9a-f]{40}$/)
  const read = await server.call('GET', `/api/v1/prints/${first?.id}/`, { token: reader })
  expect(Print.parse(read.json).printer?.auth_token).toBeNull()
})

test.each(['', 'prediction_json/', 'prediction_json'])('/prints/{id}/%s: 401, 403, 404', async (rest) => {
  const call = (id: number | string, token: string | null) =>
    server.call('GET', `/api/v1/prints/${id}/${rest}`, { token })
  const id = prints[0]?.id ?? 0
  expect((await call(id, null)).status).toBe(401)
  expect((await call(id, writer)).status).toBe(403)
  const missing = await call(99_999, reader)
  expect(missing.status).toBe(404)
  for (const hidden of [foreign.id, 'x', '0']) {
    expect(await call(hidden, reader)).toMatchObject({ status: 404, text: missing.text })
  }
})

test('predictions: none, then some, then nothing new', async () => {
  const print = await addPrint(printer)
  const path = `/api/v1/prints/${print.id}/prediction_json/`
  expect(await server.call('GET', path)).toMatchObject({ status: 200, json: [] })
  const numbers = { current_p: 0.1, ewm_mean: 0.1, rolling_mean_short: 0.1, rolling_mean_long: 0.1, normalized_p: 0.2 }
  const frame = { ...numbers, current_frame_num: 1, lifetime_frame_num: 9, detector: 'd', sensitivity: 1 }
  for (const frame_at of [2000, 1000]) {
    await server.database.db
      .insertInto('predictions')
      .values({
        ...frame,
        print_id: print.id,
        printer_id: printer.id,
        frame_at,
        detections: '[]',
        created_at: frame_at,
      })
      .execute()
  }
  const shown = await server.call('GET', `/api/v1/prints/${print.id}/`)
  expect(Print.parse(shown.json).prediction_json_url).toBe(`${server.url}${path}`)
  const { json, headers } = await server.call('GET', path)
  expect(PredictionJson.parse(json).map(({ frame_ts }) => frame_ts)).toEqual([1, 2])
  const etag = headers.get('etag') ?? ''
  const modified = headers.get('last-modified') ?? ''
  expect(modified).toBe('Thu, 01 Jan 1970 00:00:02 GMT')
  const again = (conditions: Record<string, string>) =>
    fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${reader}`, ...conditions } })
  for (const conditions of [{ 'if-none-match': etag }, { 'if-modified-since': modified }]) {
    const fresh = await again(conditions)
    expect([fresh.status, await fresh.text(), fresh.headers.get('etag')]).toEqual([304, '', etag])
  }
  expect((await again({ 'if-none-match': '"old"' })).status).toBe(200)
})
