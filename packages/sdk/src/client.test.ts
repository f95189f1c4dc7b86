import { afterEach, beforeEach, expect, expectTypeOf, test } from 'vitest'
import { type Client, createClient } from './client.js'
import { ApiError, NetworkError } from './errors.js'
import { type ScriptedServer, startScriptedServer } from './scripted-server.js'
import type { ActionResult, Printer } from './resources.js'

let server: ScriptedServer
let client: Client

beforeEach(async () => {
  server = await startScriptedServer()
  client = createClient({ baseUrl: server.url, token: 'secret' })
})
afterEach(() => server.close())

test('a list is asked for with the token, and resolves to its body', async () => {
  server.answerJson([{ id: 1, name: 'MK4' }])
  expect(await client.listPrinters()).toEqual([{ id: 1, name: 'MK4' }])
  expect(server.requests).toMatchObject([
    {
      method: 'GET',
      url: '/api/v1/printers/',
      headers: { authorization: 'Bearer secret', accept: 'application/json' },
    },
  ])
})

test.each([
  {
    name: 'a path parameter goes into the path',
    call: () => client.getPrinter({ id: 7 }),
    sent: { method: 'GET', url: '/api/v1/printers/7/', body: '' },
  },
  {
    name: 'two path parameters',
    call: () => client.getCommand({ id: 7, command_id: 'a/b' }),
    sent: { method: 'GET', url: '/api/v1/printers/7/commands/a%2Fb/' },
  },
  {
    name: 'a list in the query is repeated',
    call: () => client.listPrints({ sorting: 'date_desc', start: 20, limit: 10, 'filter_by_printer_ids[]': [1, 2] }),
    sent: {
      method: 'GET',
      url: '/api/v1/prints/?sorting=date_desc&start=20&limit=10&filter_by_printer_ids%5B%5D=1&filter_by_printer_ids%5B%5D=2',
    },
  },
  {
    name: 'a query beside a path parameter, without a body',
    call: () => client.muteCurrentPrint({ id: 7, mute_alert: false }),
    sent: { method: 'POST', url: '/api/v1/printers/7/mute_current_print/?mute_alert=false', body: '' },
  },
  {
    name: 'the rest is the JSON body',
    call: () => client.updatePrinter({ id: 7, name: 'MK4', watching_enabled: true }),
    sent: { method: 'PATCH', url: '/api/v1/printers/7/', body: '{"name":"MK4","watching_enabled":true}' },
  },
  {
    name: 'what is undefined is not sent',
    call: () => client.listPrinters({ with_archived: undefined as never }),
    sent: { method: 'GET', url: '/api/v1/printers/' },
  },
])('$name', async ({ call, sent }) => {
  server.answerJson({})
  await call()
  expect(server.requests).toMatchObject([sent])
})

test('a picture travels as multipart, with the name of its field as file name', async () => {
  server.answerJson({ result: 'ok' })
  await client.uploadPic({ pic: new Blob(['JPEG'], { type: 'image/jpeg' }), camera_name: 'bed' })
  const [request] = server.requests
  expect(request?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
  expect(request?.body).toContain('name="pic"; filename="pic"')
  expect(request?.body).toContain('name="camera_name"\r\n\r\nbed')
})

test('an empty answer resolves to undefined', async () => {
  server.answer((_request, response) => response.writeHead(200, { 'content-length': 0 }).end())
  expect(await client.deletePrinter({ id: 7 })).toBeUndefined()
})

test('a no becomes an ApiError with everything the server said', async () => {
  const problem = { status: 429, code: 'rate_limited', title: 'Too many requests', detail: 'Wait a moment.' }
  server.answerJson(problem, 429, { 'retry-after': '12' })
  const error = await client.pausePrint({ id: 7 }).catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ ...problem, retryAfterSeconds: 12, issues: [] })
})

test('a page of another program is an error, though its status is 200', async () => {
  server.answer((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'))
  await expect(client.getMe()).rejects.toMatchObject({ name: 'ApiError', code: 'unexpected_answer', status: 200 })
})

test('a server that is not there is a NetworkError', async () => {
  await server.close()
  const error = await client.getMe().catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(NetworkError)
  expect(error).toHaveProperty('cause')
  server = await startScriptedServer()
})

test('a server that never answers is a NetworkError once the time is over', async () => {
  server.answer(() => undefined)
  await expect(client.getMe({ timeoutMs: 30 })).rejects.toThrow('no answer within 30 ms')
})

test('a call that is given up rejects with the reason of the signal', async () => {
  const reason = new Error('the page was left')
  const controller = new AbortController()
  server.answer(() => controller.abort(reason))
  await expect(client.listPrinters({}, { signal: controller.signal })).rejects.toBe(reason)
})

test('headers of the answer can be seen', async () => {
  server.answerJson([], 200, { 'x-total-count': '42' })
  let total: string | null = null
  await client.listPrints({}, { onResponse: ({ headers }) => (total = headers.get('x-total-count')) })
  expect(total).toBe('42')
})

test('a token may be a function, asked before each call', async () => {
  let count = 0
  const rotating = createClient({ baseUrl: server.url, token: async () => `token-${++count}` })
  server.answerJson({})
  await rotating.getMe()
  await rotating.getMe()
  expect(server.requests.map((request) => request.headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2'])
})

test('without a token no header is sent', async () => {
  server.answerJson({})
  await createClient({ baseUrl: `${server.url}/` }).getMe()
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
})

test.each(['', 'not an address', 'ftp://host'])('"%s" is no base address', (baseUrl) => {
  expect(() => createClient({ baseUrl })).toThrow(TypeError)
})

test('a base address may have a path', async () => {
  server.answerJson({})
  await createClient({ baseUrl: `${server.url}/warden/`, token: 't' }).getMe()
  expect(server.requests[0]?.url).toBe('/warden/api/v1/users/me/')
})

test('the types of the methods are those of the resources', () => {
  expectTypeOf<Client['listPrinters']>().returns.resolves.toEqualTypeOf<Printer[]>()
  expectTypeOf<Client['pausePrint']>().returns.resolves.toEqualTypeOf<ActionResult>()
  expectTypeOf<Client['pausePrint']>().parameter(0).toEqualTypeOf<{ id: number }>()
  expectTypeOf<Client['deletePrinter']>().returns.resolves.toEqualTypeOf<void>()
})
