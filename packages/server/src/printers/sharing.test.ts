import { SharedResource } from '@printwarden/protocol'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'

let server: TestServer
let printerId: number
let foreignId: number

const PATH = '/api/v1/sharedresources/'

beforeAll(async () => {
  server = await startTestServer()
  foreignId = (await server.addPrinter(server.other.id)).printer.id
})

afterAll(async () => {
  expect(server.log.lines.filter(({ level }) => level === 'error')).toEqual([])
  await server.close()
})

beforeEach(async () => {
  printerId = (await server.addPrinter(server.owner.id)).printer.id
})

const of = (id: number | string): string => `${PATH}?printer_id=${id}`

async function share(): Promise<SharedResource> {
  const { status, json } = await server.call('POST', of(printerId))
  expect(status).toBe(200)
  const [shared, ...more] = SharedResource.array().parse(json)
  expect(more).toEqual([])
  if (shared === undefined) throw new Error('not shared')
  return shared
}

test('a printer is shared, once, until it is not', async () => {
  const before = await server.call('GET', of(printerId))
  expect([before.status, before.json, before.headers.get('x-total-count')]).toEqual([200, [], '0'])
  const shared = await share()
  expect(shared.printer_id).toBe(printerId)
  expect(Object.keys(shared).sort()).toEqual(['id', 'printer_id', 'share_token'])
  expect(await share()).toEqual(shared)
  const list = await server.call('GET', of(printerId))
  expect([list.json, list.headers.get('x-total-count')]).toEqual([[shared], '1'])
  const ended = await server.call('DELETE', `${PATH}${shared.id}/`)
  expect([ended.status, ended.text, ended.headers.get('content-length')]).toEqual([200, '', '0'])
  expect((await server.call('DELETE', `${PATH}${shared.id}/`)).status).toBe(404)
  expect((await server.call('GET', of(printerId))).json).toEqual([])
  expect((await share()).share_token).not.toBe(shared.share_token)
})

test('shared many times at once it has one token', async () => {
  const all = await Promise.all(Array.from({ length: 10 }, () => share()))
  expect(new Set(all.map(({ share_token }) => share_token)).size).toBe(1)
})

test('what is foreign is missing, to the byte', async () => {
  const missing = await server.call('GET', of(999_999))
  expect(missing.status).toBe(404)
  for (const method of ['GET', 'POST']) {
    for (const path of [of(foreignId), PATH]) {
      expect(await server.call(method, path)).toMatchObject({ status: 404, text: missing.text })
    }
    expect((await server.call(method, of('x'))).status).toBe(400)
  }
  const { id } = await share()
  for (const [path, token] of [
    [`${PATH}${id}/`, server.other.token],
    [`${PATH}999999/`, server.owner.token],
  ] as const) {
    expect(await server.call('DELETE', path, { token })).toMatchObject({ status: 404, text: missing.text })
  }
  expect((await server.call('GET', of(printerId))).json).toHaveLength(1)
})

test('scopes', async () => {
  const reader = await server.addToken(server.owner.id, 'read')
  const { id } = await share()
  expect((await server.call('GET', of(printerId), { token: reader })).status).toBe(200)
  expect((await server.call('POST', of(printerId), { token: reader })).status).toBe(403)
  expect((await server.call('DELETE', `${PATH}${id}/`, { token: reader })).status).toBe(403)
  expect((await server.call('GET', of(printerId), { token: null })).status).toBe(401)
})

test('the token is no credential, and does not stand in the database', async () => {
  const { share_token } = await share()
  for (const path of ['/api/v1/agent/printer/', '/api/v1/printers/', `/api/v1/printers/${printerId}/`]) {
    expect((await server.call('GET', path, { token: share_token })).status).toBe(401)
  }
  const rows = await server.database.db.selectFrom('shared_resources').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain(share_token)
})

test('goes with its printer', async () => {
  const { id } = await share()
  await server.call('DELETE', `/api/v1/printers/${printerId}/`)
  expect((await server.call('DELETE', `${PATH}${id}/`)).status).toBe(404)
  const { db } = server.database
  expect(await db.selectFrom('shared_resources').select('id').where('id', '=', id).execute()).toEqual([])
})
