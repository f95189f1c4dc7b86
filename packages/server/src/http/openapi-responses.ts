import type { ApiErrorCode, Endpoint, SuccessHeader } from '@printwarden/protocol'
import { API_ERRORS, isList } from '@printwarden/protocol'
import { type Components, isObject, type Json } from './openapi-components.js'
import { exampleOf } from './openapi-example.js'

/** Headers of answers, by the name that operations refer to. */
export const HEADERS: Readonly<Record<string, Json>> = {
  'X-Total-Count': {
    description: 'How many there are in all, on every page.',
    schema: { type: 'integer', minimum: 0 },
  },
  Link: {
    description: 'The next and the previous page, where there are any (RFC 8288).',
    schema: { type: 'string' },
    example: '<https://farm.example/api/v1/prints/?sorting=date_desc&start=50&limit=50>; rel="next"',
  },
  'Last-Modified': { description: 'Send it back as `If-Modified-Since`.', schema: { type: 'string' } },
  ETag: { description: 'Send it back as `If-None-Match`.', schema: { type: 'string' } },
  'Content-Disposition': { description: 'The name to save the file under (RFC 6266).', schema: { type: 'string' } },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    schema: { type: 'string' },
    example: 'Bearer error="invalid_token"',
  },
  'Retry-After': {
    description: 'Seconds after which another try makes sense.',
    schema: { type: 'integer', minimum: 0 },
  },
}

const NAMES: Readonly<Record<SuccessHeader, string>> = {
  'x-total-count': 'X-Total-Count',
  link: 'Link',
  'last-modified': 'Last-Modified',
  etag: 'ETag',
  'content-disposition': 'Content-Disposition',
}

/** Those that are always there. */
const ALWAYS = new Set(['X-Total-Count', 'WWW-Authenticate', 'Retry-After'])

const headersNamed = (names: readonly string[]): Json =>
  names.length === 0
    ? {}
    : { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) }

/** As components: what is always there is told as such. */
export const headerComponents = (): Json =>
  Object.fromEntries(
    Object.entries(HEADERS).map(([name, header]) => [name, ALWAYS.has(name) ? { ...header, required: true } : header]),
  )

/** Every answer of an endpoint, by status. */
export function responsesOf(endpoint: Endpoint, components: Components): Json {
  return { ...successesOf(endpoint, components), ...errorsOf(endpoint, components) }
}

function successesOf(endpoint: Endpoint, components: Components): Json {
  const { status = 200, otherStatus, headers = [] } = endpoint
  const success = successOf(endpoint, components)
  const isVersioned = headers.includes('last-modified') || headers.includes('etag')
  return {
    [String(status)]: success,
    ...(otherStatus === undefined ? {} : { [String(otherStatus)]: { ...success, description: OTHER[otherStatus] } }),
    ...(isVersioned ? { '304': { description: 'The client has this version already; the body is empty.' } } : {}),
  }
}

const OTHER = { 201: 'It was made.', 202: 'It is still under way.' }

function successOf(endpoint: Endpoint, components: Components): Json {
  const headers = headersNamed(successHeadersOf(endpoint))
  const { output, example } = endpoint
  if (output === undefined) return { description: 'Done; the body is empty.', ...headers }
  const schema = components.refer(output, 'output')
  const value = example?.output ?? exampleOf(schema, components.schemas)
  return {
    description: isObject(schema) && schema['type'] === 'array' ? 'The list.' : 'Done.',
    ...headers,
    content: { 'application/json': { schema, example: value } },
  }
}

function successHeadersOf(endpoint: Endpoint): string[] {
  const query = endpoint.query === undefined ? {} : Reflect.get(endpoint.query, 'shape')
  const isPaged = isObject(query) && ('start' in query || 'page' in query)
  const ofList = isList(endpoint) ? ['X-Total-Count', ...(isPaged ? ['Link'] : [])] : []
  return [...new Set([...ofList, ...(endpoint.headers ?? []).map((name) => NAMES[name])])]
}

/** What can go wrong, by status: what the endpoint names, and what follows from its access, parameters and body. */
function errorsOf(endpoint: Endpoint, components: Components): Json {
  const byStatus = new Map<number, ApiErrorCode[]>()
  for (const code of errorCodesOf(endpoint)) {
    const { status } = API_ERRORS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const entries = [...byStatus].sort(([a], [b]) => a - b)
  const suffix = endpoint.textErrors === true ? 'AsText' : ''
  // It stands for many statuses, of which none has to carry a header.
  const { headers: _, ...unexpected } = problem(['internal', 'unavailable'], endpoint)
  return {
    ...Object.fromEntries(
      entries.map(([status, codes]) => {
        return [
          String(status),
          components.shareResponse(`${RESPONSE_NAMES[status] ?? `Error${status}`}${suffix}`, problem(codes, endpoint)),
        ]
      }),
    ),
    default: components.shareResponse(`Unexpected${suffix}`, unexpected),
  }
}

const RESPONSE_NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  413: 'ContentTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  507: 'InsufficientStorage',
}

/** Every code that an endpoint can answer, in the order of the table. */
export function errorCodesOf(endpoint: Endpoint): ApiErrorCode[] {
  // Whoever asks too often is refused everywhere (docs/limits.md).
  const codes = new Set<ApiErrorCode>([...(endpoint.errors ?? []), 'rate_limited'])
  const add = (...more: ApiErrorCode[]): void => more.forEach((code) => codes.add(code))
  if (endpoint.access !== 'anyone') add('unauthorized')
  if (endpoint.access !== 'anyone' && endpoint.access !== 'agent') {
    add('token_expired', 'token_revoked', 'insufficient_scope')
  }
  if (endpoint.params !== undefined) add('not_found')
  if (endpoint.query !== undefined || endpoint.body !== undefined || endpoint.multipart !== undefined) {
    add('invalid_request')
  }
  // A body that nobody needs is read all the same, so it can be wrong.
  if (endpoint.method !== 'GET') add('unsupported_media_type', 'too_large')
  if (endpoint.method !== 'GET' && (endpoint.multipart === undefined || endpoint.body !== undefined)) {
    add('malformed_json')
  }
  return (Object.keys(API_ERRORS) as ApiErrorCode[]).filter((code) => codes.has(code))
}

function problem(
  codes: readonly ApiErrorCode[],
  { textErrors = false }: Endpoint,
): { readonly headers?: unknown } & Json {
  // A header is promised only where every one of these errors carries it.
  const [first = [], ...others] = codes.map(headersOf)
  const names = first.filter((name) => others.every((other) => other.includes(name)))
  return {
    description: codes.map((code) => `\`${code}\`: ${API_ERRORS[code].title}.`).join('\n'),
    ...headersNamed(names),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/ProblemDetails' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: problemExample(code) }])),
      },
      ...(textErrors ? { 'text/plain': { schema: { type: 'string' }, example: 'The printer is busy.' } } : {}),
    },
  }
}

function headersOf(code: ApiErrorCode): string[] {
  const { status } = API_ERRORS[code]
  if (status === 401 || status === 403) return ['WWW-Authenticate']
  // Trying again does not bring a model that nobody has set up.
  if (code === 'assistant_not_configured') return []
  return status === 429 || status === 503 ? ['Retry-After'] : []
}

function problemExample(code: ApiErrorCode): Json {
  const { status, title } = API_ERRORS[code]
  const issues = code === 'invalid_request' ? { issues: [{ path: 'limit', message: 'must be a whole number' }] } : {}
  return { status, code, title, detail: title, ...issues }
}
