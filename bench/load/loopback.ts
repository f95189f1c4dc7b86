/** The load generator refused to be pointed elsewhere. */
export class NotLoopbackError extends Error {
  override readonly name = 'NotLoopbackError'
}

/**
 * The URL, when it is one of this machine's own.
 *
 * @throws {NotLoopbackError} for any other host: load is for servers that the benchmark has started itself
 */
export function requireLoopback(url: string): URL {
  const parsed = new URL(url)
  const host = parsed.hostname.replace(/^\[|\]$/g, '')
  if (host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)) return parsed
  throw new NotLoopbackError(`${parsed.host} is not this machine; a benchmark loads only servers on loopback`)
}

const BLOCK = 250

/**
 * An address of this machine for the client with this index (0–62,499): real clients come from addresses of their own, and what is limited
 * by address would otherwise see all of them as one.
 */
export function addressOf(index: number): string {
  return `127.1.${1 + Math.floor(index / BLOCK)}.${1 + (index % BLOCK)}`
}
