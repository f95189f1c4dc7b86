import { flagsOf, Printer } from '@printwarden/protocol'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { updatePrint } from '../prints/store.js'
import { startTestServer, type TestServer } from '../testing.js'
import { gaugeKey, picKey, statusKey } from './live-keys.js'
import type { PrinterRow } from './store.js'
import { addCurrentPrint, connectAgent } from './testing.js'

let server: TestServer
/** Tokens of the owner with one scope. */
let reader: string
let writer: string
let printer: PrinterRow
let auth_token: string
let foreign: PrinterRow

beforeAll(async () => {
  server = await startTestServer()
  reader = await server.addToken(server.owner.id, 'read')
  writer = await server.addToken(server.owner.id, 'write')
  foreign = (await server.addPrinter(server.other.id)).printer
})

afterAll(async () => {
  await server.close()
})

beforeEach(async () => {
  const added = await server.addPrinter(server.owner.id)
  printer = added.printer
  auth_token = added.auth_token
})

const path = (id: number, rest = ''): string => `/api/v1/printers/${id}/${rest}`
const UNKNOWN_COMMAND = 'commands/0a5bd2f6-6fd4-4b39-9e3e-7c8f3f4f7d10/'

async function getPrinter(options: { token?: string } = {}): Promise<Printer> {
  const { status, json } = await server.call('GET', path(printer.id), options)
  expect(status).toBe(200)
  return Printer.parse(json)
}

const READ = [
  { method: 'GET', rest: '' },
  { method: 'GET', rest: UNKNOWN_COMMAND },
]
const WRITE = [
  { method: 'PATCH', rest: '', body: { name: 'x' } },
  { method: 'DELETE', rest: '' },
  ...['archive', 'unarchive', 'cancel_print', 'pause_print', 'resume_print'].map((rest) => ({
    method: 'POST',
    rest: `${rest}/`,
  })),
  ...['mute_current_print', 'acknowledge_alert', 'rearm', 'connect'].map((rest) => ({
    method: 'POST',
    rest: `${rest}/`,
  })),
  ...['emergency_stop', 'restart_firmware', 'list_files'].map((rest) => ({ method: 'POST', rest: `${rest}/` })),
  { method: 'POST', rest: 'exclude_object/', body: { name: 'cube' } },
  { method: 'POST', rest: 'answer_prompt/', body: { prompt_id: 'q', choice: 0 } },
  { method: 'POST', rest: 'print_file/', body: { path: 'cube.gcode' } },
]

test.each([...READ, ...WRITE])(
  '$method …/$rest needs a credential and the right scope, and hides what is foreign',
  async (one) => {
    const body = 'body' in one ? { body: one.body } : {}
    const call = (id: number | string, token: string | null) =>
      server.call(one.method, `/api/v1/printers/${id}/${one.rest}`, { ...body, token })
    const anonymous = await call(printer.id, null)
    expect(anonymous.status).toBe(401)
    expect(anonymous.headers.get('www-authenticate')).toContain('Bearer')
    const [right, wrong] = one.method === 'GET' ? [reader, writer] : [writer, reader]
    const refused = await call(printer.id, wrong)
    expect([refused.status, refused.json]).toMatchObject([403, { code: 'insufficient_scope' }])

    const missing = await call(99_999, right)
    expect([missing.status, missing.json]).toMatchObject([404, { code: 'not_found' }])
    expect(missing.headers.get('content-type')).toContain('application/problem+json')
    for (const id of [foreign.id, 'x', '0', '-1', '1.5', '9'.repeat(30)]) {
      const hidden = await call(id, right)
      expect([hidden.status, hidden.text]).toEqual([404, missing.text])
    }
    expect((await server.call('GET', path(foreign.id), { token: server.other.token })).status).toBe(200)
  },
)

test.each([
  'cancel_print',
  'pause_print',
  'resume_print',
  'mute_current_print',
  'acknowledge_alert',
  'archive',
  'rearm',
  'connect',
  'emergency_stop',
  'restart_firmware',
  'exclude_object',
  'answer_prompt',
  'list_files',
  'print_file',
])('%s by GET is 405', async (action) => {
  const { status, headers } = await server.call('GET', path(printer.id, `${action}/`))
  expect([status, headers.get('allow')]).toEqual([405, 'POST'])
})

