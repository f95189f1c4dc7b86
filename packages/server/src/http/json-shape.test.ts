import { expect, test } from 'vitest'
import { jsonShapeOf } from './json-shape.js'

test.each([
  { name: 'a value alone', text: '7', shape: { values: 1, depth: 0 } },
  { name: 'a list', text: '[1,2,3]', shape: { values: 4, depth: 1 } },
  { name: 'an empty list counts', text: '[[],[]]', shape: { values: 5, depth: 2 } },
  { name: 'an object', text: '{"a":1,"b":{"c":null}}', shape: { values: 4, depth: 2 } },
  { name: 'what stands in a text is no value', text: '["[[{{,,,"]', shape: { values: 2, depth: 1 } },
  { name: 'a quote in a text does not end it', text: String.raw`["\"[,\\",1]`, shape: { values: 3, depth: 1 } },
  { name: 'a text that does not end', text: '["[,,', shape: { values: 2, depth: 1 } },
  { name: 'an escape at the end', text: '"\\', shape: { values: 1, depth: 0 } },
  { name: 'more ends than beginnings', text: ']]][', shape: { values: 2, depth: 0 } },
])('$name: $text', ({ text, shape }) => {
  expect(jsonShapeOf(Buffer.from(text))).toEqual(shape)
})
