import '@fastify/websocket'
import { CLOSE_CODES } from '@printwarden/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Rate } from '../../limits/token-bucket.js'
import { ApiError } from '../../errors.js'
import type { Refusals } from '../../limits/refusals.js'
import type { LimitSettings } from '../../limits/settings.js'
import type { Log } from '../../ports.js'
import { REVOKED_SUBJECT, type RevokedNotice } from '../../printers/notices.js'
import type { FeedFlow } from '../feed-flow.js'
import type { UserFeed } from '../user-feed-flow.js'
import { type Admit, admissionFlow, type AdmissionFlowDeps, checkJanusSubprotocol } from './admission-flow.js'
import { browserFlow, type BrowserFlowDeps } from './browser-flow.js'
import { SeatConnection } from './connection-socket.js'
import { janusFlow } from './janus-flow.js'
import { isGuest, mayConcern, type Seat } from './seat.js'

/** Who does not answer a ping until the next one is gone. */
const PING_INTERVAL_MS = 20_000

/** More open sockets of one printer's guests are a client gone wrong. */
export const MAX_GUESTS = 50

/** A person presses buttons; a browser says twice a minute that it is there. */
export const BROWSER_MESSAGES: Rate = { perSecond: 10, burst: 60 }

/** A session begins with a burst of addresses. */
export const JANUS_MESSAGES: Rate = { perSecond: 20, burst: 200 }

/** The standard code for "something went wrong on our side": whoever sits there comes back. */
const INTERNAL_ERROR = 1011

export interface ExistingClientSocketDeps extends AdmissionFlowDeps, BrowserFlowDeps {
  readonly feeds: Pick<FeedFlow, 'open'>
  readonly log: Log
  readonly refusals: Refusals
  readonly limits: Pick<LimitSettings, 'user_sockets'>
  readonly pingIntervalMs?: number
}

export interface ExistingClientSocket {
  /** Closes every socket so that the clients connect elsewhere. */
  close(): Promise<void>
}

interface Admitted {
  readonly seat: Seat
  readonly feed: UserFeed
}

/** The websockets that existing browsers and apps know: a printer as it changes, and the relay to its video gateway. */
export function existingClientSocket(app: FastifyInstance, deps: ExistingClientSocketDeps): ExistingClientSocket {
  const { bus, clock, feeds, log } = deps
  /** Each with what lets it in once more, as long as its credential counts. */
  const connections = new Map<SeatConnection, () => Promise<Seat>>()
  const admission = admissionFlow(deps)

  const countLike = (seat: Seat): number =>
    [...connections.keys()].filter(({ seat: other }) =>
      isGuest(seat)
        ? isGuest(other) && other.printer_id === seat.printer_id
        : !isGuest(other) && other.user_id === seat.user_id,
    ).length

  function serve(url: string, admit: Admit, isGateway: boolean): void {
    const admitted = new WeakMap<FastifyRequest, Admitted>()
    app.route({
      method: 'GET',
      url,
      onRequest: async (request) => {
        const seat = await admit(request)
        if (isGateway) checkJanusSubprotocol(request.headers['sec-websocket-protocol'])
        const feed = await feeds.open(seat.user_id)
        await feed.know(seat.printer_id)
        admitted.set(request, { seat, feed })
      },
      handler: async () => {
        throw new ApiError('invalid_request', 'This is a websocket; ask for an upgrade.')
      },
      wsHandler: (socket, request) => {
        const entry = admitted.get(request)
        if (entry === undefined) return socket.terminate()
        const { seat, feed } = entry
        if (countLike(seat) >= (isGuest(seat) ? MAX_GUESTS : deps.limits.user_sockets)) {
          deps.refusals.note('user_sockets', `user ${seat.user_id}`)
          return socket.close(CLOSE_CODES.tooManyMessages, 'too many sockets')
        }
        const rate = isGateway ? JANUS_MESSAGES : BROWSER_MESSAGES
        const connection = new SeatConnection(socket, seat, { clock, log, refusals: deps.refusals, rate }, (sink) =>
          isGateway ? janusFlow(bus, seat, feed, sink) : browserFlow(deps, seat, feed, sink),
        )
        connections.set(connection, () => admit(request))
        void connection.closed.then(() => connections.delete(connection))
      },
    })
  }

  serve('/ws/web/:printer_id/', admission.bySession, false)
  serve('/ws/token/web/:token/', admission.byAuthToken, false)
  serve('/ws/share_token/web/:token/', admission.byShareToken, false)
  serve('/ws/janus/:printer_id/', admission.bySession, true)
  serve('/ws/token/janus/:token/', admission.byAuthToken, true)
  serve('/ws/share_token/janus/:token/', admission.byShareToken, true)

  /** Something may have ended on which a connection depends: it stays only if it would be let in again. */
  async function checkAgain(connection: SeatConnection, admit: () => Promise<Seat>): Promise<void> {
    try {
      await admit()
    } catch (err) {
      if (err instanceof ApiError) return connection.close(CLOSE_CODES.unauthorized, 'the credential has ended')
      log.error({ err, printer_id: connection.seat.printer_id }, 'a viewer could not be checked again')
      connection.close(INTERNAL_ERROR, 'try again')
    }
  }

  const ticking = setInterval(() => {
    for (const [connection, admit] of connections) {
      connection.tick()
      // What let it in may run out while it is open; and a notice of a revocation may have been lost.
      void checkAgain(connection, admit)
    }
  }, deps.pingIntervalMs ?? PING_INTERVAL_MS).unref()

  const unsubscribe = bus.subscribe(REVOKED_SUBJECT, (notice) => {
    for (const [connection, admit] of connections) {
      if (mayConcern(connection.seat, notice as RevokedNotice)) void checkAgain(connection, admit)
    }
  })

  return {
    async close() {
      clearInterval(ticking)
      unsubscribe()
      const open = [...connections.keys()]
      for (const connection of open) connection.close(CLOSE_CODES.restart, 'the server restarts')
      await Promise.all(open.map(({ closed }) => closed))
    },
  }
}
