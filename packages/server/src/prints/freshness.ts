import type { IncomingHttpHeaders } from 'node:http'

/** What tells one version of a document from the next. */
export interface Version {
  readonly etag: string
  /** In milliseconds; null when nothing was ever there. */
  readonly lastAt: number | null
}

/** The version of a list that only grows: how long it is and when it last grew. */
export function versionOf(count: number, lastAt: number | null): Version {
  return { etag: `"${count.toString(36)}-${(lastAt ?? 0).toString(36)}"`, lastAt }
}

/** The headers by which a client asks again later. `Last-Modified` knows whole seconds only. */
export function versionHeaders({ etag, lastAt }: Version): Record<string, string> {
  const modified = lastAt === null ? {} : { 'last-modified': new Date(lastAt).toUTCString() }
  return { etag, 'cache-control': 'private, no-cache', ...modified }
}

/** Whether the client has this version already. The entity tag decides where both are sent (RFC 9110, section 13.2.2). */
export function isFresh(version: Version, headers: IncomingHttpHeaders): boolean {
  const tags = headers['if-none-match']
  if (tags !== undefined) return matches(tags, version.etag)
  const since = headers['if-modified-since']
  if (since === undefined || version.lastAt === null) return false
  return Math.floor(version.lastAt / 1000) * 1000 <= Date.parse(since)
}

function matches(ifNoneMatch: string, etag: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(etag)
}
