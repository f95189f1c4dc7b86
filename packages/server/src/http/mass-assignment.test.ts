import type { Endpoint } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { isObject, type Json } from './openapi-components.js'
import { ALL, addThings, jsonBodyOf, type Things } from './testing.js'

// Every field that may only be read, set in every body that changes something: made from the endpoint data.

let server: TestServer
let things: Things

beforeAll(async () => {
  server = await startTestServer()
  things = await addThings(server, server.owner)
})
afterAll(() => server.close())

/** What moves by itself with any change. */
const MOVES = new Set(['updated_at', 'last_active_at', 'answered_at'])

/** A change, and the endpoint that shows what it changes. */
const changes = ALL.flatMap((change) => {
  if ((change.method !== 'PATCH' && change.method !== 'PUT') || change.access === 'agent') return []
  const body = jsonBodyOf(change)
  const show = ALL.find(({ method, path }) => method === 'GET' && path === change.path)
  return body === undefined || show === undefined ? [] : [{ id: change.id, change, show, body }]
})

test('nearly every change has something that shows it', () => {
  const shown = changes.map(({ id }) => id)
  const all = ALL.filter(({ method }) => method === 'PATCH' || method === 'PUT').map(({ id }) => id)
  // Accounts and cameras are shown in a list, files of agents to their owners, and agents' printers in full.
  const listed = ['updateAccount', 'updateAgentPrinter', 'updateCamera', 'updateReportedGCodeFile']
  expect(all.filter((id) => !shown.includes(id))).toEqual(listed)
})

async function call(endpoint: Endpoint, body?: Json): Promise<{ status: number; json: unknown; text: string }> {
  const response = await fetch(`${server.url}${things.pathOf(endpoint, things.idFor(endpoint) ?? 0)}`, {
    method: endpoint.method,
    headers: { ...things.credentialFor(endpoint), 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, text, json: JSON.parse(text) }
}

/** What is shown; of a list its first. */
function firstOf(json: unknown): Json {
  const shown: unknown = Array.isArray(json) ? json[0] : json
  return isObject(shown) ? shown : {}
}

/** Another value of the same type, and of every other. */
function otherValues(value: unknown): unknown[] {
  const others = [987_654_321, 'changed by another', true, false, null, ['x'], { id: 1 }, '2001-02-03T04:05:06.000Z']
  return others.filter((other) => JSON.stringify(other) !== JSON.stringify(value))
}

test.each(changes)('$id changes nothing that may only be read', async ({ change, show, body }) => {
  const before = await call(show)
  expect(before.status).toBe(200)
  const shown = firstOf(before.json)
  const writable = isObject(body.schema['properties']) ? body.schema['properties'] : {}
  const readOnly = Object.keys(shown).filter((name) => !(name in writable) && !MOVES.has(name))
  expect(readOnly.length).toBeGreaterThan(1)
  // What a change needs at least is sent as it is already.
  const required = Array.isArray(body.schema['required']) ? body.schema['required'].map(String) : []
  const needed = Object.fromEntries(required.map((name) => [name, shown[name] ?? body.example[name]]))

  for (let turn = 0; turn < otherValues(undefined).length; turn += 1) {
    const harmful = readOnly.map((name) => [name, otherValues(shown[name])[turn] ?? 0])
    const owner = { user_id: 2, user: 2, owner_id: 2, is_admin: true, is_pro: true }
    const sent = { ...owner, ...Object.fromEntries(harmful), ...needed }
    const answer = await call(change, sent)
    expect({ status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({ status: 200, text: '' })
    const after = await call(show)
    const now = firstOf(after.json)
    const read = (values: Json): Json => Object.fromEntries(readOnly.map((name) => [name, values[name]]))
    expect(read(now)).toEqual(read(shown))
  }
})
