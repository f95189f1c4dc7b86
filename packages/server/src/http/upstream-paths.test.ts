import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'

// What existing agents ask for by the names they know, over real HTTP.

let server: TestServer
let authorization: string
let printerId: number

beforeAll(async () => {
  server = await startTestServer()
  const { printer, auth_token } = await server.addPrinter(server.owner.id)
  authorization = `Token ${auth_token}`
  printerId = printer.id
})
afterAll(() => server.close())

const ask = (
  path: string,
  init: { method?: string; body?: string | URLSearchParams | null; headers?: Record<string, string> } = {},
) => fetch(`${server.url}${path}`, { redirect: 'manual', ...init, headers: { authorization, ...init.headers } })

test.each(['Token', 'token', 'TOKEN', 'Bearer'])('the keyword may be spelled %s', async (keyword) => {
  const headers = { authorization: authorization.replace('Token', keyword) }
  expect((await ask('/api/v1/octo/printer/', { headers })).status).toBe(200)
})

test.each([
  '/api/v1/octo/printer/',
  '/api/v1/octo/printer',
  '/api/v1/octo/ping/',
  '/api/v1/octo/ping',
  '/api/v1/agent/ping/',
])('%s tells the printer', async (path) => {
  expect(await (await ask(path)).json()).toMatchObject({
    user: { is_pro: true },
    printer: { id: printerId, is_pro: true, name: expect.any(String), retract_on_pause: expect.any(Number) },
  })
})

test('an agent renames its printer, and nothing else', async () => {
  const body = JSON.stringify({ name: 'By the agent', action_on_failure: 'NONE', id: 99 })
  const headers = { 'content-type': 'application/json' }
  const response = await ask('/api/v1/octo/printer/', { method: 'PATCH', headers, body })
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ printer: { id: printerId, name: 'By the agent' } })
  const { json } = await server.call('GET', `/api/v1/printers/${printerId}/`)
  expect(json).toMatchObject({ id: printerId, name: 'By the agent', action_on_failure: 'PAUSE' })
  const bad = await ask('/api/v1/octo/printer/', { method: 'PATCH', headers, body: '{"name":""}' })
  expect(bad.status).toBe(400)
})

test.each([
  { method: 'GET', path: '/ent/api/printers/1/ext/' },
  { method: 'GET', path: '/partner-api/printers/1/ext/' },
  { method: 'POST', path: '/ent/api/nozzle_cam/pic/' },
  { method: 'POST', path: '/partner-api/nozzle_cam/first_layer_done/' },
])('$method $path is not there, which is a complete answer', async ({ method, path }) => {
  const body = method === 'POST' ? new URLSearchParams({ nozzlecam_status: 'complete' }) : null
  for (const accept of ['*/*', 'text/html']) {
    const response = await ask(path, { method, headers: { accept }, body })
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
  }
})

test('what goes wrong is told in the words of both', async () => {
  const refused = await ask('/api/v1/octo/printer/', { headers: { authorization: 'Token 0123456789abcdef0123' } })
  expect(refused.status).toBe(401)
  const body = (await refused.json()) as Record<string, unknown>
  expect(body).toMatchObject({ status: 401, code: 'unauthorized', detail: 'The token is not known.' })
  expect(body['error']).toBe(body['detail'])
  const own = (await (await ask('/api/v1/agent/printer/', { headers: { authorization: '' } })).json()) as object
  expect(own).not.toHaveProperty('error')
})

test('a method that is not answered is told so', async () => {
  const response = await ask('/api/v1/octo/printer_events/')
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
})
