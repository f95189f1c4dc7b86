import { ApiError } from '@printwarden/sdk'
import { expect, test } from 'vitest'
import { codeOf, codeProblem, isWholeCode } from './link-words.js'

test.each([
  ['123 456', '123456', true],
  ['123-456', '123456', true],
  [' 012345\n', '012345', true],
  ['12a45', '1245', false],
  ['1234567', '123456', true],
  ['', '', false],
])('%j is the code %j', (typed, code, isWhole) => {
  expect(codeOf(typed)).toBe(code)
  expect(isWholeCode(code)).toBe(isWhole)
})

test.each([
  [404, /No agent shows this code/],
  [429, /Wait a minute/],
])('an answer %d is explained', (status, words) => {
  const problem = { status, code: 'x', title: 'x', detail: 'x' }
  expect(codeProblem(Object.assign(Object.create(ApiError.prototype) as ApiError, problem))).toMatch(words)
})

test('what is no answer of the server is left to others', () => {
  expect(codeProblem(new Error('x'))).toBeUndefined()
})
