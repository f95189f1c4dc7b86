import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { ALL, addThings, jsonBodyOf, type Things } from './testing.js'

// What is another's does not exist, at every endpoint that takes an id: made from the endpoint data.

let server: TestServer
let mine: Things
let theirs: Things

beforeAll(async () => {
  server = await startTestServer()
  mine = await addThings(server, server.owner)
  theirs = await addThings(server, server.other)
})
afterAll(() => server.close())

const withId = ALL.filter(({ path }) => path.includes(':')).map((endpoint) => ({ id: endpoint.id, endpoint }))

/** A call by me, with a body that would be taken. */
async function call(endpoint: (typeof ALL)[number], path: string, method: string = endpoint.method) {
  const headers = new Headers(mine.credentialFor(endpoint))
  const body = jsonBodyOf(endpoint)?.example
  if (body !== undefined) headers.set('content-type', 'application/json')
  const form = endpoint.multipart === undefined || body !== undefined ? undefined : formFor(endpoint.multipart)
  const payload = method === 'HEAD' ? undefined : (form ?? (body === undefined ? undefined : JSON.stringify(body)))
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers,
    ...(payload === undefined ? {} : { body: payload }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

function formFor(fields: readonly { readonly name: string; readonly kind: 'file' | 'text' }[]): FormData {
  const form = new FormData()
  for (const { name, kind } of fields) form.set(name, kind === 'file' ? new Blob(['no picture']) : 'x')
  return form
}

test.each(withId)('$id: there is a thing to try it with', ({ endpoint }) => {
  // An endpoint with a new kind of id: add how to make one in http/testing.ts.
  expect(theirs.idFor(endpoint)).toBeDefined()
})

test.each(withId.filter(({ endpoint }) => endpoint.access !== 'admin'))(
  "$id: another's thing and a missing one answer the same bytes",
  async ({ endpoint }) => {
    const foreign = await call(endpoint, theirs.pathOf(endpoint, theirs.idFor(endpoint) ?? 0))
    const missing = await call(endpoint, mine.pathOf(endpoint, 987_654_321))
    expect({ status: foreign.status, text: foreign.text }).toEqual({ status: 404, text: missing.text })
    expect(missing.status).toBe(404)
    const compared = (headers: Headers) => [...headers].filter(([name]) => name !== 'date')
    expect(compared(foreign.headers)).toEqual(compared(missing.headers))
  },
)

test.each(withId)('$id: an id that is none answers as a missing one', async ({ endpoint }) => {
  const missing = await call(endpoint, mine.pathOf(endpoint, 987_654_321))
  // A client's id is a text, so any of these could be one.
  const malformed = [
    '0',
    '-1',
    '01',
    '1.5',
    '1e3',
    '0x1',
    '9007199254740993',
    '99999999999999999999',
    '%20',
    'null',
    '1%00',
    '..%2f1',
  ]
  for (const id of malformed) {
    const { status, text } = await call(endpoint, mine.pathOf(endpoint, id))
    expect({ id, status, text }).toEqual({ id, status: 404, text: missing.text })
  }
})

test("another's things are as they were", async () => {
  for (const { endpoint } of withId.filter(
    ({ endpoint: { method, access } }) => method === 'GET' && access !== 'admin',
  )) {
    // The only command is a made-up one.
    if (endpoint.path.includes(':command_id')) continue
    const headers = theirs.credentialFor(endpoint)
    const response = await fetch(`${server.url}${theirs.pathOf(endpoint, theirs.idFor(endpoint) ?? 0)}`, { headers })
    expect({ id: endpoint.id, status: response.status }).toEqual({ id: endpoint.id, status: 200 })
  }
})

test('HEAD answers as GET does, without the body', async () => {
  for (const endpoint of ALL.filter(({ method, access }) => method === 'GET' && access !== 'admin')) {
    const path = mine.pathOf(endpoint, mine.idFor(endpoint) ?? 0)
    const [get, head] = [await call(endpoint, path), await call(endpoint, path, 'HEAD')]
    expect({ id: endpoint.id, status: head.status, text: head.text }).toEqual({
      id: endpoint.id,
      status: get.status,
      text: '',
    })
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
  }
})
