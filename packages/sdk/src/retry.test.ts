import { expect, test } from 'vitest'
import { ApiError, NetworkError } from './errors.js'
import { nextTryIn, retryPolicy } from './retry.js'

const POLICY = retryPolicy()
const answer = (status: number, code: string, retryAfterSeconds?: number): ApiError =>
  new ApiError({ status, code, title: '', detail: '', retryAfterSeconds })
const NOTHING = new NetworkError('gone')

test.each([
  { name: '429 of the API, whatever the method', method: 'POST', error: answer(429, 'rate_limited'), again: true },
  { name: '429 of something in between', method: 'POST', error: answer(429, 'unexpected_answer'), again: false },
  { name: 'the same, for reading', method: 'GET', error: answer(429, 'unexpected_answer'), again: true },
  { name: '503 for reading', method: 'GET', error: answer(503, 'unavailable'), again: true },
  { name: '503 for deleting', method: 'DELETE', error: answer(503, 'unavailable'), again: true },
  { name: '503 for changing a part', method: 'PATCH', error: answer(503, 'unavailable'), again: false },
  { name: '503 for adding', method: 'POST', error: answer(503, 'unavailable'), again: false },
  { name: '503 that will stay', method: 'GET', error: answer(503, 'assistant_not_configured'), again: false },
  { name: 'no answer to reading', method: 'GET', error: NOTHING, again: true },
  { name: 'no answer to deleting: it may be done', method: 'DELETE', error: NOTHING, again: false },
  { name: 'no answer to adding', method: 'POST', error: NOTHING, again: false },
  { name: 'not found', method: 'GET', error: answer(404, 'not_found'), again: false },
  { name: 'a defect of the server', method: 'GET', error: answer(500, 'internal'), again: false },
  { name: 'a mistake of ours', method: 'GET', error: new TypeError('x'), again: false },
])('$name', ({ method, error, again }) => {
  expect(nextTryIn(POLICY, 1, method, error, 0.5) !== undefined).toBe(again)
})

test.each([
  { name: 'without a word it takes longer each time', attempt: 1, error: NOTHING, random: 0, delay: 250 },
  { name: 'the second time', attempt: 2, error: NOTHING, random: 0, delay: 500 },
  { name: 'spread over the upper half', attempt: 2, error: NOTHING, random: 0.999, delay: 1000 },
  { name: 'as long as was asked', attempt: 1, error: answer(503, 'unavailable', 3), random: 0, delay: 3000 },
  {
    name: 'and a little more, so that not all come at once',
    attempt: 1,
    error: answer(503, 'unavailable', 3),
    random: 0.5,
    delay: 3250,
  },
  {
    name: 'longer than anybody wants to wait',
    attempt: 1,
    error: answer(503, 'unavailable', 60),
    random: 0,
    delay: undefined,
  },
  { name: 'after the last try', attempt: 3, error: NOTHING, random: 0, delay: undefined },
])('$name', ({ attempt, error, random, delay }) => {
  expect(nextTryIn(POLICY, attempt, 'GET', error, random)).toBe(delay)
})

test('options of a call go before those of the client', () => {
  expect(retryPolicy({ attempts: 5, longestDelayMs: 1 }, { attempts: 2 })).toEqual({ attempts: 2, longestDelayMs: 1 })
  expect(retryPolicy({ attempts: 5 }, false)).toMatchObject({ attempts: 1 })
})
