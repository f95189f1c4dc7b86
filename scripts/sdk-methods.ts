import type { Endpoint, MultipartField } from '@printwarden/protocol'
import { z } from 'zod'

/**
 * The SDK's methods as TypeScript source: one documented method per endpoint, and the table that says how each travels.
 *
 * @param endpoints every endpoint by its id
 */
export function sdkMethodsSource(endpoints: Readonly<Record<string, Endpoint>>): string {
  const all = Object.values(endpoints)
  return `${HEADER}
/** One method for each endpoint of the REST API. */
export interface Methods {
${all.map(methodOf).join('\n\n')}
}

/** How each method travels. \`query\` names what goes into the address; what is in neither path nor query is the body. */
export const OPERATIONS: { readonly [Id in keyof Methods]: Operation } = {
${all.map(lineOf).join('\n')}
}
`
}

const HEADER = `// Made by "npm run generate" from the endpoints of packages/protocol. Do not edit.
import type { CallOptions, Input, Operation, Output } from './operation.js'
`

function methodOf(endpoint: Endpoint): string {
  const parameters = [inputOf(endpoint), 'options?: CallOptions'].filter((part) => part !== '')
  return `${commentOf(endpoint)}\n  ${endpoint.id}(${parameters.join(', ')}): Promise<Output<'${endpoint.id}'>>`
}

function commentOf(endpoint: Endpoint): string {
  const lines = [
    `${endpoint.summary}.`,
    ...(endpoint.description === undefined ? [] : ['', endpoint.description]),
    '',
    `\`${endpoint.method} ${endpoint.path.replaceAll(/:(\w+)/g, '{$1}')}\` (${ACCESS[endpoint.access]})`,
    '',
    `@throws {ApiError} ${errorsOf(endpoint).join(', ')}`,
    '@throws {NetworkError} when no answer came',
  ]
  return ['  /**', ...lines.map((line) => `   * ${line}`.trimEnd()), '   */'].join('\n')
}

const ACCESS: Record<Endpoint['access'], string> = {
  read: 'scope `read`',
  write: 'scope `write`',
  session: 'a signed-in browser',
  admin: 'scope `write` of an administrator',
  agent: "a printer's `auth_token`",
  anyone: 'no credential needed',
}

function errorsOf(endpoint: Endpoint): string[] {
  const input = endpoint.query !== undefined || endpoint.body !== undefined || endpoint.multipart !== undefined
  const codes = [
    ...(endpoint.access === 'anyone' ? [] : ['unauthorized']),
    ...(endpoint.access === 'anyone' || endpoint.access === 'agent' ? [] : ['insufficient_scope']),
    ...(endpoint.params === undefined ? [] : ['not_found']),
    ...(input ? ['invalid_request'] : []),
    ...(endpoint.errors ?? []),
  ]
  return codes.length === 0 ? ['`internal`'] : codes.map((code) => `\`${code}\``)
}

function inputOf(endpoint: Endpoint): string {
  if (endpoint.multipart !== undefined) return `input: ${multipartOf(endpoint.multipart)}`
  if (endpoint.params === undefined && endpoint.query === undefined && endpoint.body === undefined) return ''
  const isOptional = endpoint.params === undefined && !hasRequired(endpoint.query) && !hasRequired(endpoint.body)
  return `input${isOptional ? '?' : ''}: Input<'${endpoint.id}'>`
}

function multipartOf(fields: readonly MultipartField[]): string {
  const lines = fields.map(
    (field) =>
      `    /** ${capitalised(field.description)}. */\n    ${field.name}${field.required ? '' : '?'}: ${field.kind === 'file' ? 'Blob' : 'string'}`,
  )
  return `{\n${lines.join('\n')}\n  }`
}

function lineOf(endpoint: Endpoint): string {
  const query = endpoint.query === undefined ? [] : Object.keys(objectSchema(endpoint.query).properties ?? {})
  const fields = [
    `method: '${endpoint.method}'`,
    `path: '${endpoint.path.replaceAll(/:(\w+)/g, '{$1}')}'`,
    `query: [${query.map((name) => `'${name}'`).join(', ')}]`,
    `body: ${bodyKind(endpoint)}`,
    `takesInput: ${inputOf(endpoint) !== ''}`,
  ]
  return `  ${endpoint.id}: { ${fields.join(', ')} },`
}

function bodyKind(endpoint: Endpoint): string {
  if (endpoint.multipart !== undefined) return "'multipart'"
  return endpoint.body === undefined ? 'undefined' : "'json'"
}

function hasRequired(schema: z.ZodType | undefined): boolean {
  return schema !== undefined && (objectSchema(schema).required ?? []).length > 0
}

interface ObjectSchema {
  $ref?: string
  $defs?: Record<string, ObjectSchema>
  properties?: Record<string, unknown>
  required?: string[]
}

/** What the client sends, so the input side of the schema. A named schema is a reference to its own definition. */
function objectSchema(schema: z.ZodType): ObjectSchema {
  const json: ObjectSchema = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as ObjectSchema
  const name = json.$ref?.split('/').at(-1)
  return (name === undefined ? undefined : json.$defs?.[name]) ?? json
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