test('the list and the printer, with and without the slash', async () => {
  for (const end of ['/', '']) {
    const list = await server.call('GET', `/api/v1/printers${end}`)
    expect(list.status).toBe(200)
    const printers = Printer.array().parse(list.json)
    expect(list.headers.get('x-total-count')).toBe(String(printers.length))
    expect(printers.map(({ id }) => id)).toContain(printer.id)
    expect(printers.map(({ id }) => id)).not.toContain(foreign.id)
    const one = await server.call('GET', `/api/v1/printers/${printer.id}${end}`)
    expect(printers.find(({ id }) => id === printer.id)).toEqual(one.json)
  }
  expect((await server.call('GET', '/api/v1/printers/', { token: null })).status).toBe(401)
  expect((await server.call('GET', '/api/v1/printers/', { token: writer })).status).toBe(403)
})

test('a new printer is as the contract says', async () => {
  expect(await getPrinter()).toMatchObject({
    action_on_failure: 'PAUSE',
    watching_enabled: true,
    tools_off_on_pause: true,
    bed_off_on_pause: false,
    retract_on_pause: 6.5,
    lift_z_on_pause: 2.5,
    detective_sensitivity: 1,
    min_timelapse_secs_on_finish: 600,
    min_timelapse_secs_on_cancel: 300,
    archived_at: null,
    pic: null,
    status: null,
    current_print: null,
    normalized_p: 0,
    settings: { webcam_flipV: false, ratio169: true },
  })
})

test('the auth_token is for those who may write', async () => {
  expect((await getPrinter()).auth_token).toBe(auth_token)
  expect((await getPrinter({ token: reader })).auth_token).toBeNull()
  const patched = await server.call('PATCH', path(printer.id), { token: writer, body: {} })
  expect(Printer.parse(patched.json).auth_token).toBe(auth_token)
})

test('status, picture and gauge come from the live store', async () => {
  const print = await addCurrentPrint(server.database.db, printer)
  const now = server.clock.now()
  const state = { text: 'Printing', flags: flagsOf('Printing') }
  const status = { _ts: now / 1000, state, vendor: [{ deep: true }] }
  await server.live.put(statusKey(printer.id), status, { ts: now, ttlMs: 1e6 })
  const key = `printers/${printer.id}/pic/1.jpg`
  await server.blobs.put(key, Buffer.from('picture'), 'image/jpeg')
  await server.live.put(picKey(printer.id), { key, raw_key: key, ts: now / 1000 }, { ts: now, ttlMs: 1e6 })
  await server.live.put(gaugeKey(printer.id), { normalized_p: 0.25 }, { ts: now, ttlMs: 1e6 })
  const shown = await getPrinter()
  expect(shown).toMatchObject({ status, normalized_p: 0.25, current_print: { id: print.id, filename: 'boat.gcode' } })
  expect(shown.not_watching_code).toBe('detector_unavailable')
  expect(shown.pic?.img_url.startsWith(`${server.url}/media/`)).toBe(true)
  const picture = await fetch(shown.pic?.img_url ?? '')
  expect([picture.status, picture.headers.get('content-type'), await picture.text()]).toEqual([
    200,
    'image/jpeg',
    'picture',
  ])
})

test('adding a printer', async () => {
  const { status, json } = await server.call('POST', '/api/v1/printers/', {
    body: { name: 'New', retract_on_pause: 1 },
  })
  expect(status).toBe(201)
  const added = Printer.parse(json)
  expect(added).toMatchObject({ name: 'New', retract_on_pause: 1, lift_z_on_pause: 2.5 })
  expect(added.auth_token).toMatch(/^[0-9a-f]{40}$/)
  expect(await server.call('GET', path(added.id))).toMatchObject({ status: 200, json: added })
  expect((await server.call('POST', '/api/v1/printers/', { body: {} })).status).toBe(400)
  expect((await server.call('POST', '/api/v1/printers/', { body: { name: 'x' }, token: reader })).status).toBe(403)
})

