import type { Endpoint } from '@printwarden/protocol'
import { z } from 'zod'

// Samples of what an endpoint answers or takes, from its own data.

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const TEXTS: Readonly<Record<string, string>> = {
  'date-time': '2026-03-14T09:26:53.000Z',
  date: '2026-03-14',
  uuid: '5b0c2f0e-7a34-4c9e-9d55-0f1f6f2a9b11',
  uri: 'https://farm.example/',
  email: 'user@farm.example',
}

/** A body that the endpoint may answer: the example of its data, else one that is made from its schema. */
export function sampleAnswer({ example, output }: Endpoint): unknown {
  if (output === undefined) return undefined
  return example?.output ?? sampleOf(output, 'output')
}

/** A value that fits a schema. */
export function sampleOf(schema: z.ZodType, io: 'input' | 'output'): unknown {
  const json: unknown = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' })
  return valueOf(json, isObject(json) && isObject(json['$defs']) ? json['$defs'] : {})
}

function valueOf(schema: unknown, defs: Json): unknown {
  if (!isObject(schema)) return {}
  if (typeof schema['$ref'] === 'string') return valueOf(defs[schema['$ref'].replace('#/$defs/', '')], defs)
  if ('const' in schema) return schema['const']
  if ('default' in schema) return schema['default']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  const choices = ['anyOf', 'oneOf'].flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []))
  if (choices.length > 0) return valueOf(choices[0], defs)
  if (Array.isArray(schema['allOf'])) return valueOf(schema['allOf'][0], defs)
  const { type } = schema
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return objectOf(schema, defs)
    case 'array':
      return listOf(schema, defs)
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'string':
      return textOf(schema)
    default:
      return null
  }
}

/** What is required, and nothing else. */
function objectOf({ properties, required }: Json, defs: Json): Json {
  const wanted: readonly unknown[] = Array.isArray(required) ? required : []
  const entries = Object.entries(isObject(properties) ? properties : {})
  const filled = entries.filter(([name]) => wanted.includes(name)).map(([name, inner]) => [name, valueOf(inner, defs)])
  return Object.fromEntries(filled)
}

function listOf({ prefixItems, items, minItems }: Json, defs: Json): unknown[] {
  if (Array.isArray(prefixItems)) return prefixItems.map((item) => valueOf(item, defs))
  const length = typeof minItems === 'number' ? minItems : 0
  return Array.from({ length }, () => valueOf(items, defs))
}

function numberOf({ minimum, exclusiveMinimum, maximum }: Json): number {
  if (typeof minimum === 'number' && minimum > 0) return minimum
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1
  return typeof maximum === 'number' && maximum < 1 ? maximum : 1
}

function textOf({ format, minLength }: Json): string {
  const text = typeof format === 'string' ? (TEXTS[format] ?? 'text') : 'text'
  return typeof minLength === 'number' ? text.padEnd(minLength, 't') : text
}
