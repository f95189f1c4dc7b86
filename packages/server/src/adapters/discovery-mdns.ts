import { hostname, networkInterfaces } from 'node:os'

/** The type under which agents look for a server. */
const SERVICE = '_printwarden._tcp.local'
const TTL_S = 120

export interface Listening {
  readonly host: string
  readonly port: number
  readonly isTls: boolean
}

/**
 * Answers agents in the local network that look for a server by multicast DNS. Where that does not work, in a container or without
 * a network, nothing happens: it is a help, and nobody depends on it.
 *
 * @returns undefined when the server listens on this machine alone
 */
export async function announceServer(listening: Listening): Promise<{ close: () => void } | undefined> {
  if (addressesOf(listening.host).length === 0) return undefined
  try {
    const { default: makeMdns } = await import('multicast-dns')
    const mdns = makeMdns()
    mdns.on('error', () => undefined)
    mdns.on('warning', () => undefined)
    mdns.on('query', ({ questions = [] }) => {
      if (questions.some(({ name }) => name.toLowerCase() === SERVICE)) mdns.respond(answerOf(listening))
    })
    return { close: () => mdns.destroy() }
  } catch {
    return undefined
  }
}

/** Made anew for each question, since addresses of a network change. */
function answerOf({ host, port, isTls }: Listening) {
  const machine = hostname().split('.')[0] ?? 'server'
  const target = `printwarden-${machine}.local`
  const instance = `Printwarden on ${machine}.${SERVICE}`
  return {
    answers: [{ name: SERVICE, type: 'PTR' as const, ttl: TTL_S, data: instance }],
    additionals: [
      { name: instance, type: 'SRV' as const, ttl: TTL_S, data: { port, target } },
      { name: instance, type: 'TXT' as const, ttl: TTL_S, data: [`scheme=${isTls ? 'https' : 'http'}`] },
      ...addressesOf(host).map((data) => ({ name: target, type: 'A' as const, ttl: TTL_S, data })),
    ],
  }
}

/** The IPv4 addresses at which others in the network reach a server that listens at `host`. */
export function addressesOf(host: string): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const outside = all.filter(({ internal, family }) => !internal && family === 'IPv4').map(({ address }) => address)
  return host === '0.0.0.0' || host === '::' ? outside : outside.filter((address) => address === host)
}
