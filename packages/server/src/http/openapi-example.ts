import { SAMPLES } from './openapi-samples.js'

// Examples of the documentation, made from JSON schemas: a value that reads well for each known name, else any that fits.

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const PREFIX = '#/components/schemas/'

/** A value that fits `schema`. `schemas` are the components that it refers to; `name` is the field it stands in. */
export function exampleOf(schema: unknown, schemas: Json, name = '', owner = ''): unknown {
  if (!isObject(schema)) return {}
  const sample = SAMPLES[`${owner}.${name}`] ?? SAMPLES[name]
  if (sample !== undefined && admits(schema, sample.value, schemas)) return sample.value
  // In a form a number is a text.
  if (typeof sample?.value === 'number' && schema['type'] === 'string' && !('enum' in schema))
    return String(sample.value)
  if (typeof schema['$ref'] === 'string') {
    const component = schema['$ref'].slice(PREFIX.length)
    const whole = SAMPLES[component]
    return whole === undefined ? exampleOf(schemas[component], schemas, name, component) : whole.value
  }
  if ('const' in schema) return schema['const']
  if ('default' in schema) return schema['default']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  const [choice] = choicesOf(schema)
  if (choice !== undefined) return exampleOf(choice, schemas, name, owner)
  return exampleOfType(schema, schemas, name, owner)
}

const choicesOf = (schema: Json): unknown[] =>
  ['anyOf', 'oneOf', 'allOf'].flatMap((key) => (Array.isArray(schema[key]) ? schema[key] : []))

function exampleOfType(schema: Json, schemas: Json, name: string, owner: string): unknown {
  switch (typeOf(schema)) {
    case 'object':
      return exampleObject(schema, schemas, owner)
    case 'array':
      return exampleArray(schema, schemas, name, owner)
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return exampleNumber(schema)
    case 'null':
      return null
    case 'string':
      return exampleText(schema)
    default:
      return {}
  }
}

function exampleObject(schema: Json, schemas: Json, owner: string): Json {
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : []
  return Object.fromEntries(properties.map(([name, inner]) => [name, exampleOf(inner, schemas, name, owner)]))
}

function exampleArray(schema: Json, schemas: Json, name: string, owner: string): unknown[] {
  if (Array.isArray(schema['prefixItems']))
    return schema['prefixItems'].map((item) => exampleOf(item, schemas, name, owner))
  const singular = name.replace(/s?(\[\])?$/, '')
  return [exampleOf(schema['items'], schemas, singular, owner)]
}

function exampleNumber({ minimum, exclusiveMinimum, maximum }: Json): number {
  if (typeof minimum === 'number' && minimum > 0) return minimum
  if (typeof exclusiveMinimum === 'number' && exclusiveMinimum >= 0) return exclusiveMinimum + 1
  return typeof maximum === 'number' && maximum < 1 ? maximum : 1
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-03-14T09:26:53.000Z',
  date: '2026-03-14',
  uuid: '5b0c2f0e-7a34-4c9e-9d55-0f1f6f2a9b11',
  uri: 'https://farm.example/',
  email: 'user@farm.example',
  binary: '<bytes>',
}

function exampleText({ format, minLength }: Json): string {
  const text = typeof format === 'string' ? (BY_FORMAT[format] ?? 'text') : 'text'
  return typeof minLength === 'number' ? text.padEnd(minLength, 't') : text
}

function typeOf(schema: Json): unknown {
  const { type } = schema
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type
}

/** Whether a sample may stand here at all: the same name may mean a text in one place and a number in another. */
function admits(schema: Json, value: unknown, schemas: Json): boolean {
  if (typeof schema['$ref'] === 'string') {
    const target = schemas[schema['$ref'].slice(PREFIX.length)]
    return isObject(target) && admits(target, value, schemas)
  }
  if ('const' in schema) return schema['const'] === value
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(value)
  const choices = choicesOf(schema)
  if (choices.length > 0) return choices.some((choice) => isObject(choice) && admits(choice, value, schemas))
  const types: readonly unknown[] = [schema['type']].flat()
  return types.some((type) => isOfType(type, value))
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}
