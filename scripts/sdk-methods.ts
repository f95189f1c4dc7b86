import type { Endpoint, MultipartField } from '@printwarden/protocol'
import { z } from 'zod'

/**
 * The SDK's methods as TypeScript source: one documented method per endpoint, the table that says how each travels, and an iterator
 * for each endpoint that answers in pages.
 *
 * @param endpoints every endpoint by its id
 */
export function sdkMethodsSource(endpoints: Readonly<Record<string, Endpoint>>): string {
  const all = Object.values(endpoints)
  const paged = all.filter((endpoint) => pagingOf(endpoint) !== undefined)
  return `${HEADER}
/** One method for each endpoint of the REST API. */
export interface Methods {
${all.map(methodOf).join('\n\n')}
}

/** How each method travels. \`query\` names what goes into the address; what is in neither path nor query is the body. */
export const OPERATIONS: { readonly [Id in keyof Methods]: Operation } = {
${all.map(lineOf).join('\n')}
}

/** One iterator for each endpoint that answers in pages. */
export interface Iterators {
${paged.map(iteratorOf).join('\n\n')}
}

/** Which operation each iterator asks for its pages, and the parameter that tells a page from the next. */
export const ITERATORS: { readonly [Name in keyof Iterators]: Paging } = {
${paged.map((endpoint) => `  ${iteratorName(endpoint)}: { list: '${endpoint.id}', by: '${pagingOf(endpoint)}' },`).join('\n')}
}
`
}

const HEADER = `// Made by "npm run generate" from the endpoints of packages/protocol. Do not edit.
import type { UploadFile } from './multipart.js'
import type { CallOptions, Input, Operation, Output, Parameters, UploadOptions } from './operation.js'
import type { Item, Paging } from './paging.js'
`

function methodOf(endpoint: Endpoint): string {
  const options = endpoint.multipart === undefined ? 'CallOptions' : 'UploadOptions'
  const parameters = [inputOf(endpoint), `options?: ${options}`].filter((part) => part !== '')
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
  return ['  /**', ...lines.flatMap(commentLines), '   */'].join('\n')
}

/** A description may have several lines, and must not end the comment it stands in. */
const commentLines = (text: string): string[] =>
  text.split('\n').map((line) => `   * ${line.replaceAll('*/', '*\\/')}`.trimEnd())

const ACCESS: Record<Endpoint['access'], string> = {
  read: 'scope `read`',
  write: 'scope `write`',
  session: 'a signed-in browser',
  admin: 'scope `write` of an administrator',
  agent: "a printer's `auth_token`",
  read_or_agent: "scope `read`, or a printer's `auth_token`",
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
  if (endpoint.multipart !== undefined) {
    const hasMore = endpoint.params !== undefined || endpoint.query !== undefined
    return `input: ${hasMore ? `Parameters<'${endpoint.id}'> & ` : ''}${multipartOf(endpoint.multipart)}`
  }
  if (endpoint.params === undefined && endpoint.query === undefined && endpoint.body === undefined) return ''
  const isOptional = endpoint.params === undefined && !hasRequired(endpoint.query) && !hasRequired(endpoint.body)
  return `input${isOptional ? '?' : ''}: Input<'${endpoint.id}'>`
}

function multipartOf(fields: readonly MultipartField[]): string {
  const lines = fields.map((field) =>
    fieldOf(field.name, field.required, typeOf(field), `${capitalised(field.description)}.`),
  )
  return `{\n${[...lines, ...filenameOf(fields)].join('\n')}\n  }`
}

const typeOf = ({ kind }: MultipartField): string => (kind === 'file' ? 'UploadFile' : 'string | number | boolean')

const fieldOf = (name: string, isRequired: boolean, type: string, comment: string): string =>
  `    /** ${comment} */\n    ${name}${isRequired ? '' : '?'}: ${type}`

/** What to call a file that has no name of its own, where the endpoint has no field for it. */
function filenameOf(fields: readonly MultipartField[]): string[] {
  const files = fields.filter(({ kind }) => kind === 'file')
  if (files.length !== 1 || fields.some(({ name }) => name === 'filename')) return []
  return [fieldOf('filename', false, 'string', 'The name of the file; that of a `File` unless given.')]
}

function lineOf(endpoint: Endpoint): string {
  const query = queryNames(endpoint)
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
  if (endpoint.multipart !== undefined) {
    const named = (kind: MultipartField['kind']): string =>
      (endpoint.multipart ?? []).flatMap((field) => (field.kind === kind ? [`'${field.name}'`] : [])).join(', ')
    return `{ files: [${named('file')}], texts: [${named('text')}] }`
  }
  return endpoint.body === undefined ? 'undefined' : "'json'"
}

const queryNames = ({ query }: Endpoint): string[] =>
  query === undefined ? [] : Object.keys(objectSchema(query).properties ?? {})

/** The parameter that tells one page from the next, for an endpoint that answers in pages. */
function pagingOf(endpoint: Endpoint): 'page' | 'start' | undefined {
  if (endpoint.method !== 'GET' || !(endpoint.output instanceof z.ZodArray)) return undefined
  const names = queryNames(endpoint)
  if (names.includes('page') && names.includes('page_size')) return 'page'
  return names.includes('start') && names.includes('limit') ? 'start' : undefined
}

const iteratorName = ({ id }: Endpoint): string =>
  id.startsWith('list') ? id.replace('list', 'all') : `all${capitalised(id)}`

function iteratorOf(endpoint: Endpoint): string {
  const by = pagingOf(endpoint)
  const isOptional = endpoint.params === undefined && !hasRequired(endpoint.query)
  const size = by === 'page' ? 'page_size' : 'limit'
  const lines = [
    `Every item of {@link Methods.${endpoint.id}}, asked for page by page as they are used.`,
    '',
    `\`${size}\` is the size of one page, not of the whole. The options hold for each page by itself.`,
  ]
  const comment = ['  /**', ...lines.map((line) => `   * ${line}`.trimEnd()), '   */'].join('\n')
  const input = `input${isOptional ? '?' : ''}: Omit<Input<'${endpoint.id}'>, '${by}'>`
  return `${comment}\n  ${iteratorName(endpoint)}(${input}, options?: CallOptions): AsyncGenerator<Item<'${endpoint.id}'>, void, undefined>`
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
