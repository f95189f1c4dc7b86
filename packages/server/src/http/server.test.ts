import { once } from 'node:events'
import { connect } from 'node:net'
import { defineEndpoint } from '@printwarden/protocol'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { ApiError } from '../errors.js'
import type { Log } from '../ports.js'
import type { Caller } from './api.js'
import type { Authenticator } from './authenticate.js'
import { fastifyApi } from './register.js'
import { openHttpServer } from './server.js'

// What holds for every route, tried on a handful of made-up endpoints.

const caller = (more: Partial<Caller> = {}): Caller => ({
  user_id: 1,
  email: 'a@example.test',
  is_admin: false,
  scopes: ['read', 'write'],
  via: { type: 'token', token_id: 1 },
  ...more,
})

const CALLERS: Readonly<Record<string, Caller>> = {
  both: caller(),
  read: caller({ scopes: ['read'] }),
  write: caller({ scopes: ['write'] }),
  admin: caller({ is_admin: true }),
  'admin-read': caller({ is_admin: true, scopes: ['read'] }),
  session: caller({ via: { type: 'session', session_id: 1 } }),
}

const tokenOf = (authorization: string | undefined): string => (authorization ?? '').replace(/^\w+ /, '')

const authenticator: Authenticator = {
  async authenticate({ headers }) {
    const known = CALLERS[tokenOf(headers.authorization)]
    if (known === undefined) throw new ApiError('unauthorized')
    return known
  },
  async authenticateAgent({ headers }) {
    if (tokenOf(headers.authorization) !== 'agent') throw new ApiError('unauthorized')
    return { printer_id: 7, user_id: 1 }
  },
  stillAgents: async (requests) => [...requests],
}

const params = z.object({ id: z.string().regex(/^\d+$/).transform(Number) })
const base = { tag: 'test', summary: 'for this test', output: z.object({ ok: z.boolean() }) } as const
const body = z.object({ name: z.string(), tags: z.array(z.string()).optional() })

const getThing = defineEndpoint({
  ...base,
  id: 'getThing',
  method: 'GET',
  path: '/api/v1/things/:id/',
  access: 'read',
  params,
})
const changeThing = defineEndpoint({
  ...base,
  id: 'changeThing',
  method: 'PATCH',
  path: '/api/v1/things/:id/',
  access: 'write',
  params,
  body,
})
const actOnThing = defineEndpoint({
  ...base,
  id: 'actOnThing',
  method: 'POST',
  path: '/api/v1/things/:id/act/',
  access: 'write',
  params,
})
const { output: _, ...noOutput } = base
const deleteThing = defineEndpoint({
  ...noOutput,
  id: 'deleteThing',
  method: 'DELETE',
  path: '/api/v1/things/:id/',
  access: 'write',
  params,
})
const createThing = defineEndpoint({
  ...base,
  id: 'createThing',
  method: 'POST',
  path: '/api/v1/things/',
  access: 'write',
  body,
  status: 201,
})
const listThings = defineEndpoint({
  ...base,
  id: 'listThings',
  method: 'GET',
  path: '/api/v1/things/',
  access: 'read',
  query: z.object({ limit: z.string().regex(/^\d+$/, 'must be a whole number').optional() }),
})
const countThings = defineEndpoint({
  ...base,
  id: 'countThings',
  method: 'POST',
  path: '/api/v1/things/count/',
  access: 'write',
})
const onlySession = defineEndpoint({
  ...base,
  id: 'onlySession',
  method: 'GET',
  path: '/api/v1/session/',
  access: 'session',
})
const onlyAdmin = defineEndpoint({ ...base, id: 'onlyAdmin', method: 'GET', path: '/api/v1/admin/', access: 'admin' })
const onlyAgent = defineEndpoint({
  ...base,
  id: 'onlyAgent',
  method: 'POST',
  path: '/api/v1/agent/pic/',
  access: 'agent',
  multipart: [{ name: 'pic', kind: 'file', required: true, description: 'a picture' }],
})
const open = defineEndpoint({ ...base, id: 'open', method: 'GET', path: '/api/v1/open/', access: 'anyone' })

