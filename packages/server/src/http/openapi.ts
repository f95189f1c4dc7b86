import type { Access, ApiErrorCode, Endpoint, MultipartField } from '@printwarden/protocol'
import { API_ERRORS, ProblemDetails } from '@printwarden/protocol'
import { z } from 'zod'

type Json = Record<string, unknown>

const DESCRIPTION = `Watches 3D printers: state, prints, failure detection, remote control.

Authenticate with \`Authorization: Bearer <token>\` or \`X-API-KEY: <token>\`. \`GET\` needs the scope \`read\`, everything else \`write\`. Errors are
problem details (RFC 9457) with a stable \`code\`. Paths work with and without the slash at the end. Live updates come by websocket at
\`/ws/live/\`.`

/** The OpenAPI 3.1 document of these endpoints. */
export function openApiDocument(endpoints: Readonly<Record<string, Endpoint>>, version: string): Json {
  const components = new Components()
  const paths: Record<string, Json> = {}
  for (const endpoint of Object.values(endpoints)) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint, components) }
  }
  components.refer(ProblemDetails, 'output')
  return {
    openapi: '3.1.0',
    info: { title: 'Printwarden', version, description: DESCRIPTION, license: { name: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An access token of a user.' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'The same access token.' },
        session: { type: 'apiKey', in: 'cookie', name: 'printwarden_session', description: 'A signed-in browser.' },
        agent: { type: 'http', scheme: 'bearer', description: "A printer's auth_token." },
      },
    },
  }
}

/** Named schemas, each once: those with an id of their own become components that the operations refer to. */
class Components {
  readonly schemas: Record<string, unknown> = {}

  /** The schema as it stands in an operation: a reference when it has a name, else written out. */
  refer(schema: z.ZodType, io: 'input' | 'output'): unknown {
    const {
      $schema: _,
      $defs,
      ...json
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      reused: 'inline',
      // Answers may gain fields, so a reader must not refuse what it does not know.
      override: ({ jsonSchema }) => {
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      },
    })
    for (const [name, definition] of Object.entries($defs ?? {})) this.#keep(name, definition)
    const name = schema.meta()?.id
    if (name === undefined) return rewriteRefs(json)
    this.#keep(name, json)
    return { $ref: `#/components/schemas/${name}` }
  }

  #keep(name: string, definition: unknown): void {
    this.schemas[name] ??= rewriteRefs(definition)
  }
}

/** References into the schema's own definitions, as references to components. */
function rewriteRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewriteRefs)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => key !== 'id' || typeof Reflect.get(value, 'id') !== 'string')
  return Object.fromEntries(
    entries.map(([key, child]) => [
      key,
      key === '$ref' && typeof child === 'string'
        ? child.replace('#/$defs/', '#/components/schemas/')
        : rewriteRefs(child),
    ]),
  )
}

function operationOf(endpoint: Endpoint, components: Components): Json {
  const parameters = [
    ...parametersOf(endpoint.params, 'path', components),
    ...parametersOf(endpoint.query, 'query', components),
  ]
  const requestBody = bodyOf(endpoint, components)
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    security: SECURITY[endpoint.access],
    'x-access': endpoint.access,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: { ...successesOf(endpoint, components), ...errorsOf(endpoint) },
  }
}

const USER = (scopes: string[]): Json[] => [{ bearer: scopes }, { apiKey: scopes }, { session: [] }]

const SECURITY: Record<Access, Json[]> = {
  read: USER(['read']),
  write: USER(['write']),
  admin: USER(['write']),
  session: [{ session: [] }],
  agent: [{ agent: [] }],
  read_or_agent: [...USER(['read']), { agent: [] }],
  anyone: [],
}

function parametersOf(schema: z.ZodType | undefined, where: 'path' | 'query', components: Components): Json[] {
  if (schema === undefined) return []
  const json = components.refer(schema, 'input')
  if (typeof json !== 'object' || json === null || !('properties' in json)) return []
  const required: unknown = 'required' in json ? json.required : []
  return Object.entries(json.properties ?? {}).map(([name, property]) => ({
    name,
    in: where,
    required: where === 'path' || (Array.isArray(required) && required.includes(name)),
    schema: where === 'path' && name === 'id' ? { type: 'integer', minimum: 1 } : property,
  }))
}

function bodyOf(endpoint: Endpoint, components: Components): Json | undefined {
  const { body, multipart } = endpoint
  if (body === undefined && multipart === undefined) return undefined
  return {
    required: true,
    content: {
      ...(multipart && { 'multipart/form-data': { schema: formSchema(multipart) } }),
      ...(body && { 'application/json': { schema: components.refer(body, 'input') } }),
    },
  }
}

function formSchema(fields: readonly MultipartField[]): Json {
  const typeOf = (kind: MultipartField['kind']): Json =>
    kind === 'file' ? { type: 'string', format: 'binary' } : { type: 'string' }
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(({ name, kind, description }) => [name, { ...typeOf(kind), description }]),
    ),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** The answers of success, by status. */
function successesOf(endpoint: Endpoint, components: Components): Json {
  const { status = 200, otherStatus } = endpoint
  const success = successOf(endpoint, components)
  return {
    [String(status)]: success,
    ...(otherStatus === undefined ? {} : { [String(otherStatus)]: { ...success, description: otherStatus === 201 ? 'made' : 'still under way' } }),
  }
}

function successOf({ output }: Endpoint, components: Components): Json {
  if (output === undefined) return { description: 'done; the body is empty' }
  return { description: 'done', content: { 'application/json': { schema: components.refer(output, 'output') } } }
}

/** What can go wrong, by status: what the endpoint names, and what follows from its access, parameters and body. */
function errorsOf(endpoint: Endpoint): Json {
  const byStatus = new Map<number, ApiErrorCode[]>()
  for (const code of errorCodesOf(endpoint)) {
    const { status } = API_ERRORS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const entries = [...byStatus].sort(([a], [b]) => a - b)
  return {
    ...Object.fromEntries(entries.map(([status, codes]) => [String(status), problemResponse(codes)])),
    default: { ...problemResponse([]), description: 'anything else that can go wrong with any request' },
  }
}

function errorCodesOf(endpoint: Endpoint): Set<ApiErrorCode> {
  const codes = new Set<ApiErrorCode>(endpoint.errors)
  if (endpoint.access !== 'anyone') codes.add('unauthorized')
  if (endpoint.access !== 'anyone' && endpoint.access !== 'agent') {
    for (const code of ['token_expired', 'token_revoked', 'insufficient_scope'] as const) codes.add(code)
  }
  if (endpoint.params !== undefined) codes.add('not_found')
  if (endpoint.query !== undefined) codes.add('invalid_request')
  if (endpoint.body !== undefined || endpoint.multipart !== undefined) {
    for (const code of ['invalid_request', 'unsupported_media_type', 'too_large'] as const) codes.add(code)
  }
  if (endpoint.body !== undefined) codes.add('malformed_json')
  return codes
}

function problemResponse(codes: readonly ApiErrorCode[]): Json {
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/ProblemDetails' } } },
  }
}
