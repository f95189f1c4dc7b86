import { Print, PrintShotFeedback } from '@printwarden/protocol'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { PrinterRow } from '../printers/store.js'
import { addPrint } from '../printers/testing.js'
import { startTestServer, type TestServer } from '../testing.js'
import { addFeedbackShots, type FeedbackRow } from './feedback-store.js'
import type { PrintRow } from './store.js'

let server: TestServer
let printer: PrinterRow
let print: PrintRow
let shots: FeedbackRow[]

const LIST = '/api/v1/printshotfeedbacks/'
const one = (index: number): string => `${LIST}${shots[index]?.id ?? 0}/`

async function addShots(of: PrintRow, count: number): Promise<FeedbackRow[]> {
  const keys = Array.from({ length: count }, (_, index) => `prints/${of.id}/shots/${index}.jpg`)
  for (const key of keys) await server.blobs.put(key, new Uint8Array([0xff, 0xd8, 1]), 'image/jpeg')
  const shot = { print_id: of.id, user_id: of.user_id, created_at: server.clock.now() }
  return addFeedbackShots(
    server.database.db,
    keys.map((image_key) => ({ ...shot, image_key })),
  )
}

beforeAll(async () => {
  server = await startTestServer()
})

beforeEach(async () => {
  printer = (await server.addPrinter(server.owner.id)).printer
  print = await addPrint(server.database.db, printer, { state: 'finished', finished_at: server.clock.now() })
  shots = await addShots(print, 2)
})

afterAll(async () => {
  await server.close()
})

const shownPrint = async (): Promise<Print> =>
  Print.parse((await server.call('GET', `/api/v1/prints/${print.id}/`)).json)
const needing = async (): Promise<string | null> => {
  const query = `filter=need_print_shot_feedback&filter_by_printer_ids[]=${printer.id}`
  return (await server.call('GET', `/api/v1/prints/?${query}`)).headers.get('x-total-count')
}

test('the shots of a print, alone and inside of it, with pictures that can be fetched', async () => {
  const { json, headers } = await server.call('GET', `${LIST}?print_id=${print.id}`)
  const listed = PrintShotFeedback.array().parse(json)
  expect(listed.map(({ id, answer, print_id }) => [id, answer, print_id])).toEqual(
    shots.map(({ id }) => [id, null, print.id]),
  )
  expect(headers.get('x-total-count')).toBe('2')
  expect((await server.call('GET', one(0))).json).toEqual(listed[0])
  expect(await shownPrint()).toMatchObject({ need_print_shot_feedback: true, printshotfeedback_set: listed })
  expect((await fetch(listed[0]?.image_url ?? '')).status).toBe(200)
  const page = await server.call('GET', `${LIST}?print_id=${print.id}&start=1&limit=1`)
  expect(PrintShotFeedback.array().parse(page.json)).toEqual(listed.slice(1))
  expect(page.headers.get('link')).toContain('rel="prev"')
})

test('answers: the last open one of a print is credited, once', async () => {
  const first = await server.call('PATCH', one(0), { body: { answer: 'LOOKS_BAD' } })
  expect(first).toMatchObject({ status: 200, json: { credited_dhs: 0, instance: { answer: 'LOOKS_BAD' } } })
  expect(await shownPrint()).toMatchObject({ need_print_shot_feedback: true })
  expect(await needing()).toBe('0')
  const last = await server.call('PUT', one(1), { body: { answer: 'UNDECIDED' } })
  expect(last).toMatchObject({ status: 200, json: { credited_dhs: 2, instance: { answered_at: expect.any(String) } } })
  expect(await shownPrint()).toMatchObject({ need_print_shot_feedback: false })
  const again = await server.call('PATCH', one(1), { body: { answer: 'LOOKS_OK' } })
  expect(again.json).toMatchObject({ credited_dhs: 0, instance: { answer: 'LOOKS_OK' } })
  const back = await server.call('PATCH', one(1), { body: { answer: null } })
  expect(back.json).toMatchObject({ credited_dhs: 0, instance: { answer: null, answered_at: null } })
})

test('a print is asked about as long as none of its shots is answered', async () => {
  expect(await needing()).toBe('1')
  await server.call('PATCH', one(0), { body: { answer: 'LOOKS_OK' } })
  expect(await needing()).toBe('0')
})

test('a change without an answer changes nothing; read-only fields are ignored', async () => {
  const { json } = await server.call('PATCH', one(0), {
    body: { print_id: 1, image_url: 'x', answered_at: null, id: 9 },
  })
  expect(json).toEqual({ credited_dhs: 0, instance: (await server.call('GET', one(0))).json })
  expect((await server.call('PUT', one(0), { body: {} })).status).toBe(400)
})

test.each(['UNANSWERED', '', 1, {}])('the answer %j is refused', async (answer) => {
  expect((await server.call('PATCH', one(0), { body: { answer } })).status).toBe(400)
  expect((await server.call('GET', one(0))).json).toMatchObject({ answer: null })
})

test('scopes, and what is foreign is missing', async () => {
  const { printer: strange } = await server.addPrinter(server.other.id)
  const theirs = await addPrint(server.database.db, strange, { state: 'finished' })
  const [foreign] = await addShots(theirs, 1)
  const [reader, writer] = [
    await server.addToken(server.owner.id, 'read'),
    await server.addToken(server.owner.id, 'write'),
  ]
  const body = { answer: 'LOOKS_OK' }
  const missing = await server.call('GET', `${LIST}999999/`)
  expect(missing.status).toBe(404)
  for (const method of ['GET', 'PATCH', 'PUT']) {
    const call = (path: string, token: string | null | undefined) =>
      server.call(method, path, { ...(method === 'GET' ? {} : { body }), ...(token === undefined ? {} : { token }) })
    expect((await call(one(0), null)).status).toBe(401)
    expect((await call(one(0), method === 'GET' ? writer : reader)).status).toBe(403)
    expect(await call(`${LIST}${foreign?.id}/`, undefined)).toMatchObject({ status: 404, text: missing.text })
  }
  expect((await server.call('GET', `${LIST}?print_id=${theirs.id}`)).json).toEqual([])
  expect((await server.call('GET', `${LIST}?print_id=x`)).status).toBe(400)
})
