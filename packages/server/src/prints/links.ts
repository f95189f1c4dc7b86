/** Which part of a list was asked for, and how many there are. */
export interface ListPart {
  readonly start: number
  readonly limit: number
  readonly total: number
}

/** The headers of a list (decision 6): how many there are, and links to the pages beside this one (RFC 8288). */
export function listHeaders(url: URL, part: ListPart): Record<string, string> {
  const link = linkHeader(url, part)
  return { 'x-total-count': String(part.total), ...(link === undefined ? {} : { link }) }
}

function linkHeader(url: URL, { start, limit, total }: ListPart): string | undefined {
  if (limit === 0) return undefined
  const links = []
  if (start + limit < total) links.push(pageLink(url, start + limit, limit, 'next'))
  // The page before ends where this one starts, or where the list ends; near the beginning it is shorter.
  const end = Math.min(start, total)
  if (end > 0) links.push(pageLink(url, Math.max(0, end - limit), Math.min(limit, end), 'prev'))
  return links.length > 0 ? links.join(', ') : undefined
}

function pageLink(url: URL, start: number, limit: number, rel: string): string {
  const target = new URL(url)
  target.searchParams.set('start', String(start))
  target.searchParams.set('limit', String(limit))
  return `<${target.href}>; rel="${rel}"`
}
