import { readFileSync } from 'node:fs'
import type { OutgoingHttpHeaders } from 'node:http'
import { parse as parseForm } from 'node:querystring'
import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import websocket from '@fastify/websocket'
import { AGENT_SUBPROTOCOL, JANUS_SUBPROTOCOL, LIVE_SUBPROTOCOL } from '@printwarden/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Fastify from 'fastify'
import { ApiError } from '../errors.js'
import type { Log } from '../ports.js'
import { type RouteDecisions, requireDecisions } from './access-table.js'
import { isUpstreamPath } from './aliases.js'
import { limitBodyTime } from './body-deadline.js'
import { HEAD_CHECK_MS, HEAD_TIME_MS } from './connection-limits.js'
import { corsHeaders, preflightHeaders } from './cors.js'
import { PROBLEM_TYPE, problemOf, upstreamProblemOf } from './error-body.js'
import { useJsonBodies } from './json-body.js'
import { KnownPaths } from './known-paths.js'
import { pathToLog } from './logged-path.js'
import { isOAuthPath, oauthProblemOf } from './oauth-error-body.js'
import { answerNoHttp } from './no-http.js'

export interface HttpServerOptions {
  readonly log: Log
  readonly trustedProxies: readonly string[]
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
  readonly maxFrameBytes: number
  /** Who may use each route that is no endpoint. A route without a decision cannot be registered. */
  readonly decisions: RouteDecisions
  /** The answer to a path that nobody knows, when it is not a REST error: pages of the dashboard. */
  page?(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined
}

/** How long a body may take to arrive, large uploads aside. */
export const BODY_TIME_MS = 120_000

/** How long a head may take, and how often it is looked who is late. */
const HEAD_TIMES = { headersTimeout: HEAD_TIME_MS, connectionsCheckingInterval: HEAD_CHECK_MS }

/** How long requests under way may take to end once the server stops. */
const LAST_REQUESTS_MS = 3000

/** The largest JSON or form body. Files have their own limits. */
export const MAX_BODY_BYTES = 1024 * 1024

/** Our own pages: nothing from elsewhere, no inline script, never inside another page. */
const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'self'"],
  imgSrc: ["'self'", 'data:', 'blob:'],
  mediaSrc: ["'self'", 'blob:'],
  objectSrc: ["'none'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
  formAction: ["'self'"],
  upgradeInsecureRequests: null,
}

/** Fastify with everything that holds for all routes: bodies, cookies, security headers, CORS, errors, both slash forms. */
export async function openHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const { log, trustedProxies, tls, maxFrameBytes, decisions } = options
  const app: FastifyInstance = Fastify({
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    forceCloseConnections: 'idle',
    // An address that cannot be decoded never reaches the routes.
    frameworkErrors: (error, request, reply) => {
      sendProblem(error, request, reply, log)
    },
    clientErrorHandler: answerNoHttp,
    ...(tls === undefined
      ? { http: HEAD_TIMES }
      : { https: { ...HEAD_TIMES, cert: readFileSync(tls.cert), key: readFileSync(tls.key) } }),
  })
  app.decorate('decidedRoutes', requireDecisions(app, decisions))
  const known = new KnownPaths()
  app.decorate('knownPaths', known)
  app.addHook('onRoute', ({ url, method }) => known.add(url, [method].flat()))

  limitBodyTime(app, BODY_TIME_MS)
  useBodies(app)
  await app.register(cookie)
  // Node's own reads no more than a thousand fields.
  await app.register(formbody, { parser: (text: string) => parseForm(text) })
  await app.register(multipart)
  await app.register(helmet, {
    global: false,
    contentSecurityPolicy: { useDefaults: false, directives: CONTENT_SECURITY_POLICY },
    crossOriginEmbedderPolicy: false,
    // Browsers ignore these two without https, and complain.
    crossOriginOpenerPolicy: tls !== undefined,
    originAgentCluster: tls !== undefined,
    strictTransportSecurity: tls !== undefined,
    referrerPolicy: { policy: 'same-origin' },
  })
  useSecurityHeaders(app)
  await app.register(websocket, {
    options: { maxPayload: maxFrameBytes, perMessageDeflate: false, handleProtocols: chooseSubprotocol },
    // The library has sent its close code (1009 for a frame that is too large); cutting the connection would lose it.
    errorHandler: (err) => log.debug({ err }, 'a websocket failed'),
    // Nobody new is let in. Those who are in are told why they must go by the feature that let them in.
    preClose(done) {
      app.websocketServer.close()
      done()
    },
  })
  useCors(app)
  // Before a body is read, for nobody will.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) refuseMethod(known.methodsOf(pathOf(request)), request, reply)
  })
  letRequestsEnd(app)
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, log))
  app.setNotFoundHandler((request, reply) => {
    const page = options.page?.(request, reply)
    if (page !== undefined) return page
    throw new ApiError('not_found')
  })
  return app
}

