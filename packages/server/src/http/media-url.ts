import { createHash } from 'node:crypto'

/** How long the URL of a blob works at least. It stays the same within the hour, so that browsers keep what they have. */
const HOUR_SECONDS = 3600
const LIFETIME_HOURS = 24

/** The second at which a URL made now stops to work. */
export function mediaExpiry(nowMs: number): number {
  return (Math.floor(nowMs / 1000 / HOUR_SECONDS) + LIFETIME_HOURS) * HOUR_SECONDS
}

/** What is signed: the key, the end of its life and the name it is saved under, so that none can be changed alone. */
export function mediaClaim(key: string, expires: number, filename?: string): string {
  return filename === undefined ? `media\n${key}\n${expires}` : `media\n${key}\n${expires}\n${filename}`
}

/** The bytes that a `Range` header asks for, both ends inclusive; undefined for the whole, null for what cannot be given. */
export function parseRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | null | undefined {
  if (header === undefined) return undefined
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim())
  const [, from = '', to = ''] = match ?? []
  // Other units and lists of ranges may be ignored (RFC 9110, section 14.2).
  if (match === null || (from === '' && to === '')) return undefined
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return start > end || start >= size ? null : { start, end }
}

/**
 * The entity tag of a blob. What lies under a key is written once, or made anew from the same things, so that key and size tell it from others.
 */
export function mediaTag(key: string, size: number): string {
  return `"${createHash('sha256').update(`${key}\n${size}`).digest('base64url').slice(0, 27)}"`
}

/** Whether the part that is asked for is one of what is there now (RFC 9110, section 13.1.5). */
export function isRangeMeant(ifRange: string | undefined, tag: string): boolean {
  return ifRange === undefined || ifRange.trim() === tag
}
