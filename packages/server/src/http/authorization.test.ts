import { type Endpoint, endpoints } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../testing.js'
import { accessTable, patternOf } from './access-table.js'
import { OTHER_ROUTES } from './other-routes.js'

// The authorization table against the whole server: what was registered is what the table says, no more and no less.

const all: readonly Endpoint[] = Object.values(endpoints)
const keyOf = ({ method, url }: { method: string; url: string }): string => `${method} ${url}`

/** Files of the dashboard: there once it is built. */
const OF_THE_DASHBOARD = ['GET /', 'GET /index.html', 'GET /theme.js', 'GET /favicon.svg', 'GET /assets/*']
let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

test('every row of the table has a route, and every route is in the table', () => {
  const registered = server.app.decidedRoutes.filter(({ method }) => method !== 'HEAD')
  const rows = registered.map((route) =>
    all.some(({ method, path }) => method === route.method && path === route.url)
      ? keyOf(route)
      : patternOf(keyOf(route), OTHER_ROUTES),
  )
  const table = accessTable(all, OTHER_ROUTES).map(keyOf)
  const missing = table.filter((row) => !rows.includes(row) && !OF_THE_DASHBOARD.includes(row))
  expect(missing).toEqual([])
  expect(rows.filter((row) => !table.includes(row))).toEqual([])
})

test('HEAD is decided as GET', () => {
  const decided = new Map(server.app.decidedRoutes.map((route) => [keyOf(route), route.access]))
  const heads = server.app.decidedRoutes.filter(({ method }) => method === 'HEAD')
  expect(heads.length).toBeGreaterThan(10)
  for (const { url, access } of heads) expect(access).toBe(decided.get(`GET ${url}`))
})

test('what needs a signed-in browser, an agent, a token or a signature turns everybody else away', async () => {
  const closed = server.app.decidedRoutes.filter(({ method, access }) => method === 'GET' && access !== 'anyone')
  for (const { url, access } of closed) {
    if (access === 'local' || access === 'client') continue
    const response = await fetch(`${server.url}${url.replaceAll(/:\w+/g, '1').replace('*', 'x')}`, {
      redirect: 'manual',
    })
    // The consent page tells first whether there is such an app at all.
    const expected = url === '/o/authorize/' ? 400 : access === 'page' ? 303 : access === 'signature' ? 404 : 401
    expect({ url, status: response.status }).toEqual({ url, status: expected })
    if (expected === 303) expect(response.headers.get('location')).toMatch(/^\/login\//)
  }
})

test('every endpoint answers 405 with Allow to the methods it does not have', async () => {
  const methods = new Map<string, string[]>()
  for (const { method, url } of server.app.decidedRoutes) methods.set(url, [...(methods.get(url) ?? []), method])
  for (const { path } of all) {
    const known = methods.get(path) ?? []
    for (const wrong of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !known.includes(method))) {
      const { status, headers } = await server.call(wrong, path.replaceAll(/:\w+/g, '1'))
      expect({ wrong, path, status }).toEqual({ wrong, path, status: 405 })
      for (const method of known) expect(headers.get('allow')).toContain(method)
    }
  }
})