/** @throws {ApiError} method_not_allowed when the path is one that answers other methods */
export function refuseMethod(methods: readonly string[], { method }: FastifyRequest, reply: FastifyReply): void {
  if (methods.length === 0 || methods.includes(method)) return
  void reply.header('allow', methods.join(', '))
  throw new ApiError('method_not_allowed', `This path answers ${methods.join(', ')}.`)
}

/** Each websocket has one protocol of its own; what it speaks was checked before the upgrade. */
function chooseSubprotocol(offered: ReadonlySet<string>): string | false {
  return [AGENT_SUBPROTOCOL, LIVE_SUBPROTOCOL, JANUS_SUBPROTOCOL].find((name) => offered.has(name)) ?? false
}

export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? ''
}

/** What is read of a body before its endpoint runs. */
function useBodies(app: FastifyInstance): void {
  useJsonBodies(app)
  // A body that an endpoint reads as it comes. Else one that nobody reads: the endpoints have refused it already, or there are no
  // bytes and only a type.
  app.addContentTypeParser('*', (request, payload, done) => {
    if (request.routeOptions.config.endpoint?.rawTypes !== undefined) return done(null, payload)
    payload.resume()
    done(null, undefined)
  })
}

/**
 * At the stop, requests under way end as they would. Then the connections are closed: also those that never asked anything, which
 * Node does not count as idle.
 */
function letRequestsEnd(app: FastifyInstance): void {
  let underWay = 0
  let isStopping = false
  const leaveWhenDone = (): void => {
    if (isStopping && underWay === 0) app.server.closeAllConnections()
  }
  app.server.on('request', (_request, response) => {
    underWay++
    response.once('close', () => {
      underWay--
      leaveWhenDone()
    })
  })
  app.addHook('preClose', async () => {
    isStopping = true
    leaveWhenDone()
    setTimeout(() => app.server.closeAllConnections(), LAST_REQUESTS_MS).unref()
  })
}

/** The same for every answer: worked out with the first one, since that costs more than finding a route. */
function useSecurityHeaders(app: FastifyInstance): void {
  let headers: OutgoingHttpHeaders | undefined
  app.addHook('onRequest', (_request, reply, done) => {
    if (headers === undefined) {
      reply.helmet()
      headers = { ...reply.raw.getHeaders() }
      for (const name of Object.keys(headers)) reply.raw.removeHeader(name)
    }
    void reply.headers(headers)
    done()
  })
}

function useCors(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const path = pathOf(request)
    const headers = corsHeaders(path)
    void reply.headers(headers)
    if (request.method !== 'OPTIONS' || headers['access-control-allow-origin'] === undefined) return
    return reply.code(204).headers(preflightHeaders(path)).send()
  })
}

function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const path = pathOf(request)
  const isOAuth = isOAuthPath(path)
  const usedHeader = request.headers.authorization !== undefined
  const restProblemOf = isUpstreamPath(path) ? upstreamProblemOf : problemOf
  const { status, headers, body, isDefect } = isOAuth ? oauthProblemOf(error, usedHeader) : restProblemOf(error)
  if (isDefect) log.error({ err: error, method: request.method, path: pathToLog(path) }, 'a request failed')
  // A body that was not read to its end would be taken for the next request.
  if (status === 413) void reply.header('connection', 'close')
  // As bytes, since Fastify would add a charset to the type of a text, which these types do not have.
  return reply
    .code(status)
    .headers(headers)
    .type(isOAuth ? 'application/json' : PROBLEM_TYPE)
    .send(Buffer.from(JSON.stringify(body)))
}
