import '@fastify/websocket'
import { CLOSE_CODES, LIVE_SOCKET_PATH, LIVE_SUBPROTOCOL } from '@printwarden/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import type { Caller } from '../http/api.js'
import type { Authenticator } from '../http/authenticate.js'
import { originOf } from '../http/origin.js'
import type { Refusals } from '../limits/refusals.js'
import type { LimitSettings } from '../limits/settings.js'
import type { Bus, Database, Log } from '../ports.js'
import { type MediaUrls, viewerOf } from '../prints/view.js'
import { REVOKED_SUBJECT, type RevokedNotice } from '../printers/notices.js'
import { LiveConnection } from './connection-socket.js'
import { isRevokedBy } from './revocation.js'
import { type SubscriberDeps, subscriberFlow } from './subscriber-flow.js'
import type { TicketFlow } from './ticket-flow.js'
import { validCallers } from './validity-flow.js'

/** Who does not answer a ping until the next one is gone. */
const PING_INTERVAL_MS = 20_000

export interface LiveSocketDeps extends SubscriberDeps {
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  readonly tickets: Pick<TicketFlow, 'redeem'>
  readonly database: Database
  readonly media: MediaUrls
  readonly bus: Bus
  readonly log: Log
  readonly refusals: Refusals
  /** Remembers that a caller is about to be told printers' auth_tokens. */
  readonly noteReader: (caller: Caller, request: FastifyRequest) => Promise<void>
  readonly limits: Pick<LimitSettings, 'user_sockets'>
  readonly pingIntervalMs?: number
}

export interface LiveSocket {
  /** Closes every subscriber's socket so that they connect elsewhere, and the feeds behind them. */
  close(): Promise<void>
}

/** The live websocket for dashboards and apps: `/ws/live/` (decision 26). */
export function liveSocket(app: FastifyInstance, deps: LiveSocketDeps): LiveSocket {
  const connections = new Set<LiveConnection>()
  const admitted = new WeakMap<FastifyRequest, Caller>()

  const countOf = (userId: number): number => [...connections].filter(({ caller }) => caller.user_id === userId).length

  async function admit(request: FastifyRequest): Promise<void> {
    checkSubprotocol(request.headers['sec-websocket-protocol'])
    const ticket = ticketOf(request)
    const caller =
      ticket === undefined ? await deps.authenticator.authenticate(request) : await deps.tickets.redeem(ticket)
    if (caller === undefined) throw new ApiError('unauthorized', 'The ticket is used, too old or unknown.')
    if (!caller.scopes.includes('read')) throw new ApiError('insufficient_scope', 'The live websocket needs "read".')
    admitted.set(request, caller)
  }

  app.route({
    method: 'GET',
    url: LIVE_SOCKET_PATH,
    onRequest: admit,
    handler: async () => {
      throw new ApiError('invalid_request', 'This is a websocket; ask for an upgrade.')
    },
    wsHandler: (socket, request) => {
      const caller = admitted.get(request)
      if (caller === undefined) return socket.terminate()
      if (countOf(caller.user_id) >= deps.limits.user_sockets) {
        deps.refusals.note('user_sockets', `user ${caller.user_id}`)
        return socket.close(CLOSE_CODES.tooManyMessages, 'too many sockets')
      }
      deps.noteReader(caller, request).catch((err: unknown) => {
        deps.log.error({ err }, 'a reader of tokens could not be noted')
      })
      const viewer = viewerOf(caller, originOf(request), deps.media)
      const connection = new LiveConnection(socket, caller, deps, (sink) => {
        return subscriberFlow(deps, { userId: caller.user_id, viewer, sink })
      })
      connections.add(connection)
      void connection.closed.then(() => connections.delete(connection))
    },
  })

  const ticking = setInterval(() => {
    for (const connection of connections) connection.tick()
    void closeInvalid()
  }, deps.pingIntervalMs ?? PING_INTERVAL_MS).unref()

  /** What let a subscriber in may run out while it listens; and a notice of a revocation may have been lost. */
  async function closeInvalid(): Promise<void> {
    const open = [...connections]
    try {
      const isValid = await validCallers(
        deps.database.db,
        open.map(({ caller }) => caller),
        deps.clock.now(),
      )
      for (const connection of open) {
        if (!isValid(connection.caller)) connection.close(CLOSE_CODES.unauthorized, 'the credential has ended')
      }
    } catch (err) {
      deps.log.error({ err }, 'the credentials of subscribers could not be checked')
    }
  }

  const unsubscribe = deps.bus.subscribe(REVOKED_SUBJECT, (payload) => {
    for (const connection of connections) {
      if (isRevokedBy(connection.caller, payload as RevokedNotice)) {
        connection.close(CLOSE_CODES.unauthorized, 'the credential was revoked')
      }
    }
  })

  return {
    async close() {
      clearInterval(ticking)
      unsubscribe()
      const open = [...connections]
      for (const connection of open) connection.close(CLOSE_CODES.restart, 'the server restarts')
      await Promise.all(open.map(({ closed }) => closed))
      await deps.feeds.close()
    },
  }
}

/** Refuses a client that speaks only other protocols. None offered means ours. */
function checkSubprotocol(offered: string | undefined): void {
  if (offered === undefined) return
  if (!offered.split(',').some((name) => name.trim() === LIVE_SUBPROTOCOL)) {
    throw new ApiError('invalid_request', `The subprotocol must be ${LIVE_SUBPROTOCOL}.`)
  }
}

/** The ticket in the query: browsers cannot set headers on a websocket. */
function ticketOf({ query }: FastifyRequest): string | undefined {
  const ticket = typeof query === 'object' && query !== null && 'ticket' in query ? query.ticket : undefined
  return typeof ticket === 'string' ? ticket : undefined
}
