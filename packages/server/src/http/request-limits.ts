import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import { addressGroup } from '../limits/address.js'
import { Allowance } from '../limits/allowance.js'
import { AtOnce } from '../limits/at-once.js'
import type { Refusals } from '../limits/refusals.js'
import type { LimitName, LimitSettings } from '../limits/settings.js'
import type { Clock, Counters } from '../ports.js'
import { valuesOf } from './json-body.js'
import { costOf, costOfBytes, costOfValues, isOfUnknownCost } from './request-cost.js'
import { whenAnswered, whenClosed } from './when-closed.js'

/** Who is counted for requests. Each is called before a body is read. @throws {ApiError} rate_limited */
export interface RequestLimits {
  ofUser(userId: number, request: FastifyRequest, reply: FastifyReply): Promise<void>
  ofAgent(printerId: number, request: FastifyRequest): Promise<void>
  /** Requests that name nobody: pages, media, what was refused. `cost`: as many as it counts for. */
  ofAddress(request: FastifyRequest, cost?: number): Promise<void>
  /** A blob goes out, until its answer has ended. */
  ofMedia(request: FastifyRequest, reply: FastifyReply): Promise<void>
  /** An agent opens its websocket. */
  ofAgentSocket(printerId: number, request: FastifyRequest): Promise<void>
}

/** For tests of single parts. */
export const NO_REQUEST_LIMITS: RequestLimits = {
  ofUser: async () => undefined,
  ofAgent: async () => undefined,
  ofAddress: async () => undefined,
  ofMedia: async () => undefined,
  ofAgentSocket: async () => undefined,
}

export interface RequestLimitsDeps {
  readonly limits: LimitSettings
  readonly counters: Counters
  readonly clock: Clock
  readonly refusals: Refusals
}

/**
 * Who is refused hears of it so late: a client that does not wait by itself is kept from asking thousands of times a second, and costs
 * no processor time meanwhile.
 */
export const HELD_MS = 500

/** So many refused requests of one address are held at a time; further ones are cut off. */
export const MAX_HELD = 200

/** Programs that ask whether the server is alive would stop it when they are refused, so these have a limit of their own. */
const PROBES = new Set(['/healthz', '/readyz', '/metrics'])

export function requestLimits(app: FastifyInstance, deps: RequestLimitsDeps): RequestLimits {
  const { limits, refusals } = deps
  const rate = (name: LimitName & keyof RatesOf): Allowance => new Allowance(deps, name, limits[name])
  const rates = {
    user_requests: rate('user_requests'),
    agent_requests: rate('agent_requests'),
    agent_sockets_opened: rate('agent_sockets_opened'),
    address_requests: rate('address_requests'),
    address_sockets_opened: rate('address_sockets_opened'),
  }
  const requestsAtOnce = new AtOnce(limits.user_requests_at_once)
  const socketsAtOnce = new AtOnce<string>(limits.address_sockets)
  const mediaAtOnce = new AtOnce<string>(limits.address_media_at_once)
  const held = new AtOnce<string>(MAX_HELD)

  async function refuse(limit: LimitName, who: string, waitMs: number, request: FastifyRequest): Promise<never> {
    refusals.note(limit, who)
    const release = held.begin(addressGroup(request.ip))
    if (release === undefined) request.raw.destroy()
    else await sleep(HELD_MS).finally(release)
    const retryAfterSeconds = Math.max(1, Math.ceil((waitMs - HELD_MS) / 1000))
    throw new ApiError('rate_limited', `The limit ${limit} was met.`, { retryAfterSeconds })
  }

  async function take(limit: keyof typeof rates, key: string, request: FastifyRequest, cost = 1): Promise<void> {
    const waiting = rates[limit].take(key, cost)
    const waitMs = typeof waiting === 'number' ? waiting : await waiting
    if (waitMs > 0) await refuse(limit, key, waitMs, request)
  }

  /** As `take`, for one that has begun already: it ends before whoever asks is held, so that the refused leave room for others. */
  async function takeOrEnd(
    limit: keyof typeof rates,
    key: string,
    request: FastifyRequest,
    { end, cost = 1 }: { readonly end: () => void; readonly cost?: number },
  ): Promise<void> {
    let waitMs = Number.POSITIVE_INFINITY
    try {
      const waiting = rates[limit].take(key, cost)
      waitMs = typeof waiting === 'number' ? waiting : await waiting
    } finally {
      if (waitMs > 0) end()
    }
    if (waitMs > 0) await refuse(limit, key, waitMs, request)
  }

  /** Sockets of an address, when they are opened and while they are open. */
  async function takeSocket(request: FastifyRequest): Promise<void> {
    const address = addressGroup(request.ip)
    const end = socketsAtOnce.begin(address)
    if (end === undefined) return refuse('address_sockets', address, 0, request)
    await takeOrEnd('address_sockets_opened', address, request, { end })
    whenClosed(request.raw.socket, end)
  }

  app.addHook('onRequest', async (request) => {
    if (request.ws) return takeSocket(request)
    // Each endpoint counts for whoever it finds out, and each probe where it is answered.
    const isOfApi = request.routeOptions.config.endpoint !== undefined
    if (!isOfApi && !PROBES.has(request.routeOptions.url ?? '')) await limitsOf.ofAddress(request)
  })

  /** Whose bodies count for more by what they turn out to hold. */
  const senders = new WeakMap<FastifyRequest, string>()

  // The store of the counts answers for itself when it is asked the next time.
  const charge = (key: string, cost: number): void => {
    if (cost > 0) void rates.user_requests.charge(key, cost).catch(() => undefined)
  }

  // Not async: whoever reads the body listens in the same turn, so that nothing flows past.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const key = senders.get(request)
    if (key !== undefined && isOfUnknownCost(request.routeOptions.config.endpoint, request)) {
      let bytes = 0
      payload.on('data', (chunk: Buffer) => (bytes += chunk.length))
      payload.once('close', () => charge(key, costOfBytes(bytes)))
    }
    done(null, payload)
  })

  app.addHook('preValidation', (request, _reply, done) => {
    const key = senders.get(request)
    if (key !== undefined) charge(key, costOfValues(valuesOf(request)))
    done()
  })

  const limitsOf: RequestLimits = {
    async ofUser(userId, request, reply) {
      const { endpoint } = request.routeOptions.config
      const key = `user ${userId}`
      // First, since it gives back what it took.
      const end = requestsAtOnce.begin(userId)
      if (end === undefined) return refuse('user_requests_at_once', key, 0, request)
      await takeOrEnd('user_requests', key, request, { end, cost: costOf(endpoint, request) })
      if (request.method !== 'GET') senders.set(request, key)
      whenAnswered(request, reply, end)
    },
    ofAgent: (printerId, request) => take('agent_requests', `printer ${printerId}`, request),
    ofAddress: (request, cost) => take('address_requests', addressGroup(request.ip), request, cost),
    async ofMedia(request, reply) {
      const address = addressGroup(request.ip)
      const end = mediaAtOnce.begin(address)
      if (end === undefined) return refuse('address_media_at_once', address, 0, request)
      whenAnswered(request, reply, end)
    },
    ofAgentSocket: (printerId, request) => take('agent_sockets_opened', `printer ${printerId}`, request),
  }
  return limitsOf
}

type RatesOf = { [Name in LimitName as LimitSettings[Name] extends number ? never : Name]: unknown }
