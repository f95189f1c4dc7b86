import { expect, test } from 'vitest'
import { ApiError } from '../errors.js'
import { problemOf } from './error-body.js'

const coded = (code: string): Error => Object.assign(new Error('from a library'), { code })

test.each([
  {
    name: 'bad input with its issues',
    thrown: new ApiError('invalid_request', 'no', { issues: [{ path: 'a.0', message: 'm' }] }),
    status: 400,
  },
  {
    name: 'what Fastify blames on the client',
    thrown: Object.assign(coded('FST_ERR_ROUTE_MISSING_CONTENT_TYPE'), { statusCode: 400 }),
    status: 400,
  },
  {
    name: 'no credential',
    thrown: new ApiError('unauthorized'),
    status: 401,
    headers: { 'www-authenticate': 'Bearer' },
  },
  {
    name: 'a wrong token',
    thrown: new ApiError('unauthorized', 'no such token'),
    status: 401,
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  },
  {
    name: 'an expired token',
    thrown: new ApiError('token_expired'),
    status: 401,
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  },
  {
    name: 'a missing scope',
    thrown: new ApiError('insufficient_scope'),
    status: 403,
    headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' },
  },
  {
    name: 'too many requests',
    thrown: new ApiError('rate_limited', 'slow down', { retryAfterSeconds: 7 }),
    status: 429,
    headers: { 'retry-after': '7' },
  },
  { name: 'not available', thrown: new ApiError('unavailable'), status: 503, headers: { 'retry-after': '5' } },
  { name: 'a body over the limit', thrown: coded('FST_ERR_CTP_BODY_TOO_LARGE'), status: 413 },
  { name: 'a content type nobody reads', thrown: coded('FST_ERR_CTP_INVALID_MEDIA_TYPE'), status: 415 },
  { name: 'a damaged address', thrown: coded('FST_ERR_BAD_URL'), status: 404 },
])('$name → $status', ({ thrown, status, headers = {} }) => {
  const problem = problemOf(thrown)
  expect(problem).toMatchObject({ status, headers, isDefect: false, body: { status } })
  expect(problem.body.issues).toEqual(thrown instanceof ApiError ? thrown.issues : undefined)
})

test.each([
  new Error('SELECT secret'),
  coded('ENOENT'),
  coded('FST_ERR_X'),
  'a text',
  undefined,
  new ApiError('internal'),
])('a defect says nothing: %s', (thrown) => {
  const problem = problemOf(thrown)
  expect(problem).toMatchObject({ status: 500, isDefect: true, body: { code: 'internal' } })
  expect(JSON.stringify(problem.body)).not.toMatch(/secret|ENOENT|a text/)
})

test('every 404 has the same bytes, whatever was said about it', () => {
  const bodies = [new ApiError('not_found'), new ApiError('not_found', 'printer 7'), coded('FST_ERR_BAD_URL')]
  expect(new Set(bodies.map((thrown) => JSON.stringify(problemOf(thrown).body))).size).toBe(1)
})
