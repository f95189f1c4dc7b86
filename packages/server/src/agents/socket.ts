import { AGENT_SOCKET_PATH, CLOSE_CODES } from '@printwarden/protocol'
import type { WebSocket } from '@fastify/websocket'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { randomUUID } from 'node:crypto'
import { ApiError } from '../errors.js'
import type { AgentCaller } from '../http/api.js'
import type { Authenticator } from '../http/authenticate.js'
import { originOf } from '../http/origin.js'
import { REVOKED_SUBJECT } from '../printers/notices.js'
import { checkSubprotocol, mayConcern } from './admission.js'
import { AgentConnection, type ConnectionDeps, type OpenDoor } from './connection-socket.js'
import { OWN_DOOR } from './door.js'
import type { RequestLimits } from '../http/request-limits.js'
import { LocalRate } from '../limits/local-rate.js'
import { AGENT_LIMITS, type AgentLimits } from './limits.js'
import type { Opening } from './opening.js'
import type { DeviationsFlow } from './upstream/deviations-flow.js'
import { upstreamDoor } from './upstream/door-flow.js'

export interface AgentSocketDeps extends Omit<ConnectionDeps, 'limits' | 'messages'> {
  readonly authenticator: Pick<Authenticator, 'authenticateAgent' | 'stillAgents'>
  readonly limits?: Partial<AgentLimits>
  readonly requests: Pick<RequestLimits, 'ofAgentSocket'>
  readonly deviations: Pick<DeviationsFlow, 'note'>
}

export interface AgentSocket {
  /** Closes every agent's socket so that the agents connect elsewhere, and waits until what they sent is applied. */
  close(): Promise<void>
}

/** The largest frame that is read at all: above it the library ends the connection with 1009. Between 1 MiB and this it is 4413. */
export const MAX_FRAME_BYTES = 4 * 1024 * 1024

/** Agents in one read. */
const CHECKED_AT_ONCE = 500

/** Where unmodified upstream agents connect (wire facts, section 3.1). */
const UPSTREAM_SOCKET_PATH = '/ws/dev/'

/** The agents' websockets: `/ws/agent/` (decisions 15–18), and `/ws/dev/` for the upstream dialect. A printer has one socket at either. */
export function agentSocket(app: FastifyInstance, deps: AgentSocketDeps): AgentSocket {
  const limits = { ...AGENT_LIMITS, ...deps.limits }
  /** Each with the request that opened it, which still holds its credential. */
  const connections = new Map<AgentConnection, FastifyRequest>()
  const admitted = new WeakMap<FastifyRequest, AgentCaller>()
  let lastOpenedAt = 0

  /** Of two sockets the one that was opened later is known by its time, even within one millisecond. */
  function nextOpening(): Opening {
    lastOpenedAt = Math.max(deps.clock.now(), lastOpenedAt + 1)
    return { id: randomUUID(), opened_at: lastOpenedAt }
  }

  /**
   * Who would not be let in again goes. Where that cannot be found out they stay: an agent that is told that its token has ended stops for
   * good, with nobody to watch its printer. Never rejects.
   */
  async function check(some: readonly (readonly [AgentConnection, FastifyRequest])[]): Promise<void> {
    try {
      for (let from = 0; from < some.length; from += CHECKED_AT_ONCE) {
        const part = some.slice(from, from + CHECKED_AT_ONCE)
        const known = new Set(await deps.authenticator.stillAgents(part.map(([, request]) => request)))
        for (const [connection, request] of part) {
          if (!known.has(request)) connection.close(CLOSE_CODES.unauthorized, 'token revoked')
        }
      }
    } catch (err) {
      deps.log.error({ err, agents: some.length }, 'agents could not be checked again')
    }
  }

  function door(url: string, messages: LocalRate, open: (request: FastifyRequest) => OpenDoor): void {
    app.route({
      method: 'GET',
      url,
      onRequest: async (request) => {
        const agent = await deps.authenticator.authenticateAgent(request)
        await deps.requests.ofAgentSocket(agent.printer_id, request)
        admitted.set(request, agent)
        if (url === AGENT_SOCKET_PATH) checkSubprotocol(request.headers['sec-websocket-protocol'])
      },
      handler: async () => {
        throw new ApiError('invalid_request', 'This is a websocket; ask for an upgrade.')
      },
      wsHandler: (socket: WebSocket, request) => {
        const agent = admitted.get(request)
        if (agent === undefined) return socket.terminate()
        const own = { ...deps, limits, messages }
        const connection = new AgentConnection(socket, agent, nextOpening(), open(request), own)
        connections.set(connection, request)
        void connection.closed.finally(() => connections.delete(connection))
      },
    })
  }

  door(AGENT_SOCKET_PATH, new LocalRate(limits.messages), () => () => OWN_DOOR)
  door(UPSTREAM_SOCKET_PATH, new LocalRate(deps.limits?.upstreamMessages ?? limits.messages), (request) => {
    return (side) => upstreamDoor(side, originOf(request), deps)
  })

  const ticking = setInterval(() => {
    for (const connection of connections.keys()) connection.tick()
  }, limits.pingIntervalMs).unref()

  const unsubscribe = deps.bus.subscribe(REVOKED_SUBJECT, (payload) => {
    void check([...connections].filter(([{ agent }]) => mayConcern(payload, agent)))
  })
  // The notice of a revocation may have been lost, or come while the database was away.
  const checking = setInterval(() => void check([...connections]), limits.checkIntervalMs).unref()

  return {
    async close() {
      clearInterval(ticking)
      clearInterval(checking)
      unsubscribe()
      const open = [...connections.keys()]
      for (const connection of open) connection.close(CLOSE_CODES.restart, 'the server restarts')
      await Promise.all(open.map(({ closed }) => closed))
    },
  }
}
