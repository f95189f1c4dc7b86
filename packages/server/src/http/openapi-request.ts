import type { Endpoint, MultipartField } from '@printwarden/protocol'
import { readableTypes } from './content-type.js'
import { type Components, isObject, type Json } from './openapi-components.js'
import { exampleOf } from './openapi-example.js'
import { PARAMETERS } from './openapi-parameters.js'

/** The parameters of an endpoint: those of its path, then those of its query. */
export function parametersOf({ params, query, example }: Endpoint, components: Components): Json[] {
  return [
    ...parametersIn('path', params, components, undefined),
    ...parametersIn('query', query, components, example?.query),
  ]
}

function parametersIn(
  where: 'path' | 'query',
  schema: Endpoint['params'],
  components: Components,
  examples: Readonly<Record<string, unknown>> | undefined,
): Json[] {
  const json = schema === undefined ? undefined : components.refer(schema, 'input')
  if (!isObject(json) || !isObject(json['properties'])) return []
  const required = Array.isArray(json['required']) ? json['required'] : []
  return Object.entries(json['properties']).map(([name, property]) => {
    const { description, ...own } = isObject(property) ? property : {}
    const text = typeof description === 'string' ? description : PARAMETERS[name]
    const described = where === 'path' && name === 'id' ? { type: 'integer', minimum: 1 } : own
    return {
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(text === undefined ? {} : { description: text }),
      schema: described,
      example: examples?.[name] ?? exampleOf(described, components.schemas, name),
    }
  })
}

/** The body of a request, in every content type that is read. */
export function bodyOf(endpoint: Endpoint, components: Components): Json | undefined {
  const { body, multipart, example } = endpoint
  if (body === undefined && multipart === undefined) return undefined
  const content: Json = {}
  for (const type of readableTypes(endpoint)) {
    if (endpoint.rawTypes?.includes(type) === true) {
      content[type] = { schema: { type: 'string', format: 'binary' } }
      continue
    }
    const schema =
      type === 'application/json'
        ? body && components.refer(body, 'input')
        : formSchema(multipart ?? [], type, components)
    if (schema === undefined) continue
    const isExampled = type === 'application/json' && example?.body !== undefined
    content[type] = { schema, example: isExampled ? example.body : exampleOf(schema, components.schemas) }
  }
  return { required: true, content }
}

function formSchema(fields: readonly MultipartField[], type: string, components: Components): Json {
  // A plain form has no files.
  const sent = fields.filter(({ kind }) => kind === 'text' || type === 'multipart/form-data')
  return {
    type: 'object',
    properties: Object.fromEntries(
      sent.map((field) => [field.name, { ...partSchema(field, components), description: field.description }]),
    ),
    required: sent.filter(({ required }) => required).map(({ name }) => name),
  }
}

function partSchema({ kind, schema }: MultipartField, components: Components): Json {
  if (kind === 'file') return { type: 'string', format: 'binary' }
  const json = schema === undefined ? undefined : components.refer(schema, 'input')
  return isObject(json) ? json : { type: 'string' }
}
