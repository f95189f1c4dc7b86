import type { IncomingHttpHeaders } from 'node:http'

/** What an origin is made of. Fastify fills it, believing `X-Forwarded-*` from trusted proxies alone. */
export interface Addressed {
  readonly protocol: string
  readonly host: string
  readonly headers: IncomingHttpHeaders
}

const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?$/

/** The origin that the client used. A `Host` header that is no host name counts as absent. */
export function originOf({ protocol, host }: Addressed): string {
  return `${protocol}://${HOST.test(host) ? host.toLowerCase() : 'localhost'}`
}

/**
 * Whether a request that carries a session comes from our own pages. Browsers name the page's origin on every unsafe request and
 * on every websocket; a client that names none is no browser, so nobody can have been tricked into sending it.
 */
export function isOwnOrigin(request: Addressed, publicUrl: string | undefined): boolean {
  const { origin } = request.headers
  if (origin === undefined) return !['cross-site', 'same-site'].includes(String(request.headers['sec-fetch-site']))
  if (origin === publicUrl) return true
  if (!URL.canParse(origin)) return false
  const page = new URL(origin)
  // A proxy that ends https and is not trusted leaves us with http; the host must be ours all the same.
  return page.host === request.host.toLowerCase() && (request.protocol === 'http' || page.protocol === 'https:')
}
