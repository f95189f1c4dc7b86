import { APICallError } from 'ai'
import { expect, test } from 'vitest'
import { refusesTools } from './model-openai-tool-refusal.js'

const answer = (statusCode: number, responseBody: string): APICallError =>
  new APICallError({
    message: 'Bad Request',
    url: 'http://model.test',
    requestBodyValues: {},
    statusCode,
    responseBody,
  })

const openAi = (message: string): string => JSON.stringify({ error: { message, type: 'invalid_request_error' } })

test.each([
  { status: 400, says: 'registry.ollama.ai/library/small:2b does not support tools' },
  { status: 400, says: "small doesn't support tool calling" },
  { status: 404, says: 'No endpoints found that support tool use. Try another model.' },
  { status: 400, says: '`tool calling` is not supported with this model' },
  { status: 400, says: 'Function calling is not enabled for models/small' },
  { status: 400, says: "Unsupported parameter: 'tools' is not supported with this model." },
  { status: 400, says: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set' },
  { status: 400, says: 'Unrecognized request argument supplied: tools' },
  { status: 501, says: 'Tools are not supported.' },
  { status: 500, says: 'tools param requires --jinja flag' },
  { status: 500, says: 'Unsupported param: tools' },
])('$status "$says" is a refusal of tools', ({ status, says }) => {
  expect(refusesTools(answer(status, openAi(says)))).toBe(true)
})

test.each([
  { name: 'a bare error', body: JSON.stringify({ error: 'small does not support tools' }) },
  { name: 'a bare message', body: JSON.stringify({ object: 'error', message: 'small does not support tools' }) },
  { name: 'a text', body: 'small does not support tools' },
  {
    name: 'what a form does not know',
    body: JSON.stringify({ detail: [{ loc: ['body', 'tools'], msg: 'Extra inputs are not permitted', input: [] }] }),
  },
])('it is read in $name', ({ body }) => {
  expect(refusesTools(answer(422, body))).toBe(true)
})

test.each([
  { name: 'the word alone', status: 400, body: openAi('Input too long: "Which tools do I need? PLA is not allowed."') },
  { name: 'an id of a call', status: 400, body: openAi('Tool call id was call_0 but must have a length of 9.') },
  { name: 'a tool that the model made up', status: 400, body: openAi('tool call validation failed: no tool move') },
  { name: 'any failure', status: 500, body: openAi('small does not support tools') },
  { name: 'a wrong key', status: 401, body: openAi('this key does not support tools') },
  {
    name: 'what was asked, sent back beside the error',
    status: 422,
    body: JSON.stringify({
      detail: [{ loc: ['body', 'messages'], msg: 'Too long', input: 'It does not support tools.' }],
    }),
  },
  {
    name: 'what was asked, sent back at length',
    status: 400,
    body: openAi(`Too long: ${'a'.repeat(300)} it does not support tools`),
  },
  { name: 'nothing', status: 400, body: '' },
])('$name is none', ({ status, body }) => {
  expect(refusesTools(answer(status, body))).toBe(false)
})
