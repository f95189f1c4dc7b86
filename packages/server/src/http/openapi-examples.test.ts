import { type Endpoint, endpoints } from '@printwarden/protocol'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { openApiDocument } from './openapi.js'
import { isObject } from './openapi-components.js'

// The document as a reader uses it: valid, complete, and with examples that the server itself would take and give.

const all: Readonly<Record<string, Endpoint>> = endpoints
const document = JSON.parse(JSON.stringify(openApiDocument(all, '1.2.3'))) as Record<string, unknown>

/** What stands at a path of names in the document. */
function at(...names: string[]): unknown {
  let value: unknown = document
  for (const name of names) value = isObject(value) ? value[name] : undefined
  return value
}

const operationAt = ({ method, path }: Endpoint, ...names: string[]): unknown =>
  at('paths', path.replaceAll(/:(\w+)/g, '{$1}'), method.toLowerCase(), ...names)

const byId = Object.values(all).map((endpoint) => ({ id: endpoint.id, endpoint }))

test('is valid OpenAPI 3.1, by a validator that is not ours', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(structuredClone(document))
  expect(errors ?? []).toEqual([])
  expect(valid).toBe(true)
  expect(validator.version).toBe('3.1')
})

test.each(byId)('$id: the example of the answer is one', ({ endpoint }) => {
  const { output, status = 200 } = endpoint
  if (output === undefined) return
  const example = operationAt(endpoint, 'responses', String(status), 'content', 'application/json', 'example')
  expect(output.safeParse(example).error?.issues).toBeUndefined()
})

test.each(byId)('$id: the examples of the request are taken', ({ endpoint }) => {
  const body = operationAt(endpoint, 'requestBody', 'content', 'application/json', 'example')
  if (endpoint.body !== undefined) expect(endpoint.body.safeParse(body).error?.issues).toBeUndefined()

  const parameters = operationAt(endpoint, 'parameters') ?? []
  const sent = Array.isArray(parameters) ? parameters.filter(isObject) : []
  for (const where of ['path', 'query'] as const) {
    const values = sent
      .filter((parameter) => parameter['in'] === where)
      .map(({ name, example }) => [name, asText(example)])
    const schema = where === 'path' ? endpoint.params : endpoint.query
    expect(schema?.safeParse(Object.fromEntries(values)).error?.issues).toBeUndefined()
  }
})

const asText = (value: unknown): unknown => (Array.isArray(value) ? value.map(asText) : String(value))

test.each(byId)('$id: says what it does, what it needs and what each parameter means', ({ endpoint }) => {
  const operation = operationAt(endpoint)
  expect(operation).toMatchObject({ summary: endpoint.summary, description: expect.stringContaining('Needs ') })
  const parameters = operationAt(endpoint, 'parameters') ?? []
  for (const parameter of Array.isArray(parameters) ? parameters : []) {
    expect(parameter).toHaveProperty('description')
  }
})

test('a list tells how many there are, and errors what to do next', () => {
  const reference = (name: string) => ({ $ref: `#/components/headers/${name}` })
  const list = at('paths', '/api/v1/prints/', 'get', 'responses', '200', 'headers')
  expect(list).toEqual({ 'X-Total-Count': reference('X-Total-Count'), Link: reference('Link') })
  expect(at('components', 'responses', 'Unauthorized', 'headers')).toEqual({
    'WWW-Authenticate': reference('WWW-Authenticate'),
  })
  expect(at('components', 'responses', 'TooManyRequests', 'headers')).toEqual({
    'Retry-After': reference('Retry-After'),
  })
})
