import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import { addressGroup } from '../limits/address.js'
import { LocalRate } from '../limits/local-rate.js'
import type { Refusals } from '../limits/refusals.js'
import type { LimitSettings } from '../limits/settings.js'
import type { Clock } from '../ports.js'

/** Counts a probe for its address. @throws {ApiError} rate_limited */
export type ProbeLimit = (request: FastifyRequest) => void

export interface ProbeLimitDeps {
  readonly limits: Pick<LimitSettings, 'address_probes'>
  readonly clock: Clock
  readonly refusals: Refusals
}

const NAME = 'address_probes'

/** Each node counts by itself, since a probe must not wait for others. This machine asks as often as it likes. */
export function probeLimit({ limits, clock, refusals }: ProbeLimitDeps): ProbeLimit {
  const asked = new LocalRate<string>(limits.address_probes)
  return (request) => {
    if (isLocal(request)) return
    const address = addressGroup(request.ip)
    const waitMs = asked.take(address, 1, clock.now())
    if (waitMs === 0) return
    refusals.note(NAME, address)
    throw new ApiError('rate_limited', `The limit ${NAME} was met.`, { retryAfterSeconds: Math.ceil(waitMs / 1000) })
  }
}

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])

/** From this machine itself, and not on behalf of somebody behind a proxy. */
export function isLocal({ socket, headers }: FastifyRequest): boolean {
  return (
    LOOPBACK.has(socket.remoteAddress ?? '') &&
    headers['x-forwarded-for'] === undefined &&
    headers.forwarded === undefined
  )
}
