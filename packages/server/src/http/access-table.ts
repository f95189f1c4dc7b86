import type { Access, Endpoint } from '@printwarden/protocol'
import type { FastifyInstance } from 'fastify'
import { pathsOf } from './aliases.js'

/**
 * Who may use a route that is no endpoint: as an endpoint's access, or `page` (a signed-in browser; without one it is sent to
 * the sign-in page), `signature` (whoever holds the signed, expiring address), `client` (an OAuth client, by its own credentials or
 * by what was issued to it), `address` (whoever holds the address, in which a token stands), `local` (this machine, or an administrator's token).
 */
export type RouteAccess = Access | 'page' | 'signature' | 'address' | 'client' | 'local'

/** What was decided about one route, and the reason in a few words. */
export interface RouteDecision {
  readonly access: RouteAccess
  readonly why: string
}

/** Decisions by `METHOD /path`; a path that ends in `*` stands for all that begin so. */
export type RouteDecisions = Readonly<Record<string, RouteDecision>>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The endpoint that a route belongs to. Its data names who may use it. */
    endpoint?: Endpoint
  }
  interface FastifyInstance {
    /** Every route that is registered, with who may use it. */
    readonly decidedRoutes: readonly DecidedRoute[]
  }
}

/** One route and who may use it. */
export interface DecidedRoute extends RouteDecision {
  readonly method: string
  readonly url: string
}

/**
 * From now on a route without an explicit decision stops the server from being built: either it belongs to an endpoint, whose data
 * names its access, or it stands in `decisions`. Hands back the list of what was registered, which grows.
 */
export function requireDecisions(app: FastifyInstance, decisions: RouteDecisions): readonly DecidedRoute[] {
  const decided: DecidedRoute[] = []
  app.addHook('onRoute', ({ url, method: methods, config }) => {
    for (const method of [methods].flat()) {
      const decision = decisionOf(method, url, config?.endpoint, decisions)
      if (decision === undefined) {
        throw new Error(
          `${method} ${url} has no access decision: make it an endpoint, or add it to http/other-routes.ts`,
        )
      }
      decided.push({ method, url, ...decision })
    }
  })
  return decided
}

function decisionOf(
  method: string,
  url: string,
  endpoint: Endpoint | undefined,
  decisions: RouteDecisions,
): RouteDecision | undefined {
  if (endpoint !== undefined) return { access: endpoint.access, why: endpoint.summary }
  // Fastify answers HEAD wherever it answers GET, by the same hooks.
  const asked = method === 'HEAD' ? 'GET' : method
  return decisions[patternOf(`${asked} ${url}`, decisions)]
}

/** The row that speaks for `route`: itself, else the longest pattern that covers it. */
export function patternOf(route: string, decisions: RouteDecisions): string {
  if (Object.hasOwn(decisions, route)) return route
  const covering = Object.keys(decisions).filter((key) => key.endsWith('*') && route.startsWith(key.slice(0, -1)))
  return covering.sort((a, b) => b.length - a.length)[0] ?? route
}

/** The whole table as data: every endpoint at each of its paths, then the other routes. */
export function accessTable(endpoints: readonly Endpoint[], decisions: RouteDecisions): DecidedRoute[] {
  const ofEndpoints = endpoints.flatMap(({ method, path, access, summary }) =>
    pathsOf(path).map((url) => ({ method, url, access, why: summary })),
  )
  const others = Object.entries(decisions).map(([route, decision]) => {
    const [method = '', url = ''] = route.split(' ')
    return { method, url, ...decision }
  })
  return [...ofEndpoints, ...others]
}
