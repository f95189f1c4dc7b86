import { isPublicAddress } from '../../outbound-rules.js'

/** The server that is imported from. */
export interface Origin {
  /** With the path under which it answers, without a slash at the end. */
  readonly base: URL
  /** Where its name led in the beginning. */
  readonly addresses: ReadonlySet<string>
  /** Whether it lies in a private network itself: none of these addresses is a public one. */
  readonly isPrivate: boolean
}

/** The other server as its name says where it is. */
export function originAt(base: URL, addresses: readonly string[]): Origin {
  return { base, addresses: new Set(addresses), isPrivate: !addresses.some(isPublicAddress) }
}

/**
 * Whether an address may be asked: the other server names addresses of files, and must not lead into a network that it is not part of.
 * Nor may its own name, which it can let lead elsewhere at any time.
 */
export function mayFetch(host: string, address: string, { base, addresses, isPrivate }: Origin): boolean {
  if (host === base.hostname) return addresses.has(address) || (!isPrivate && isPublicAddress(address))
  return isPrivate || isPublicAddress(address)
}

/**
 * Where a file may lie, in the order in which to try. A server that does not know its own address names one that leads nowhere, such as
 * `localhost`; its media then lie under the address by which it is asked.
 */
export function candidatesOf(text: string, { base }: Origin): URL[] {
  if (!URL.canParse(text, base.href)) return []
  const named = new URL(text, base)
  if (named.protocol !== 'http:' && named.protocol !== 'https:') return []
  if (named.host === base.host) return [named]
  const isMedia = named.pathname.startsWith('/media/')
  return isMedia ? [named, new URL(named.pathname + named.search, base)] : [named]
}

/** The token goes to the server that it is for, and to nobody else: not even to the same name without encryption. */
export function maySendToken(url: URL, { base }: Origin): boolean {
  if (url.origin === base.origin) return true
  return url.hostname === base.hostname && base.protocol === 'http:' && url.protocol === 'https:'
}
