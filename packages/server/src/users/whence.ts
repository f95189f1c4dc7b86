import type { FastifyRequest } from 'fastify'
import type { Whence } from './security-events-store.js'

/** Where a request came from, for what is noted about it. */
export function whenceOf(request: Pick<FastifyRequest, 'ip' | 'headers'>): Whence {
  return { ip: request.ip, userAgent: request.headers['user-agent'] ?? null }
}
