import { expect, test } from 'vitest'
import { readParameters } from './parameters.js'

test('a plain parameter is read, an empty one counts as absent', () => {
  const parameters = readParameters({ code: 'abc', scope: '' })
  expect(parameters.get('code')).toBe('abc')
  expect(parameters.get('scope')).toBeUndefined()
  expect(parameters.get('state')).toBeUndefined()
  expect(parameters.problem()).toBeUndefined()
})

test.each([
  { name: 'sent twice', source: { code: ['a', 'b'] }, problem: /more than once/ },
  { name: 'sent twice alike', source: { code: ['a', 'a'] }, problem: /more than once/ },
  { name: 'an object', source: { code: { a: 1 } }, problem: /more than once/ },
  { name: 'too long', source: { code: 'x'.repeat(2001) }, problem: /too long/ },
  { name: 'with a line break', source: { code: 'a\r\nSet-Cookie: x' }, problem: /not allowed/ },
  { name: 'with NUL', source: { code: 'a\0' }, problem: /not allowed/ },
  { name: 'beyond ASCII', source: { code: 'ä' }, problem: /not allowed/ },
])('$name: no value, and a problem', ({ source, problem }) => {
  const parameters = readParameters(source)
  expect(parameters.get('code')).toBeUndefined()
  expect(parameters.problem('code')).toMatch(problem)
  expect(parameters.problem('other')).toBeUndefined()
  expect(parameters.problem()).toMatch(problem)
})

test.each([undefined, null, 'text', 7, []])('%s is no form, so nothing is there', (source) => {
  expect(readParameters(source).entries).toEqual([])
})

test('a state may be in any language and longer, but without control characters', () => {
  expect(readParameters({ state: 'grüße' }).get('state')).toBe('grüße')
  expect(readParameters({ state: 'x'.repeat(4000) }).get('state')).toHaveLength(4000)
  expect(readParameters({ state: 'x'.repeat(4001) }).problem('state')).toMatch(/too long/)
  expect(readParameters({ state: 'a\nb' }).problem('state')).toMatch(/not allowed/)
})

test('names of the prototype are ordinary names', () => {
  const parameters = readParameters(JSON.parse('{"__proto__":"x","constructor":"y"}'))
  expect(parameters.get('toString')).toBeUndefined()
  expect(parameters.get('constructor')).toBe('y')
})
