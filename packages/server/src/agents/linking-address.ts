import type { IncomingHttpHeaders } from 'node:http'
import { addressGroup } from '../limits/address.js'

/** Where a request comes from, as Fastify tells it. `ips` is there when proxies are trusted. */
export interface Sender {
  readonly ip: string
  readonly ips?: readonly string[] | undefined
  readonly headers: IncomingHttpHeaders
}

/** A place in a private network: which network, and the sender's own address in it. */
export interface Home {
  readonly network: string
  readonly address: string
}

/**
 * The private network from which a request came here directly; undefined for one that came by way of anything else: from the internet,
 * where strangers share addresses, from this machine, where a proxy or tunnel may speak for anybody, and through a proxy that is not
 * trusted. A network is what shares the first three numbers of an IPv4 address, or the first half of an IPv6 address.
 */
export function homeOf({ ip, ips, headers }: Sender): Home | undefined {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined
  if (isForwarded && (ips?.length ?? 1) < 2) return undefined
  return homeAt(ip)
}

/** The place that an address names, if it is one of a private network. A host name is none. */
export function homeAt(host: string): Home | undefined {
  const address = plainAddress(host)
  if (V4.test(address)) {
    return PRIVATE_V4.test(address) ? { network: address.replace(/\d+$/, '0/24'), address } : undefined
  }
  return V6.test(address) && PRIVATE_V6.test(address) ? { network: addressGroup(address), address } : undefined
}

/** Without what says the same in another way: an IPv4 address inside an IPv6 one, the zone of a link. */
function plainAddress(host: string): string {
  const [address = ''] = host.trim().toLowerCase().split('%', 1)
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1] ?? address
}

const V4 = /^(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}$/
/** As a socket tells it: groups, of which zeros may be left out once. */
const V6 = /^(?!.*(:::|::.*::))[0-9a-f]{1,4}(:[0-9a-f]{0,4}){2,7}$/
const PRIVATE_V4 = /^(10|169\.254|192\.168|172\.(1[6-9]|2\d|3[01]))\./
const PRIVATE_V6 = /^(f[cd][0-9a-f]{2}|fe[89ab][0-9a-f]):/
