import { type Endpoint, endpoints } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { openApiDocument } from './openapi.js'

type Json = Record<string, unknown>

const all: Readonly<Record<string, Endpoint>> = endpoints
const document = JSON.parse(JSON.stringify(openApiDocument(all, '1.2.3'))) as {
  openapi: string
  info: { version: string }
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Json>
}

interface Operation {
  operationId: string
  security: Json[]
  parameters?: { name: string; in: string; required: boolean; schema: Json }[]
  requestBody?: { content: Record<string, { schema: Json }> }
  responses: Record<string, Json>
}

const operation = (path: string, method: string): Operation => {
  const found = document.paths[path]?.[method]
  if (found === undefined) throw new Error(`${method} ${path} is not described`)
  return found
}

test('is OpenAPI 3.1 of this version', () => {
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } })
})

test('every endpoint is an operation at its path, with every parameter of the path', () => {
  for (const { id, method, path } of Object.values(all)) {
    const template = path.replaceAll(/:(\w+)/g, '{$1}')
    const described = operation(template, method.toLowerCase())
    expect(described.operationId).toBe(id)
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const inPath = described.parameters?.filter((parameter) => parameter.in === 'path') ?? []
    expect(inPath.map(({ name }) => name)).toEqual(names)
    expect(inPath.every(({ required }) => required)).toBe(true)
  }
})

test('every reference leads to a component', () => {
  const references = JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)
  const targets = new Set([...references].map(([, target]) => target ?? ''))
  expect(targets.size).toBeGreaterThan(10)
  for (const target of targets) {
    const [kind = '', name] = target.replace('#/components/', '').split('/')
    expect(Object.keys(document.components[kind] ?? {})).toContain(name)
  }
})

test('every security requirement names a scheme', () => {
  const names = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ security }) => security.flatMap((requirement) => Object.keys(requirement))),
  )
  for (const name of new Set(names)) expect(document.components['securitySchemes']).toHaveProperty(name)
})

test.each([
  { what: 'a list', path: '/api/v1/printers/', method: 'get', statuses: ['200', '400', '401', '403', '429'] },
  { what: 'one thing', path: '/api/v1/printers/{id}/', method: 'get', statuses: ['200', '401', '403', '404', '429'] },
  {
    what: 'what may be fresh',
    path: '/api/v1/prints/{id}/prediction_json/',
    method: 'get',
    statuses: ['200', '304', '401', '403', '404', '429'],
  },
  {
    what: 'an action',
    path: '/api/v1/printers/{id}/rearm/',
    method: 'post',
    statuses: ['200', '400', '401', '403', '404', '413', '415', '429'],
  },
  {
    what: 'making',
    path: '/api/v1/printers/',
    method: 'post',
    statuses: ['201', '400', '401', '403', '413', '415', '429'],
  },
  {
    what: 'changing',
    path: '/api/v1/printers/{id}/',
    method: 'patch',
    statuses: ['200', '400', '401', '403', '404', '413', '415', '429'],
  },
  {
    what: 'uploading',
    path: '/api/v1/agent/pic/',
    method: 'post',
    statuses: ['200', '400', '401', '413', '415', '429', '507'],
  },
])('$what can answer $statuses', ({ path, method, statuses }) => {
  expect(Object.keys(operation(path, method).responses)).toEqual([...statuses, 'default'])
})

test('scopes stand at the operation', () => {
  expect(operation('/api/v1/printers/', 'get').security).toContainEqual({ bearer: ['read'] })
  expect(operation('/api/v1/printers/', 'post').security).toContainEqual({ apiKey: ['write'] })
  expect(operation('/api/v1/agent/pic/', 'post').security).toEqual([{ agent: [] }])
})

test('texts of a query are described as what they stand for', () => {
  const { parameters } = operation('/api/v1/printer_events/', 'get')
  expect(parameters).toContainEqual({
    name: 'start',
    in: 'query',
    required: false,
    description: 'How many to skip at the beginning.',
    schema: { type: 'integer', minimum: 0, maximum: 999_999_999 },
    example: 0,
  })
})

test('a file is part of a form', () => {
  const { requestBody } = operation('/api/v1/agent/pic/', 'post')
  expect(requestBody?.content['multipart/form-data']?.schema).toMatchObject({
    required: ['pic'],
    properties: { pic: { type: 'string', format: 'binary' } },
  })
})

test('a reader need not refuse fields of a newer server', () => {
  expect(JSON.stringify(document)).not.toContain('"additionalProperties":false')
})
