import type { IncomingHttpHeaders } from 'node:http'
import { addressGroup } from '../users/attempts.js'

/** Where a request comes from, as Fastify tells it. `ips` is there when proxies are trusted. */
export interface Sender {
  readonly ip: string
  readonly ips?: readonly string[] | undefined
  readonly headers: IncomingHttpHeaders
}

/**
 * The public address that people of one network share; undefined when a proxy stands between that we do not trust, since then
 * everybody would seem to come from the same one.
 */
export function networkOf({ ip, ips, headers }: Sender): string | undefined {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined
  if (isForwarded && (ips?.length ?? 1) < 2) return undefined
  return addressGroup(ip)
}

const PRIVATE_V4 = /^(10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))\./
const V4 = /^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/
const PRIVATE_V6 = /^(::1$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/

/** Whether this is an address of a private network, so that only those inside can reach it. A host name is none. */
export function isPrivateAddress(host: string): boolean {
  const address = host.trim().toLowerCase()
  if (V4.test(address)) return PRIVATE_V4.test(address)
  return /^[0-9a-f:]+(%\w+)?$/.test(address) && PRIVATE_V6.test(address)
}
