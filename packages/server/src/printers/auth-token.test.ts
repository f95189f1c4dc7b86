import { afterEach, beforeEach, expect, test } from 'vitest'
import { memoryBus } from '../adapters/bus-memory.js'
import { findTokenIdentity } from '../oauth/store.js'
import type { Database } from '../ports.js'
import { listSecurityEvents } from '../users/security-events-store.js'
import { REVOKED_SUBJECT } from '../users/revoked.js'
import { sendForm, signedInBrowser } from '../users/testing.js'
import { startTestServer, type TestServer } from '../testing.js'
import { authTokenFlow } from './auth-token-flow.js'
import { listExposedPrinters } from './auth-token-store.js'
import { listPrinters } from './store.js'

let server: TestServer
let printer: { id: number; auth_token: string }

beforeEach(async () => {
  server = await startTestServer()
  const added = await server.addPrinter(server.other.id)
  printer = { id: added.printer.id, auth_token: added.auth_token }
})
afterEach(() => server.close())

const eventsOf = async (type: string) =>
  (await listSecurityEvents(server.database.db, server.other.id, { limit: 50 })).filter((event) => event.type === type)

const asAgent = (token: string) => server.call('GET', '/api/v1/agent/printer/', { token })

test('the token is replaced: the old one ends at once, and its socket is told', async () => {
  const path = `/api/v1/printers/${printer.id}/rotate_auth_token/`
  const { token } = server.other
  expect((await asAgent(printer.auth_token)).status).toBe(200)
  const told: unknown[] = []
  server.bus.subscribe(REVOKED_SUBJECT, (notice) => told.push(notice))
  expect((await server.call('POST', path)).status).toBe(404)
  expect((await server.call('POST', path, { token: await server.addToken(server.other.id, 'read') })).status).toBe(403)
  expect((await asAgent(printer.auth_token)).status).toBe(200)

  const { status, json } = await server.call('POST', path, { token })
  expect({ status, json }).toEqual({
    status: 200,
    json: { id: printer.id, auth_token: expect.stringMatching(/^[0-9a-f]{40}$/) },
  })
  const { auth_token } = json as { auth_token: string }
  expect(auth_token).not.toBe(printer.auth_token)
  expect(told).toEqual([{ type: 'printer', printer_id: printer.id }])
  expect((await asAgent(printer.auth_token)).status).toBe(401)
  expect((await asAgent(auth_token)).status).toBe(200)
  expect((await server.call('GET', `/api/v1/printers/${printer.id}/`, { token })).json).toMatchObject({ auth_token })
  expect(await eventsOf('auth_token_rotated')).toMatchObject([{ subject: 'Left' }])
})

test('which tokens were shown it is remembered once, and told when one of them is revoked', async () => {
  const { db } = server.database
  const reader = await server.addToken(server.other.id, 'read')
  const writer = await server.addToken(server.other.id, 'read write')
  for (const token of [reader, writer, writer]) {
    expect((await server.call('GET', '/api/v1/printers/', { token })).status).toBe(200)
    expect((await server.call('GET', `/api/v1/printers/${printer.id}/`, { token })).status).toBe(200)
  }
  expect((await server.call('GET', '/api/v1/prints/', { token: writer })).status).toBe(200)
  expect(await db.selectFrom('auth_token_readers').selectAll().execute()).toHaveLength(1)
  expect(await eventsOf('auth_token_read')).toHaveLength(1)
  expect(await listExposedPrinters(db, server.other.id)).toEqual([])

  await server.call('POST', '/api/v1/admin/tokens/revoke/', { body: { token: writer } })
  expect(await listExposedPrinters(db, server.other.id)).toEqual([{ id: printer.id, name: 'Left' }])
  expect(await listExposedPrinters(db, server.owner.id)).toEqual([])
  await server.call('POST', `/api/v1/printers/${printer.id}/rotate_auth_token/`, { token: server.other.token })
  expect(await listExposedPrinters(db, server.other.id)).toEqual([])
})

test('the page marks what a revoked token has read, and replaces it', async () => {
  const writer = await server.addToken(server.other.id, 'read write')
  await server.call('GET', '/api/v1/printers/', { token: writer })
  await server.call('POST', '/api/v1/admin/tokens/revoke/', { body: { token: writer } })
  const browser = await signedInBrowser(server.url, server.other)
  expect((await browser.get('/account/printers/')).html).toContain('class="alarming">Left')
  const action = `/account/printers/${printer.id}/rotate/`
  const forged = await browser.post(action, { form_token: 'x' })
  expect(forged.status).toBe(403)
  const foreign = await signedInBrowser(server.url, server.owner)
  expect((await sendForm(foreign, '/account/sessions/', {}, action)).status).toBe(404)
  expect((await asAgent(printer.auth_token)).status).toBe(200)
  const done = await sendForm(browser, '/account/printers/', {}, action)
  const made = /<code class="secret">([0-9a-f]{40})</.exec(done.html)?.[1] ?? ''
  expect(done.html).not.toContain('class="alarming"')
  expect((await asAgent(printer.auth_token)).status).toBe(401)
  expect((await asAgent(made)).status).toBe(200)
})

const rotate = () =>
  server.call('POST', `/api/v1/printers/${printer.id}/rotate_auth_token/`, { token: server.other.token })

/** A process beside the server's own, which the server's notices do not reach; `read` shows a token the printers. */
function anotherNode(writer: string, database: Database = server.database) {
  const { clock, secrets, log } = server
  const flow = authTokenFlow({ ...{ database, clock, secrets }, bus: memoryBus(log) })
  const { db } = server.database
  return async function read(): Promise<void> {
    const token = await findTokenIdentity(db, secrets.hash(writer))
    if (token === undefined) throw new Error('the token is not known')
    const { user_id, email, token_id } = token
    const caller = {
      user_id,
      email,
      is_admin: false,
      scopes: ['read', 'write'],
      via: { type: 'token', token_id },
    } as const
    await flow.noteRead(caller, await listPrinters(db, user_id, { withArchived: false }))
  }
}

test('who read the old token at another node, and the new one there, is known to have it', async () => {
  const writer = await server.addToken(server.other.id, 'read write')
  const read = anotherNode(writer)
  await read()
  expect((await rotate()).status).toBe(200)
  await read()
  await read()
  expect(await eventsOf('auth_token_read')).toHaveLength(2)
  await server.call('POST', '/api/v1/admin/tokens/revoke/', { body: { token: writer } })
  expect(await listExposedPrinters(server.database.db, server.other.id)).toEqual([{ id: printer.id, name: 'Left' }])
})

test('a read of the old token that ends after it was replaced does not pass for one of the new token', async () => {
  const writer = await server.addToken(server.other.id, 'read write')
  let isFirst = true
  const read = anotherNode(writer, {
    ...server.database,
    async transaction(work) {
      const result = await server.database.transaction(work)
      if (isFirst) await rotate()
      isFirst = false
      return result
    },
  })
  await read()
  expect(await server.database.db.selectFrom('auth_token_readers').selectAll().execute()).toEqual([])
  await read()
  expect(await server.database.db.selectFrom('auth_token_readers').selectAll().execute()).toHaveLength(1)
  expect(await eventsOf('auth_token_read')).toHaveLength(2)
})
