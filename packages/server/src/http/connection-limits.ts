import type { IncomingMessage, Server } from 'node:http'
import { BlockList, isIP, type Socket } from 'node:net'
import { addressGroup } from '../limits/address.js'
import { LocalRate } from '../limits/local-rate.js'
import type { Refusals } from '../limits/refusals.js'
import type { LimitName, LimitSettings } from '../limits/settings.js'
import type { Clock } from '../ports.js'

/** How long the head of a request, or the handshake of TLS before it, may take to arrive. */
export const HEAD_TIME_MS = 15_000

/** How often it is looked who is late. */
export const HEAD_CHECK_MS = 5_000

/** So long nobody is closed for saying nothing: a handshake of TLS is silent too, and takes long while a whole farm comes back. */
export const PATIENCE_MS = 5_000

export interface ConnectionLimitsDeps {
  readonly limits: LimitSettings
  readonly trustedProxies: readonly string[]
  readonly clock: Clock
  readonly refusals: Refusals
}

/** What one address has open. */
interface Peer {
  open: number
  /** Connections over which no whole request head has come yet, the oldest first, and since when. */
  readonly silent: Map<Socket, number>
}

/**
 * Limits what each address may have open, before anything is read from it. Trusted proxies speak for many, so they are not counted here.
 * Of connections that say nothing the oldest makes way for a new one, so that whoever holds many keeps nobody out; while it is young, they
 * are more for a moment, up to what an address may have open.
 */
export function limitConnections(server: Server, deps: ConnectionLimitsDeps): void {
  const { limits, clock, refusals } = deps
  const proxies = blocksOf(deps.trustedProxies)
  const opened = new LocalRate<string>(limits.address_connections_opened)
  const peers = new Map<string, Peer>()
  /** Sockets by who is at the other end: below TLS it is another object, with the same numbers. */
  const silent = new Map<string, { readonly socket: Socket; readonly peer: Peer }>()

  function refuse(limit: LimitName, address: string, socket: Socket): void {
    refusals.note(limit, address)
    socket.destroy()
  }

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isOneOf(proxies, remoteAddress)) return
    const address = addressGroup(remoteAddress)
    const now = clock.now()
    const peer = peers.get(address) ?? { open: 0, silent: new Map() }
    if (opened.take(address, 1, now) > 0) return refuse('address_connections_opened', address, socket)
    if (peer.open >= limits.address_connections) return refuse('address_connections', address, socket)
    for (const [oldest, since] of peer.silent) {
      if (peer.silent.size < limits.address_silent_connections || now - since < PATIENCE_MS) break
      peer.silent.delete(oldest)
      refuse('address_silent_connections', address, oldest)
    }
    peers.set(address, peer)
    peer.open += 1
    peer.silent.set(socket, now)
    const key = keyOf(socket)
    silent.set(key, { socket, peer })
    socket.once('close', () => {
      peer.open -= 1
      peer.silent.delete(socket)
      silent.delete(key)
      if (peer.open === 0) peers.delete(address)
    })
  })

  const heard = ({ socket }: IncomingMessage): void => {
    const key = keyOf(socket)
    const entry = silent.get(key)
    if (entry === undefined) return
    entry.peer.silent.delete(entry.socket)
    silent.delete(key)
  }
  server.on('request', heard)
  server.on('upgrade', heard)
}

const keyOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`

function blocksOf(addresses: readonly string[]): BlockList {
  const blocks = new BlockList()
  for (const text of addresses) {
    const [address = '', prefix] = text.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) blocks.addAddress(address, family)
    else blocks.addSubnet(address, Number(prefix), family)
  }
  return blocks
}

function isOneOf(blocks: BlockList, remoteAddress: string): boolean {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '')
  return blocks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