test('changing a printer ignores what is read-only or unknown', async () => {
  const changes = { name: 'Right', watching_enabled: false, detective_sensitivity: 1.2 }
  const readOnly = { id: 5, auth_token: 'mine', archived_at: '2020-01-01T00:00:00Z', current_print: 7 }
  const { status, json } = await server.call('PATCH', path(printer.id), {
    body: { ...changes, ...readOnly, colour: 'red' },
  })
  expect(status).toBe(200)
  expect(Printer.parse(json)).toMatchObject({
    ...changes,
    id: printer.id,
    archived_at: null,
    auth_token,
    current_print: null,
    not_watching_code: 'disabled',
  })
  expect(await getPrinter()).toEqual(json)
})

test.each([
  { body: { name: 'New', retract_on_pause: 'much' }, path: 'retract_on_pause' },
  { body: { name: 'New', action_on_failure: 'EXPLODE' }, path: 'action_on_failure' },
  { body: { name: '' }, path: 'name' },
  { body: { name: 'x'.repeat(257) }, path: 'name' },
  { body: { name: 'New', watching_enabled: 'yes' }, path: 'watching_enabled' },
  { body: { name: 'New', min_timelapse_secs_on_finish: 1.5 }, path: 'min_timelapse_secs_on_finish' },
  { body: [], path: '' },
])('a wrong $path changes nothing', async ({ body, path: issue }) => {
  const before = await getPrinter()
  const { status, json } = await server.call('PATCH', path(printer.id), { body })
  expect(status).toBe(400)
  expect(json).toMatchObject({ code: 'invalid_request', issues: [{ path: issue }] })
  expect(await getPrinter()).toEqual(before)
})

test('turning the watching off is told to the agent', async () => {
  await addCurrentPrint(server.database.db, printer)
  const { received } = connectAgent(server.bus, printer.id)
  await server.call('PATCH', path(printer.id), { body: { watching_enabled: false } })
  await expect.poll(() => received).toEqual([{ type: 'remote_status', should_watch: false }])
})

test('archiving hides from the list, twice is once, and it can be undone', async () => {
  const ids = async (query = '') => {
    const { json } = await server.call('GET', `/api/v1/printers/${query}`)
    return Printer.array()
      .parse(json)
      .map(({ id }) => id)
  }
  const first = await server.call('POST', path(printer.id, 'archive/'))
  const { archived_at } = Printer.parse(first.json)
  expect(archived_at).not.toBeNull()
  server.clock.advance(1000)
  const second = await server.call('POST', path(printer.id, 'archive/'))
  expect(Printer.parse(second.json).archived_at).toBe(archived_at)
  expect(await ids()).not.toContain(printer.id)
  expect(await ids('?with_archived=false')).not.toContain(printer.id)
  expect(await ids('?with_archived=true')).toContain(printer.id)
  expect((await getPrinter()).archived_at).toBe(archived_at)
  expect((await server.call('GET', '/api/v1/printers/?with_archived=maybe')).status).toBe(400)
  await server.call('POST', path(printer.id, 'unarchive/'))
  expect(await ids()).toContain(printer.id)
})

test('deleting takes the pictures along, and the id is gone', async () => {
  const print = await addCurrentPrint(server.database.db, printer)
  const keys = [`printers/${printer.id}/pic/1.jpg`, `prints/${print.id}/alerts/1.jpg`, `posters/${print.id}.jpg`]
  for (const key of keys) await server.blobs.put(key, Buffer.from('x'), 'image/jpeg')
  await updatePrint(server.database.db, print.id, { poster_key: keys[2] ?? null })
  const { status, text, headers } = await server.call('DELETE', path(printer.id))
  expect([status, text, headers.get('content-length')]).toEqual([200, '', '0'])
  for (const key of keys) expect(await server.blobs.get(key), key).toBeUndefined()
  for (const gone of [path(printer.id), `/api/v1/prints/${print.id}/`]) {
    expect((await server.call('GET', gone)).status).toBe(404)
  }
  expect((await server.call('DELETE', path(printer.id))).status).toBe(404)
})
