import { BlockList, isIP, isIPv6 } from 'node:net'

// Which addresses the server may ask on somebody else's behalf. Pure: names are resolved by the adapter.

/** One entry of PRINTWARDEN_OUTBOUND_ALLOW. */
export interface AllowEntry {
  /** A host name in lower case, an address, or a block of addresses. */
  readonly host: string
  /** The prefix of a block; undefined for a name or a single address. */
  readonly prefix?: number | undefined
  /** Only this port; undefined for every port. */
  readonly port?: number | undefined
}

/** An address that is asked, and the name it was found by. */
export interface Target {
  /** As it stands in the URL, in lower case, without brackets. */
  readonly host: string
  readonly address: string
  readonly port: number
}

/** Blocks that are no part of the public internet, or that lead back into a private network. */
const CLOSED_4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // carrier-grade NAT; also a cloud's metadata
  '127.0.0.0/8',
  '168.63.129.16/32', // a cloud's metadata at a public address
  '169.254.0.0/16', // link-local; also most clouds' metadata
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
const CLOSED_6 = [
  '2001::/23', // tunnels and other special uses
  '2001:db8::/32',
  '3fff::/20',
]
/** IPv6 addresses that are IPv4 ones in disguise: where the four bytes begin. */
const DISGUISES: readonly (readonly [block: string, firstByte: number])[] = [
  ['::ffff:0:0/96', 12],
  ['64:ff9b::/96', 12],
  ['2002::/16', 2],
]

function blocksOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix = ''] = range.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}

const closed4 = blocksOf(CLOSED_4, 'ipv4')
const closed6 = blocksOf(CLOSED_6, 'ipv6')
const global6 = blocksOf(['2000::/3'], 'ipv6')
const disguises = DISGUISES.map(([block, at]) => ({ list: blocksOf([block], 'ipv6'), at }))

/** The sixteen bytes of an IPv6 address. */
function bytesOf(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address)
  const plain = dotted === null ? address : `${dotted[1]}${pair(dotted[2], dotted[3])}:${pair(dotted[4], dotted[5])}`
  const [head = '', tail] = plain.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after].map((group) => Number.parseInt(group, 16))
  return groups.flatMap((group) => [group >> 8, group & 255])
}

function pair(high = '0', low = '0'): string {
  return ((Number(high) << 8) | Number(low)).toString(16)
}

/** Whether an address belongs to the public internet. What is no address does not. */
export function isPublicAddress(address: string): boolean {
  const plain = withoutZone(address)
  const family = isIP(plain)
  if (family === 4) return !closed4.check(plain, 'ipv4')
  if (family !== 6) return false
  const disguise = disguises.find(({ list }) => list.check(plain, 'ipv6'))
  if (disguise !== undefined) {
    return isPublicAddress(
      bytesOf(plain)
        .slice(disguise.at, disguise.at + 4)
        .join('.'),
    )
  }
  return global6.check(plain, 'ipv6') && !closed6.check(plain, 'ipv6')
}

const withoutZone = (address: string): string => address.split('%', 1)[0] ?? ''

/** Whether `target` may be asked: it is public, or the operator has listed it. */
export function mayAsk(target: Target, allowed: readonly AllowEntry[]): boolean {
  return isPublicAddress(target.address) || allowed.some((entry) => covers(entry, target))
}

function covers({ host, prefix, port }: AllowEntry, target: Target): boolean {
  if (port !== undefined && port !== target.port) return false
  const family = isIP(host)
  if (family === 0) return host === target.host.replace(/\.$/, '')
  const address = plainAddress(target.address)
  if (isIP(address) !== family) return false
  const list = new BlockList()
  const name = family === 4 ? 'ipv4' : 'ipv6'
  list.addSubnet(host, prefix ?? (family === 4 ? 32 : 128), name)
  return list.check(address, name)
}

/** An IPv4 address that is written as an IPv6 one counts as what it is: else a list of IPv4 blocks would not cover it. */
function plainAddress(address: string): string {
  const plain = withoutZone(address)
  const isMapped = isIPv6(plain) && disguises[0]?.list.check(plain, 'ipv6') === true
  return isMapped ? bytesOf(plain).slice(12).join('.') : plain
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/

/** Reads one entry of the list; undefined when it is none. */
export function parseAllowEntry(text: string): AllowEntry | undefined {
  const { host, prefix, port } =
    /^(?<host>[^/]*?)(?:\/(?<prefix>\d{1,3}))?(?::(?<port>\d{1,5}))?$/.exec(text.trim())?.groups ?? {}
  // A bare IPv6 address has colons of its own, so its port stands after brackets.
  const whole = isIP(text.trim()) === 6 || /^[0-9a-f:.]+\/\d+$/i.test(text.trim())
  return whole ? entryOf(...split(text.trim())) : entryOf(host ?? '', prefix, port)
}

function split(text: string): [string, string | undefined, undefined] {
  const [host = '', prefix] = text.split('/')
  return [host, prefix, undefined]
}

function entryOf(host: string, prefix: string | undefined, port: string | undefined): AllowEntry | undefined {
  const bracketed = /^\[(?<inner>[^\]]+)\]$/.exec(host)?.groups?.['inner']
  const name = (bracketed ?? host).toLowerCase().replace(/\.$/, '')
  const family = isIP(name)
  const bits = prefix === undefined ? undefined : Number(prefix)
  const portNumber = port === undefined ? undefined : Number(port)
  if (bracketed !== undefined && family !== 6) return undefined
  // A colon in an address without brackets is no beginning of a port.
  if (family === 6 && bracketed === undefined && port !== undefined) return undefined
  if (family === 0 && (bits !== undefined || !HOST_NAME.test(name) || /^[\d.]+$/.test(name))) return undefined
  if (bits !== undefined && bits > (family === 4 ? 32 : 128)) return undefined
  if (portNumber !== undefined && (portNumber < 1 || portNumber > 65_535)) return undefined
  return { host: name, prefix: bits, port: portNumber }
}
