import type { Endpoint } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { hostileBodies, hostileForms, hostileNumbers, hostileStrings } from './hostile-fixtures.js'
import { isObject, type Json } from './openapi-components.js'
import { ALL, addThings, jsonBodyOf, operationOf, resolve, type Things } from './testing.js'

// The hostile corpus against every field of every endpoint, found in the endpoint data: never a 5xx, always a problem.

let server: TestServer
let things: Things

beforeAll(async () => {
  server = await startTestServer()
  things = await addThings(server, server.owner)
})
afterAll(() => server.close())

interface Sent {
  readonly query?: string
  readonly headers?: Record<string, string>
  readonly payload?: string | Buffer
}

interface Answer {
  readonly status: number
  readonly type: string | null
  readonly text: string
}

/** Sends it, and checks what holds for every answer. */
async function send(endpoint: Endpoint, what: string, sent: Sent): Promise<Answer> {
  const answer = await inject(endpoint, sent)
  check(endpoint, what, answer)
  return answer
}

async function inject(endpoint: Endpoint, { query = '', headers = {}, payload }: Sent): Promise<Answer> {
  const answer = await server.app.inject({
    method: endpoint.method,
    url: `${things.pathOf(endpoint, things.idFor(endpoint) ?? 1)}${query}`,
    headers: { ...things.credentialFor(endpoint), ...headers },
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: answer.statusCode, type: String(answer.headers['content-type']), text: answer.body }
}

/** Over a real connection, which uploads need. undefined when the server hung up on a body that is too large. */
async function sendForm(endpoint: Endpoint, type: string, bytes: Buffer): Promise<Answer | undefined> {
  const url = `${server.url}${things.pathOf(endpoint, things.idFor(endpoint) ?? 1)}`
  const headers = { ...things.credentialFor(endpoint), 'content-type': type }
  try {
    const answer = await fetch(url, { method: endpoint.method, headers, body: new Uint8Array(bytes) })
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
  } catch (error) {
    if (bytes.length < 64 * 1024) throw error
    return undefined
  }
}

/**
 * Where 503 is no defect: sending is not part of this version; agents that are too many are told so in a way that ends no search; and
 * without a model nobody answers.
 */
const MAY_BE_UNAVAILABLE = new Set([
  'sendTestNotification',
  'announceUnlinkedAgent',
  'sendChatMessage',
  'analysePlate',
  'createPostMortem',
])

function check(endpoint: Endpoint, what: string, { status, type, text }: Answer): void {
  const told = `${endpoint.id}: ${what} → ${status} ${text.slice(0, 200)}`
  if (status !== 503 || !MAY_BE_UNAVAILABLE.has(endpoint.id)) expect(status, told).toBeLessThan(500)
  if (status >= 400) {
    expect(type, told).toBe('application/problem+json')
    expect(JSON.parse(text), told).toMatchObject({ status, code: expect.any(String) })
  }
  expect(text, told).not.toMatch(/SQLITE|node_modules|at \w+ \(/)
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** Hashing a password is slow on purpose: of these endpoints only the cheap fields are tried. */
const SLOW_FIELDS = new Set(['password'])

/** What would lock the test itself out is not sent as it stands in the example. */
const HARMLESS: Readonly<Record<string, Json>> = { updateAccount: {} }

const withBody = ALL.flatMap((endpoint) => {
  const body = jsonBodyOf(endpoint)
  if (body === undefined) return []
  return [{ id: endpoint.id, endpoint, schema: body.schema, example: HARMLESS[endpoint.id] ?? body.example }]
})

type Kind = 'string' | 'number'

/** Where in a body fields of this kind are: paths of names, `0` for the first of a list. */
function fieldsOf(schema: unknown, kind: Kind, path: readonly string[] = []): string[][] {
  const data = resolve(schema)
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (Array.isArray(data[key]) ? data[key] : []))
  const types = [data['type']].flat()
  const isOfKind = kind === 'string' ? types.includes('string') : types.includes('number') || types.includes('integer')
  const own = isOfKind ? [[...path]] : []
  const below = Object.entries(isObject(data['properties']) ? data['properties'] : {})
    .filter(([name]) => !SLOW_FIELDS.has(name))
    .flatMap(([name, inner]) => fieldsOf(inner, kind, [...path, name]))
  const items = types.includes('array') ? fieldsOf(data['items'], kind, [...path, '0']) : []
  const all = [...own, ...below, ...items, ...choices.flatMap((choice) => fieldsOf(choice, kind, path))]
  return [...new Map(all.map((one) => [one.join('/'), one])).values()]
}

/** The text of `example` with `json` put in at `path`. */
function withValue(example: unknown, path: readonly string[], json: string): string {
  const MARK = '\u0001here\u0001'
  const put = (value: unknown, [name, ...rest]: readonly string[]): unknown => {
    if (name === undefined) return MARK
    if (name === '0') return [put(Array.isArray(value) ? value[0] : undefined, rest)]
    const object = isObject(value) ? value : {}
    return { ...object, [name]: put(object[name], rest) }
  }
  return JSON.stringify(put(example, path)).replace(JSON.stringify(MARK), () => json)
}

test.each(withBody)(
  '$id: every text field takes or refuses every hostile text',
  async ({ endpoint, schema, example }) => {
    for (const path of fieldsOf(schema, 'string')) {
      for (const { name, value } of hostileStrings()) {
        const payload = withValue(example, path, JSON.stringify(value))
        await send(endpoint, `${path.join('.')} is ${name}`, { payload, headers: JSON_TYPE })
      }
    }
  },
)

test.each(withBody)(
  '$id: every number field takes or refuses every odd number',
  async ({ endpoint, schema, example }) => {
    for (const path of fieldsOf(schema, 'number')) {
      for (const { name, json } of hostileNumbers()) {
        await send(endpoint, `${path.join('.')} is ${name}`, {
          payload: withValue(example, path, json),
          headers: JSON_TYPE,
        })
      }
    }
  },
)

test.each(withBody)('$id: a damaged, disguised or deep body is refused', async ({ endpoint }) => {
  for (const { name, type, headers = {}, bytes } of hostileBodies()) {
    const typed: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    const answer = await send(endpoint, name, { payload: bytes, headers: { ...typed, ...headers } })
    // A form is what some endpoints read; then it is one without the fields that they need.
    expect([400, 404, 410, 413, 415, 429], `${endpoint.id}: ${name} → ${answer.status}`).toContain(answer.status)
  }
})

const withForm = ALL.filter(({ multipart }) => multipart !== undefined).map((endpoint) => ({
  id: endpoint.id,
  endpoint,
}))

test.each(withForm)('$id: a damaged, smuggled or doubled form does no harm', async ({ endpoint }) => {
  for (const { name, type = '', bytes } of hostileForms()) {
    const answer = await sendForm(endpoint, type, bytes)
    if (answer !== undefined) check(endpoint, name, answer)
  }
})

const withQuery = ALL.map((endpoint) => ({ id: endpoint.id, endpoint, names: queryNamesOf(endpoint) })).filter(
  ({ names }) => names.length > 0,
)

function queryNamesOf(endpoint: Endpoint): string[] {
  const parameters = operationOf(endpoint)['parameters']
  const all = Array.isArray(parameters) ? parameters.filter(isObject) : []
  return all.flatMap(({ name, in: where }) => (where === 'query' && typeof name === 'string' ? [name] : []))
}

test.each(withQuery)(
  '$id: every parameter takes or refuses every hostile text and number',
  async ({ endpoint, names }) => {
    const values = [...hostileStrings().map(({ value }) => value), ...hostileNumbers().map(({ json }) => json)]
    // What is longer than a head may be never comes this far.
    for (const value of values.filter(({ length }) => length < 8000)) {
      for (const name of names) {
        const text = /[\ud800-\udfff]/u.test(value) ? '%ED%A0%80' : encodeURIComponent(value)
        await send(endpoint, `${name} is ${text.slice(0, 40)}`, { query: `?${encodeURIComponent(name)}=${text}` })
        await send(endpoint, `${name} twice`, { query: `?${name}=${text}&${name}=1` })
      }
    }
  },
)

test.each(ALL.filter(({ method }) => method === 'GET').map((endpoint) => ({ id: endpoint.id, endpoint })))(
  '$id: parameters that are not known are ignored',
  async ({ endpoint }) => {
    const plain = await send(endpoint, 'nothing unknown', {})
    const unknown = '?nothing=1&__proto__=x&__proto__[a]=1&constructor[prototype]=x&toString=1&[]=&=&&%00=%00'
    const answer = await send(endpoint, 'unknown parameters', { query: unknown })
    expect(answer.status).toBe(plain.status)
  },
)