const anyone = { access: 'anyone', why: 'for this test' } as const
const DECISIONS = { 'GET /ws/': anyone, 'GET /slow/': anyone }

const logged: { level: string; fields: object; text: string }[] = []
const keep = (level: string) => (fields: object, text: string) => void logged.push({ level, fields, text })
const log: Log = { error: keep('error'), warn: keep('warn'), info: keep('info'), debug: keep('debug') }

let app: FastifyInstance
let listening: Promise<string>

beforeAll(async () => {
  app = await openHttpServer({ log, trustedProxies: [], maxFrameBytes: 1024, decisions: DECISIONS })
  const api = fastifyApi(app, authenticator)
  const ok = async () => ({ ok: true })
  api.handle(getThing, async ({ params: { id } }) => {
    if (id === 500) throw new Error('secret words')
    if (id === 501) return { fine: true } as never
    if (id === 429) throw new ApiError('rate_limited', 'slow down', { retryAfterSeconds: 9 })
    if (id !== 1) throw new ApiError('not_found', `no thing ${id}`)
    return { ok: true, secret: 'left out' } as never
  })
  api.handle(changeThing, ok)
  api.handle(actOnThing, ok)
  api.handle(createThing, ok)
  api.handle(deleteThing, async () => undefined)
  api.handle(listThings, ok)
  api.handle(countThings, ok)
  api.handle(onlySession, ok)
  api.handle(onlyAdmin, ok)
  api.handleAgent(onlyAgent, ok)
  api.handleOpen(open, ok)
  app.get('/ws/', { websocket: true }, () => undefined)
  listening = app.listen({ host: '127.0.0.1', port: 0 })
  await listening
})
afterAll(() => app.close())

interface Sent {
  readonly token?: string
  readonly body?: string
  readonly headers?: Record<string, string>
}

async function send(method: string, url: string, { token = 'both', body: payload, headers = {} }: Sent = {}) {
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: { ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...headers },
    ...(payload === undefined ? {} : { payload }),
  })
  const isJson = response.body !== '' && String(response.headers['content-type']).includes('json')
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    json: isJson ? response.json() : undefined,
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }
const named = (more: object = {}): Sent => ({ body: JSON.stringify({ name: 'n', ...more }), headers: JSON_TYPE })

test.each([
  { who: '', read: 401, write: 401, session: 401, admin: 401, agent: 401, open: 200 },
  { who: 'unknown', read: 401, write: 401, session: 401, admin: 401, agent: 401, open: 200 },
  { who: 'both', read: 200, write: 200, session: 403, admin: 403, agent: 401, open: 200 },
  { who: 'read', read: 200, write: 403, session: 403, admin: 403, agent: 401, open: 200 },
  { who: 'write', read: 403, write: 200, session: 403, admin: 403, agent: 401, open: 200 },
  { who: 'session', read: 200, write: 200, session: 200, admin: 403, agent: 401, open: 200 },
  { who: 'admin', read: 200, write: 200, session: 403, admin: 200, agent: 401, open: 200 },
  { who: 'admin-read', read: 200, write: 403, session: 403, admin: 403, agent: 401, open: 200 },
  { who: 'agent', read: 401, write: 401, session: 401, admin: 401, agent: 200, open: 200 },
])('$who may do what its scopes say', async ({ who, ...expected }) => {
  const token = { token: who }
  const statuses = {
    read: (await send('GET', '/api/v1/things/1/', token)).status,
    write: (await send('POST', '/api/v1/things/1/act/', token)).status,
    session: (await send('GET', '/api/v1/session/', token)).status,
    admin: (await send('GET', '/api/v1/admin/', token)).status,
    agent: (await send('POST', '/api/v1/agent/pic/', token)).status,
    open: (await send('GET', '/api/v1/open/', token)).status,
  }
  expect(statuses).toEqual(expected)
})

