import { type Endpoint, endpoints, type Scope, type User } from '@printwarden/protocol'
import type { z } from 'zod'
import { wantsEvents } from './fake-events.js'
import { FakeRefusal, invalid } from './fake-refusal.js'
import type { FakePrinterRecord, FakeState, FakeToken } from './fake-state.js'

// What the real server does around every handler, from the same endpoint data: find the endpoint, then 401, 403, 404, 415, 400.

/** A request that was let in and read. */
export interface FakeCall {
  readonly endpoint: Endpoint
  /** Path parameters, query and body, parsed by the endpoint's schemas. */
  readonly params: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: Readonly<Record<string, unknown>>
  /** The parts of a multipart body. */
  readonly form: FormData | undefined
  /** Who calls; undefined where no user is needed. */
  readonly user: User | undefined
  readonly scopes: readonly Scope[]
  /** The token that it was called with. */
  readonly secret: string | undefined
  /** The printer whose agent calls. */
  readonly printer: FakePrinterRecord | undefined
  readonly url: URL
  /** Whether the answer is wanted as events, where the operation has them. */
  readonly asEvents: boolean
  /** Headers for the answer. */
  readonly reply: Headers
  /** Another status of success, or a body that is no JSON. */
  readonly out: { status?: number; body?: Blob }
}

const ALL: readonly Endpoint[] = Object.values(endpoints)

interface Route {
  readonly endpoint: Endpoint
  readonly pattern: RegExp
  readonly names: readonly string[]
}

const ROUTES: readonly Route[] = ALL.map((endpoint) => ({
  endpoint,
  pattern: new RegExp(`^${endpoint.path.replaceAll(/:\w+/g, '([^/]+)').replace(/\/$/, '/?')}$`),
  names: [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name),
}))

/** Fixed words come before parameters: `/prints/stats/` is not the print named "stats". */
const SORTED = [...ROUTES].sort((a, b) => a.names.length - b.names.length)

/** The endpoint that a request is for. Throws what the real server answers when there is none. */
export function findRoute(method: string, path: string): { endpoint: Endpoint; params: Record<string, string> } {
  const matching = SORTED.filter(({ pattern }) => pattern.test(path))
  const route = matching.find(({ endpoint }) => endpoint.method === method)
  if (route === undefined) {
    if (matching.length === 0) throw new FakeRefusal('not_found')
    const allow = matching.map(({ endpoint }) => endpoint.method).join(', ')
    throw new FakeRefusal('method_not_allowed', undefined, { headers: { allow } })
  }
  const values = route.pattern.exec(path)?.slice(1) ?? []
  const params = route.names.map((name, index) => [name, decode(values[index] ?? '')] as const)
  return { endpoint: route.endpoint, params: Object.fromEntries(params) }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new FakeRefusal('not_found')
  }
}

/** Lets a request in and reads it, in the order in which the real server does. */
export async function readCall(state: FakeState, request: Request): Promise<FakeCall> {
  const url = new URL(request.url)
  const { endpoint, params: rawParams } = findRoute(request.method, url.pathname)
  const admitted = admit(state, endpoint, request.headers)
  const params = endpoint.params?.safeParse(rawParams)
  if (params?.success === false) throw new FakeRefusal('not_found')
  const type = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim() ?? ''
  const content = request.body === null ? undefined : contentOf(endpoint, type)
  const form = content === 'form' ? await request.formData() : undefined
  if (form !== undefined) checkForm(endpoint, form)
  const text = content === 'json' ? await request.text() : ''
  return {
    endpoint,
    ...admitted,
    params: fields(params?.data),
    query: fields(parse(endpoint.query, queryOf(url))),
    body: form === undefined ? fields(parse(endpoint.body, jsonOf(endpoint, text))) : {},
    form,
    url,
    asEvents: wantsEvents(request.headers.get('accept')),
    reply: new Headers(),
    out: {},
  }
}

type Admitted = Pick<FakeCall, 'user' | 'scopes' | 'printer' | 'secret'>

function admit(state: FakeState, endpoint: Endpoint, headers: Headers): Admitted {
  const { access } = endpoint
  const secret = access === 'anyone' ? undefined : secretOf(headers)
  const nobody: Admitted = { user: undefined, scopes: [], printer: undefined, secret }
  if (access === 'anyone') return nobody
  if (access === 'agent' || access === 'read_or_agent') {
    const printer = [...state.printers.values()].find(({ authToken }) => authToken === secret)
    if (printer !== undefined) return { ...nobody, user: state.users.get(printer.userId), printer }
    if (access === 'agent') throw new FakeRefusal('unauthorized')
  }
  const token = goodToken(secret === undefined ? undefined : state.tokens.get(secret))
  const user = state.users.get(token.userId)
  if (user === undefined || state.disabledAt.has(user.id)) throw new FakeRefusal('unauthorized')
  checkAccess(access, token, user)
  return { ...nobody, user, scopes: token.scopes }
}

