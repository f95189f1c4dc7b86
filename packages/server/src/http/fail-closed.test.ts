import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { signedInBrowser, type TestBrowser } from '../users/testing.js'

// With a database that refuses every query, nobody is let in: every guarded route answers 5xx.

let server: TestServer
let browser: TestBrowser
let agentToken: string

beforeAll(async () => {
  server = await startTestServer()
  browser = await signedInBrowser(server.url, server.owner)
  agentToken = (await server.addPrinter(server.owner.id)).auth_token
  // All three are known to be good, and remembered for a moment.
  expect((await server.call('GET', '/api/v1/users/me/')).status).toBe(200)
  await server.database.close()
  server.clock.advance(11_000)
})
afterAll(() => server.close())

const BODY_METHODS = ['POST', 'PUT', 'PATCH']

async function statusOf(method: string, url: string, headers: Record<string, string>): Promise<number> {
  const body = BODY_METHODS.includes(method) ? '{}' : undefined
  const response = await fetch(`${server.url}${url.replaceAll(/:\w+/g, '1').replace('*', 'x')}`, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body }),
  })
  return response.status
}

test('every route for users, sessions, agents and administrators answers 5xx', async () => {
  const guarded = server.app.decidedRoutes.filter(({ access, url }) => {
    return !['anyone', 'signature', 'local', 'client'].includes(access) && !url.startsWith('/ws/')
  })
  expect(guarded.length).toBeGreaterThan(150)
  const cookie = [...browser.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const open: string[] = []
  for (const { method, url, access } of guarded) {
    const credentials: Record<string, string>[] =
      access === 'agent'
        ? [{ authorization: `Bearer ${agentToken}` }]
        : access === 'page' || access === 'session'
          ? [{ cookie, origin: server.url }]
          : [{ authorization: `Bearer ${server.owner.token}` }, { cookie, origin: server.url }]
    for (const headers of credentials) {
      const status = await statusOf(method, url, headers)
      if (status < 500) open.push(`${method} ${url} ${status}`)
    }
  }
  expect(open).toEqual([])
})

test('signing in fails too, and says nothing about the password', async () => {
  const form = await browser.get('/login/')
  const { email, password } = server.owner
  const right = await browser.post('/login/', { ...form.hidden, email, password })
  expect(right.status).toBeGreaterThanOrEqual(500)
  expect(right.cookies).toEqual([])
  const signIn = await server.call('POST', '/api/v1/admin/sign_in/', { token: null, body: { email, password } })
  expect(signIn.status).toBeGreaterThanOrEqual(500)
})