test.each([
  {
    name: 'no credential before all else',
    method: 'PATCH',
    url: '/api/v1/things/x/',
    sent: { token: '', body: '{', headers: JSON_TYPE },
    status: 401,
    code: 'unauthorized',
  },
  {
    name: 'scope before the path',
    method: 'PATCH',
    url: '/api/v1/things/x/',
    sent: { token: 'read', body: '{', headers: JSON_TYPE },
    status: 403,
    code: 'insufficient_scope',
  },
  {
    name: 'the path before the body',
    method: 'PATCH',
    url: '/api/v1/things/x/',
    sent: { body: '{', headers: JSON_TYPE },
    status: 404,
    code: 'not_found',
  },
  {
    name: 'a damaged body',
    method: 'PATCH',
    url: '/api/v1/things/1/',
    sent: { body: '{"name":', headers: JSON_TYPE },
    status: 400,
    code: 'malformed_json',
  },
  {
    name: 'a body that reaches for __proto__',
    method: 'PATCH',
    url: '/api/v1/things/1/',
    sent: { body: '{"__proto__":{}}', headers: JSON_TYPE },
    status: 400,
    code: 'malformed_json',
  },
  {
    name: 'a wrong type',
    method: 'PATCH',
    url: '/api/v1/things/1/',
    sent: { body: '{"name":1}', headers: JSON_TYPE },
    status: 400,
    code: 'invalid_request',
  },
  {
    name: 'no body where one is needed',
    method: 'PATCH',
    url: '/api/v1/things/1/',
    sent: { headers: JSON_TYPE },
    status: 400,
    code: 'invalid_request',
  },
  {
    name: 'a body of another type',
    method: 'PATCH',
    url: '/api/v1/things/1/',
    sent: { body: 'name=n', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'a body without a type',
    method: 'PATCH',
    url: '/api/v1/things/1/',
    sent: { body: '{}', headers: { 'content-type': '' } },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'JSON where a form is needed',
    method: 'POST',
    url: '/api/v1/agent/pic/',
    sent: { token: 'agent', body: '{}', headers: JSON_TYPE },
    status: 415,
    code: 'unsupported_media_type',
  },
  {
    name: 'a body over the limit',
    method: 'POST',
    url: '/api/v1/things/',
    sent: named({ name: 'x'.repeat(1024 * 1024) }),
    status: 413,
    code: 'too_large',
  },
  {
    name: 'a wrong query',
    method: 'GET',
    url: '/api/v1/things/?limit=x',
    sent: {},
    status: 400,
    code: 'invalid_request',
  },
  {
    name: 'a query given twice',
    method: 'GET',
    url: '/api/v1/things/?limit=1&limit=2',
    sent: {},
    status: 400,
    code: 'invalid_request',
  },
  { name: 'an unknown path', method: 'GET', url: '/api/v1/nothing/', sent: {}, status: 404, code: 'not_found' },
  { name: 'a damaged path', method: 'GET', url: '/api/v1/things/%zz/', sent: {}, status: 404, code: 'not_found' },
  { name: 'two slashes', method: 'GET', url: '/api/v1/things//', sent: {}, status: 404, code: 'not_found' },
  { name: 'too often', method: 'GET', url: '/api/v1/things/429/', sent: {}, status: 429, code: 'rate_limited' },
  { name: 'a defect', method: 'GET', url: '/api/v1/things/500/', sent: {}, status: 500, code: 'internal' },
  {
    name: 'an answer that breaks its own schema',
    method: 'GET',
    url: '/api/v1/things/501/',
    sent: {},
    status: 500,
    code: 'internal',
  },
])('$name → $status $code', async ({ method, url, sent, status, code }) => {
  const answer = await send(method, url, sent)
  expect(answer.status).toBe(status)
  expect(answer.headers['content-type']).toBe('application/problem+json')
  expect(answer.json).toMatchObject({ status, code, title: expect.any(String), detail: expect.any(String) })
  expect(answer.text).not.toContain('secret')
  expect(answer.headers['www-authenticate'] === undefined).toBe(status !== 401 && status !== 403)
  expect(answer.headers['retry-after']).toBe(status === 429 ? '9' : undefined)
})

test('invalid input is told field by field', async () => {
  const answer = await send('POST', '/api/v1/things/', { body: '{"tags":["a",1]}', headers: JSON_TYPE })
  expect(answer.json.issues.map(({ path }: { path: string }) => path)).toEqual(['name', 'tags.1'])
})

test('a text with NUL is refused, since no database keeps it whole', async () => {
  const withNul = JSON.stringify({ name: 'a', tags: ['b\0c'] })
  const answer = await send('POST', '/api/v1/things/', { body: withNul, headers: JSON_TYPE })
  expect([answer.status, answer.json.issues]).toEqual([400, [{ path: 'tags.0', message: 'must not hold NUL' }]])
})

test('a defect is logged with what happened, and only there', async () => {
  logged.length = 0
  await send('GET', '/api/v1/things/500/?token=x')
  expect(logged).toMatchObject([
    { level: 'error', fields: { err: { message: 'secret words' }, path: '/api/v1/things/500/' } },
  ])
})

test('what is missing, malformed or unknown has the same bytes', async () => {
  const urls = ['/api/v1/things/2/', '/api/v1/things/x/', '/api/v1/nothing/', '/api/v1/things/%zz/']
  const texts = await Promise.all(urls.map(async (url) => (await send('GET', url)).text))
  expect(new Set(texts).size).toBe(1)
})

test.each([
  ['GET', '/api/v1/things/1', 200],
  ['PATCH', '/api/v1/things/1', 200],
  ['DELETE', '/api/v1/things/1', 200],
  ['POST', '/api/v1/things/1/act', 200],
  ['POST', '/api/v1/things', 201],
  ['GET', '/api/v1/things', 200],
  ['GET', '/api/v1/things?limit=1', 200],
  ['HEAD', '/api/v1/things/1', 200],
] as const)('%s %s answers with and without the slash, without a redirect', async (method, url, status) => {
  const sent = method === 'PATCH' || url === '/api/v1/things' ? named() : {}
  const [path = '', query] = url.split('?')
  for (const form of [path, `${path}/`]) {
    const answer = await send(method, query === undefined ? form : `${form}?${query}`, method === 'GET' ? {} : sent)
    expect(answer.status).toBe(status)
  }
})

test.each([
  { method: 'PUT', url: '/api/v1/things/1/', allow: 'DELETE, GET, HEAD, PATCH' },
  { method: 'GET', url: '/api/v1/things/1/act', allow: 'POST' },
  { method: 'DELETE', url: '/api/v1/things/', allow: 'GET, HEAD, POST' },
  { method: 'GET', url: '/api/v1/things/count/', allow: 'POST' },
  // A method that Fastify would want a content type for.
  { method: 'QUERY', url: '/api/v1/things/', allow: 'GET, HEAD, POST' },
])('$method $url → 405 with Allow', async ({ method, url, allow }) => {
  const answer = await send(method, url)
  expect(answer).toMatchObject({ status: 405, headers: { allow }, json: { code: 'method_not_allowed' } })
})

test('what the schema does not name is left out of the answer', async () => {
  const answer = await send('GET', '/api/v1/things/1/')
  expect(answer.text).toBe('{"ok":true}')
  expect(answer.headers['content-type']).toMatch(/^application\/json/)
})

test('an empty body has the length 0', async () => {
  const answer = await send('DELETE', '/api/v1/things/1/')
  expect(answer).toMatchObject({ status: 200, text: '', headers: { 'content-length': '0' } })
})

test.each([
  { name: 'an empty JSON body', sent: { headers: JSON_TYPE } },
  { name: 'an empty body that was announced', sent: { headers: { ...JSON_TYPE, 'content-length': '0' } } },
  {
    name: 'an empty form',
    sent: { headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '0' } },
  },
  {
    name: 'an empty body of any type',
    sent: { headers: { 'content-type': 'application/octet-stream', 'content-length': '0' } },
  },
  { name: 'JSON that is not needed', sent: { body: '{}', headers: JSON_TYPE } },
  { name: 'JSON with a charset', sent: { body: '{}', headers: { 'content-type': 'application/json; charset=utf-8' } } },
  { name: 'no type at all', sent: {} },
])('an action without a body takes $name', async ({ sent }) => {
  expect((await send('POST', '/api/v1/things/1/act/', sent)).status).toBe(200)
})

