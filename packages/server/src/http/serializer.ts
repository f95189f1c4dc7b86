import fastJson, { type Schema } from 'fast-json-stringify'
import { z } from 'zod'
import { isObject, type Json } from './openapi-components.js'

/** Makes the JSON text of an answer. */
export type Serialize = (answer: unknown) => string

/**
 * How answers of this schema become text: only what the schema names goes out, and what it requires must be there. That each field is of its
 * type is for the compiler and the tests to see. Compiled once, since checking each answer field by field costs more than all else that
 * is done for it; a schema that is more than plain objects, lists and values is checked all the same. Compiled with the first answer: most
 * operations are never called, and all of them together would be a fifth of the server's start.
 */
export function serializerOf(schema: z.ZodType): Serialize {
  let serialize: Serialize | undefined
  return (answer) => {
    serialize ??= compiledSerializer(schema)
    return serialize(answer)
  }
}

function compiledSerializer(schema: z.ZodType): Serialize {
  const plain = plainSchemaOf(schema)
  if (plain === undefined) return checkedSerializer(schema)
  const stringify = fastJson(plain)
  return (answer) => stringify(answer)
}

/** The same by checking: slower, and says what is wrong with an answer that is a defect. */
export function checkedSerializer(schema: z.ZodType): Serialize {
  return (answer) => JSON.stringify(schema.parse(answer))
}

/** The schema in the words that the compiler knows; undefined when it says more than these can. */
function plainSchemaOf(schema: z.ZodType): Schema | undefined {
  try {
    const { definitions, ...json } = z.toJSONSchema(schema, { io: 'output', target: 'draft-7', reused: 'inline' })
    const plain: unknown = plainNode(json, isObject(definitions) ? definitions : {})
    return plain as Schema
  } catch {
    // Also what has no JSON Schema at all, such as a transformed value.
    return undefined
  }
}

function plainNode(node: unknown, definitions: Json): Json {
  if (!isObject(node)) throw new TypeError('not a schema')
  if (typeof node['$ref'] === 'string') return plainNode(definitions[nameOf(node['$ref'])], definitions)
  if (Array.isArray(node['anyOf'])) return nullableNode(node['anyOf'], definitions)
  if (Array.isArray(node['type'])) {
    return nullableNode(
      node['type'].map((type: unknown) => ({ type })),
      definitions,
    )
  }
  switch (node['type']) {
    case 'string':
    case 'boolean':
    case 'null':
      return { type: node['type'] }
    case 'number':
    // As a number: the compiler's whole numbers would be cut silently.
    case 'integer':
      return { type: 'number' }
    case 'array':
      return { type: 'array', items: plainNode(node['items'], definitions) }
    case 'object':
      return objectNode(node, definitions)
    default:
      throw new TypeError('neither a value, a list nor an object')
  }
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1)
}

function nullableNode(either: readonly unknown[], definitions: Json): Json {
  const [one, other] = either
  const isNullable = either.length === 2 && isObject(other) && other['type'] === 'null'
  if (!isNullable) throw new TypeError('several forms')
  return { ...plainNode(one, definitions), nullable: true }
}

function objectNode(node: Json, definitions: Json): Json {
  const { properties = {}, required = [], additionalProperties, propertyNames } = node
  if (propertyNames !== undefined || !isObject(properties)) throw new TypeError('an object with keys of its own')
  if (isObject(additionalProperties) && Object.keys(additionalProperties).length > 0) {
    throw new TypeError('an object with values of one kind')
  }
  const fields = Object.entries(properties).map(([key, field]) => [key, plainNode(field, definitions)])
  const keepsOthers = isObject(additionalProperties) || additionalProperties === true
  return {
    type: 'object',
    properties: Object.fromEntries(fields),
    required,
    ...(keepsOthers ? { additionalProperties: true } : {}),
  }
}
