import { isDeepStrictEqual } from 'node:util'
import { type Endpoint, isList, type Scope } from '@printwarden/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { ApiError } from '../errors.js'
import { pathsOf } from './aliases.js'
import type { AgentCaller, Api, Caller, Exchange, Reader } from './api.js'
import type { Authenticator } from './authenticate.js'
import { checkContentEncoding, checkContentType, isJson } from './content-type.js'
import { findAgentToken } from './credentials.js'
import { pathToNul } from './nul.js'
import { originOf } from './origin.js'
import { costOf } from './request-cost.js'
import { NO_REQUEST_LIMITS, type RequestLimits } from './request-limits.js'
import { pathOf, refuseMethod } from './server.js'
import { checkedSerializer, type Serialize, serializerOf } from './serializer.js'

type AnyHandler<Who> = (
  input: { params: unknown; query: unknown; body: unknown },
  who: Who,
  exchange: Exchange,
) => Promise<unknown>

export interface ApiOptions {
  /** Without them nobody is limited: for tests of single parts. */
  readonly limits?: RequestLimits | undefined
  /** Every answer is compared with its schema, at a cost: for tests. */
  readonly checksAnswers?: boolean | undefined
}

/** The Api over Fastify: each endpoint becomes a route at each of its paths. */
export function fastifyApi(app: FastifyInstance, authenticator: Authenticator, options: ApiOptions = {}): Api {
  const limits = options.limits ?? NO_REQUEST_LIMITS

  function route<Who>(
    endpoint: Endpoint,
    admit: (request: FastifyRequest) => Promise<Who>,
    limit: (who: Who, request: FastifyRequest, reply: FastifyReply) => Promise<void>,
    handler: AnyHandler<Who>,
  ): void {
    const serialize = endpoint.output && serializing(endpoint.output, options.checksAnswers === true)
    const admitted = new WeakMap<FastifyRequest, { readonly who: Who; readonly params: unknown }>()

    // Before the body is read: 401, 403, 429, 404, 415.
    async function onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const who = await admit(request).catch(async (error: unknown) => {
        await limits.ofAddress(request)
        throw error
      })
      await limit(who, request, reply)
      const params = parseParams(endpoint, request.params)
      if (params === MALFORMED) {
        // What looks like an id may be another route's own word, such as `bulk_delete`, asked by a method it does not have.
        refuseMethod(app.knownPaths.methodsOfExactly(pathOf(request)), request, reply)
        throw new ApiError('not_found')
      }
      admitted.set(request, { who, params })
      checkContentType(endpoint, request.headers['content-type'], hasBody(request))
      checkContentEncoding(request.headers['content-encoding'], hasBody(request))
    }

    async function run(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const entry = admitted.get(request)
      if (entry === undefined) throw new Error(`${endpoint.id} was reached without admission`)
      const query = parse(endpoint.query, request.query)
      const body = isForm(endpoint, request) ? undefined : parse(endpoint.body, request.body)
      const exchange = { origin: originOf(request), request, reply }
      const answer = await handler({ params: entry.params, query, body }, entry.who, exchange)
      // A handler that streams has answered by itself.
      return reply.sent || reply.raw.headersSent ? reply : send(endpoint, reply, answer, serialize)
    }

    for (const url of pathsOf(endpoint.path)) {
      const { method, maxBodyBytes } = endpoint
      const body = maxBodyBytes === undefined ? {} : { bodyLimit: maxBodyBytes }
      app.route({ method, url, config: { endpoint }, ...body, onRequest, handler: run })
    }
  }

  const ofUser = ({ user_id }: Reader, request: FastifyRequest, reply: FastifyReply) =>
    limits.ofUser(user_id, request, reply)
  const ofAgent = ({ printer_id }: AgentCaller, request: FastifyRequest) => limits.ofAgent(printer_id, request)

  return {
    handle(endpoint, handler) {
      const admit = (request: FastifyRequest) => admitCaller(endpoint, authenticator, request)
      route(endpoint, admit, ofUser, handler as AnyHandler<Caller>)
    },
    handleAgent(endpoint, handler) {
      expectAccess(endpoint, 'agent')
      const admit = (request: FastifyRequest) => authenticator.authenticateAgent(request)
      route(endpoint, admit, ofAgent, handler as AnyHandler<AgentCaller>)
    },
    handleReader(endpoint, handler) {
      expectAccess(endpoint, 'read_or_agent')
      const admit = (request: FastifyRequest) => admitReader(authenticator, request)
      route(endpoint, admit, ofUser, handler as AnyHandler<Reader>)
    },
    handleOpen(endpoint, handler) {
      expectAccess(endpoint, 'anyone')
      const ofAddress = (_nobody: undefined, request: FastifyRequest) =>
        limits.ofAddress(request, costOf(endpoint, request))
      route(endpoint, async () => undefined, ofAddress, handler as AnyHandler<undefined>)
    },
  }
}