test('pages of any origin may call the API with a token, never with a cookie', async () => {
  const preflight = await send('OPTIONS', '/api/v1/things/1/', {
    token: '',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'PATCH' },
  })
  expect(preflight).toMatchObject({ status: 204, headers: { 'access-control-allow-origin': '*' } })
  expect(preflight.headers['access-control-allow-methods']).toContain('PATCH')
  for (const header of ['Authorization', 'X-API-KEY', 'Content-Type']) {
    expect(preflight.headers['access-control-allow-headers']).toContain(header)
  }
  expect(preflight.headers['access-control-allow-credentials']).toBeUndefined()

  const refused = await send('GET', '/api/v1/things/1/', { token: '', headers: { origin: 'https://app.example' } })
  expect(refused).toMatchObject({ status: 401, headers: { 'access-control-allow-origin': '*' } })
  for (const header of ['Link', 'X-Total-Count', 'Retry-After']) {
    expect(refused.headers['access-control-expose-headers']).toContain(header)
  }
})

test('every answer keeps browsers from guessing types and from framing', async () => {
  const { headers } = await send('GET', '/api/v1/things/1/')
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  expect(headers['content-security-policy']).not.toContain('upgrade-insecure-requests')
})

test('a stop leaves it to the feature to say why a socket is closed, and lets nobody new in', async () => {
  const stopping = await openHttpServer({ log, trustedProxies: [], maxFrameBytes: 1024, decisions: DECISIONS })
  const opened: WebSocket[] = []
  stopping.get('/ws/', { websocket: true }, (socket) => void opened.push(socket))
  stopping.addHook('preClose', async () => {
    for (const socket of opened) socket.close(1012, 'restart')
  })
  const url = await stopping.listen({ host: '127.0.0.1', port: 0 })
  const socket = new WebSocket(url.replace('http', 'ws') + '/ws/')
  await new Promise((resolve) => socket.once('open', resolve))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await stopping.close()
  expect(await closed).toBe(1012)
})

