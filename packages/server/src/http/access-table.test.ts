import { defineEndpoint } from '@printwarden/protocol'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { accessTable, patternOf, type RouteDecisions, requireDecisions } from './access-table.js'

const decisions: RouteDecisions = {
  'GET /open': { access: 'anyone', why: 'for this test' },
  'GET /files/*': { access: 'signature', why: 'for this test' },
  'GET /files/own/*': { access: 'page', why: 'for this test' },
}
const endpoint = defineEndpoint({
  ...{ id: 'getPrint', method: 'GET', path: '/api/v1/prints/:id/', tag: 'test', summary: 'One print', access: 'read' },
})

test.each([
  { route: 'GET /open', pattern: 'GET /open' },
  { route: 'GET /files/a', pattern: 'GET /files/*' },
  { route: 'GET /files/own/a', pattern: 'GET /files/own/*' },
  { route: 'POST /files/a', pattern: 'POST /files/a' },
  { route: 'GET /constructor', pattern: 'GET /constructor' },
])('$route is decided by $pattern', ({ route, pattern }) => {
  expect(patternOf(route, decisions)).toBe(pattern)
})

test('a route without a decision cannot be registered', () => {
  const app = Fastify()
  requireDecisions(app, decisions)
  expect(() => app.get('/forgotten', async () => 'x')).toThrow('GET /forgotten has no access decision')
  expect(() => app.post('/open', async () => 'x')).toThrow('POST /open has no access decision')
})

test('HEAD follows GET, and an endpoint speaks for itself', async () => {
  const app = Fastify()
  const decided = requireDecisions(app, decisions)
  app.get('/open', async () => 'x')
  app.get('/api/v1/prints/:id/', { config: { endpoint } }, async () => 'x')
  await app.ready()
  expect(decided.map(({ method, url, access }) => [method, url, access])).toEqual(
    expect.arrayContaining([
      ['GET', '/open', 'anyone'],
      ['HEAD', '/open', 'anyone'],
      ['HEAD', '/api/v1/prints/:id/', 'read'],
    ]),
  )
})

test('the table has every path of an endpoint', () => {
  expect(accessTable([endpoint], decisions).map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /api/v1/prints/:id/',
    'GET /api/v1/print/:id/',
    ...Object.keys(decisions),
  ])
})