function expectAccess(endpoint: Endpoint, access: Endpoint['access']): void {
  if (endpoint.access !== access) throw new Error(`${endpoint.id} has access ${endpoint.access}, not ${access}`)
}

async function admitCaller(endpoint: Endpoint, authenticator: Authenticator, request: FastifyRequest): Promise<Caller> {
  const caller = await authenticator.authenticate(request)
  switch (endpoint.access) {
    case 'read':
    case 'write':
      requireScope(caller, endpoint.access)
      break
    case 'admin':
      requireScope(caller, 'write')
      if (!caller.is_admin) throw new ApiError('insufficient_scope', 'Only administrators may do this.')
      break
    case 'session':
      if (caller.via.type !== 'session') throw new ApiError('insufficient_scope', 'This needs a signed-in browser.')
      break
    case 'agent':
    case 'read_or_agent':
    case 'anyone':
      throw new Error(`${endpoint.id} is not for users`)
  }
  return caller
}

/** A user who may read, or an agent in its owner's place. */
async function admitReader(authenticator: Authenticator, request: FastifyRequest): Promise<Reader> {
  try {
    const caller = await authenticator.authenticate(request)
    requireScope(caller, 'read')
    return caller
  } catch (error) {
    const isUnknown = error instanceof ApiError && error.code === 'unauthorized'
    if (!isUnknown || findAgentToken(request.headers) === undefined) throw error
    return authenticator.authenticateAgent(request)
  }
}

/** Whether the body is a form, which the handler reads itself, where JSON would do too. */
function isForm(endpoint: Endpoint, request: FastifyRequest): boolean {
  return endpoint.multipart !== undefined && !isJson(request.headers['content-type'])
}

function requireScope(caller: Caller, scope: Scope): void {
  if (!caller.scopes.includes(scope)) throw new ApiError('insufficient_scope', `The token lacks the scope "${scope}".`)
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** A path whose parameters are not even well-formed names nothing. */
const MALFORMED = Symbol('malformed parameters')

function parseParams(endpoint: Endpoint, params: unknown): unknown {
  const result = endpoint.params?.safeParse(params)
  return result?.success === false ? MALFORMED : result?.data
}

function parse(schema: z.ZodType | undefined, value: unknown): unknown {
  const result = schema?.safeParse(value)
  if (result?.success === false) {
    const issues = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
    throw new ApiError('invalid_request', undefined, { issues })
  }
  const nul = pathToNul(result?.data)
  if (nul === undefined) return result?.data
  throw new ApiError('invalid_request', undefined, { issues: [{ path: nul.join('.'), message: 'must not hold NUL' }] })
}

/** What a handler sets when the client has this version of the document already: nothing is sent then. */
const NOT_MODIFIED = 304

function serializing(output: z.ZodType, isChecked: boolean): Serialize {
  const serialize = serializerOf(output)
  if (!isChecked) return serialize
  const check = checkedSerializer(output)
  return (answer) => {
    const [text, expected] = [serialize(answer), check(answer)]
    if (!isDeepStrictEqual(JSON.parse(text), JSON.parse(expected))) {
      throw new Error(`an answer is sent as ${text} where its schema says ${expected}`)
    }
    return text
  }
}

/** An answer that does not match its schema is a defect; what the schema does not name is left out. */
function send(
  endpoint: Endpoint,
  reply: FastifyReply,
  answer: unknown,
  serialize: Serialize | undefined,
): FastifyReply {
  if (reply.statusCode === NOT_MODIFIED) return reply.send()
  if (endpoint.otherStatus !== reply.statusCode) reply.code(endpoint.status ?? 200)
  if (serialize === undefined) return reply.header('content-length', '0').send('')
  // A list that does not come in pages is all there is.
  if (isList(endpoint) && !reply.hasHeader('x-total-count') && Array.isArray(answer)) {
    void reply.header('x-total-count', answer.length)
  }
  return reply.type('application/json; charset=utf-8').send(bytesOf(serialize(answer)))
}

/** Node writes bytes for less than a text, which it copies as if each character took three. Nearly every answer is ASCII. */
function bytesOf(text: string): Buffer {
  return Buffer.from(text, Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8')
}