test('a stop lets requests under way end, and does not wait for connections that ask nothing', async () => {
  const stopping = await openHttpServer({ log, trustedProxies: [], maxFrameBytes: 1024, decisions: DECISIONS })
  let answer: () => void = () => undefined
  const began = new Promise<void>((resolve) => {
    stopping.get('/slow/', async () => {
      resolve()
      await new Promise<void>((go) => (answer = go))
      return { ok: true }
    })
  })
  const url = await stopping.listen({ host: '127.0.0.1', port: 0 })
  const silent = connect(Number(new URL(url).port), '127.0.0.1')
  await once(silent, 'connect')
  const slow = fetch(`${url}/slow/`)
  await began
  const asked = performance.now()
  const closed = stopping.close()
  setTimeout(() => answer(), 50)
  expect(await (await slow).json()).toEqual({ ok: true })
  await closed
  expect(performance.now() - asked).toBeLessThan(1500)
})

test.each([
  { name: 'an unknown method', head: 'FETCH / HTTP/1.1', status: 400 },
  { name: 'noise', head: '\u0016\u0003\u0001', status: 400 },
  { name: 'two lengths', head: 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2', status: 400 },
  {
    name: 'a length and chunks',
    head: 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked',
    status: 400,
  },
  { name: 'a head that is too long', head: `GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}`, status: 431 },
])('$name is answered as a problem, and the connection ends', async ({ head, status }) => {
  const url = await listening
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.end(`${head}\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  const [top = '', problem = ''] = text.split('\r\n\r\n')
  expect(top).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(top).toContain('application/problem+json')
  expect(JSON.parse(problem)).toMatchObject({ status, code: 'invalid_request' })
})