function secretOf(headers: Headers): string | undefined {
  const bearer = /^(?:bearer|token) +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  return bearer ?? headers.get('x-api-key') ?? undefined
}

/** The token, if it is still good for anything. */
export function goodToken(token: FakeToken | undefined): FakeToken {
  if (token === undefined) throw new FakeRefusal('unauthorized')
  if (token.state === 'expired') throw new FakeRefusal('token_expired')
  if (token.state === 'revoked') throw new FakeRefusal('token_revoked')
  return token
}

function checkAccess(access: Endpoint['access'], { scopes, isSession = false }: FakeToken, user: User): void {
  const scope = access === 'read' || access === 'read_or_agent' ? 'read' : 'write'
  if (access === 'session') {
    if (!isSession) throw new FakeRefusal('insufficient_scope', 'This needs a signed-in browser.')
    return
  }
  if (!scopes.includes(scope)) throw new FakeRefusal('insufficient_scope', `The token lacks the scope "${scope}".`)
  if (access === 'admin' && !user.is_admin) {
    throw new FakeRefusal('insufficient_scope', 'Only administrators may do this.')
  }
}

function contentOf(endpoint: Endpoint, type: string): 'form' | 'json' | 'raw' {
  if (endpoint.rawTypes?.includes(type) === true) return 'raw'
  const isForm = type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded'
  if (endpoint.multipart !== undefined && isForm) return 'form'
  if (endpoint.multipart !== undefined && endpoint.body === undefined) throw new FakeRefusal('unsupported_media_type')
  if (type !== '' && type !== 'application/json') throw new FakeRefusal('unsupported_media_type')
  return 'json'
}

function checkForm({ multipart = [] }: Endpoint, form: FormData): void {
  for (const { name, required } of multipart) {
    if (required && !form.has(name)) throw invalid(name, 'is required')
  }
}

function jsonOf(endpoint: Endpoint, text: string): unknown {
  if (endpoint.body === undefined || text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new FakeRefusal('malformed_json')
  }
}

/** As the real server reads a query: what comes several times is a list. */
function queryOf({ searchParams }: URL): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {}
  for (const name of new Set(searchParams.keys())) {
    const [first = '', ...more] = searchParams.getAll(name)
    query[name] = more.length === 0 ? first : [first, ...more]
  }
  return query
}

function parse(schema: z.ZodType | undefined, value: unknown): unknown {
  const result = schema?.safeParse(value)
  if (result?.success !== false) return result?.data
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  throw new FakeRefusal('invalid_request', undefined, { issues })
}

const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

/** One page of a list, with the headers that every list carries (`X-Total-Count`, and `Link` to the pages beside it). */
export function pageOf<T>(call: FakeCall, items: readonly T[], usualSize: number): T[] {
  const { query, url, reply } = call
  reply.set('x-total-count', String(items.length))
  const byPage = call.endpoint.query !== undefined && ('page' in query || usesPages(call.endpoint))
  const size = Number((byPage ? query['page_size'] : query['limit']) ?? usualSize)
  const start = byPage ? (Number(query['page'] ?? 1) - 1) * size : Number(query['start'] ?? 0)
  const linkTo = (rel: string, to: number): string => {
    const target = new URL(url)
    if (byPage) target.searchParams.set('page', String(to / size + 1))
    else {
      target.searchParams.set('start', String(to))
      target.searchParams.set('limit', String(size))
      if (call.endpoint.id === 'listPrints' && query['sorting'] === undefined) {
        target.searchParams.set('sorting', 'date_desc')
      }
    }
    return `<${target.href}>; rel="${rel}"`
  }
  const links = [
    ...(size > 0 && start + size < items.length ? [linkTo('next', start + size)] : []),
    ...(size > 0 && start > 0 ? [linkTo('prev', Math.max(0, start - size))] : []),
  ]
  if (links.length > 0) reply.set('link', links.join(', '))
  return items.slice(start, start + size)
}

const PAGED = new Set(['listGCodeFiles', 'listGCodeFolders', 'listGCodeFilesAsAgent', 'listReportedGCodeFiles'])
const usesPages = ({ id }: Endpoint): boolean => PAGED.has(id)
