import { expect, test } from 'vitest'
import { slicerErrorText } from './slicer-errors.js'

const problem = (more: object) =>
  JSON.stringify({ status: 400, code: 'invalid_request', title: 'The request is not valid', detail: 'x', ...more })

test.each([
  {
    name: 'the detail is what a person reads',
    body: problem({ detail: 'path: must not be empty', issues: [{ path: 'path', message: 'must not be empty' }] }),
    text: 'path: must not be empty',
  },
  {
    name: 'without a detail of its own, the issues',
    body: problem({
      detail: 'The request is not valid',
      issues: [
        { path: 'a', message: 'is required' },
        { path: 'b', message: 'is wrong' },
      ],
    }),
    text: 'a: is required; b: is wrong',
  },
  {
    name: 'what is missing is the printer, for nothing else is named',
    body: problem({ status: 404, code: 'not_found', title: 'Not found', detail: 'Not found' }),
    text: 'There is no such printer.',
  },
  {
    name: 'a key is called a key',
    body: problem({ status: 401, code: 'unauthorized', title: 'Authentication is required' }),
    text: 'The API key is not known.',
  },
  { name: 'what is no problem stays as it is', body: '{"error":"x"}', text: undefined },
  { name: 'so does what is no JSON', body: '<html>', text: undefined },
])('$name', ({ body, text }) => {
  expect(slicerErrorText(body)).toBe(text)
})
