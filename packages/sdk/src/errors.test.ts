import { expect, test } from 'vitest'
import { ApiError, errorFromAnswer } from './errors.js'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const problem = (fields: object) => ({ status: 400, code: 'invalid_request', title: 'T', detail: 'D', ...fields })

test('problem details become an error with a code, a text and the issues', () => {
  const issues = [{ path: 'name', message: 'is required' }]
  const error = errorFromAnswer(400, problem({ issues }), null, NOW)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 400, code: 'invalid_request', title: 'T', detail: 'D', message: 'D', issues })
  expect(error.retryAfterSeconds).toBeUndefined()
})

test.each([
  { name: 'an HTML page', body: '<h1>Bad gateway</h1>' },
  { name: 'nothing', body: undefined },
  { name: 'JSON of something else', body: { error: 'nope' } },
  { name: 'a list', body: [] },
])('$name is named as what it is: not an answer of the API', ({ body }) => {
  expect(errorFromAnswer(502, body, null, NOW)).toMatchObject({ status: 502, code: 'unexpected_answer', issues: [] })
})

test('issues that are not issues are left out', () => {
  const error = errorFromAnswer(400, problem({ issues: [{ path: 'a', message: 'b' }, 'c', { path: 1 }] }), null, NOW)
  expect(error.issues).toEqual([{ path: 'a', message: 'b' }])
})

test.each([
  { header: '7', seconds: 7 },
  { header: '-1', seconds: 0 },
  { header: 'Sun, 01 Mar 2026 12:00:30 GMT', seconds: 30 },
  { header: 'Sun, 01 Mar 2026 11:00:00 GMT', seconds: 0 },
  { header: 'soon', seconds: undefined },
  { header: '', seconds: undefined },
  { header: null, seconds: undefined },
])('Retry-After "$header" means $seconds', ({ header, seconds }) => {
  expect(errorFromAnswer(429, problem({ code: 'rate_limited' }), header, NOW).retryAfterSeconds).toBe(seconds)
})
