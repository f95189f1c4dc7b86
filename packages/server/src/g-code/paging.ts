import { DEFAULT_PAGE_SIZE } from '@printwarden/protocol'

/** Which page of a list, from 1. */
export interface Page {
  readonly page: number
  readonly page_size: number
}

/** The page that a query asks for (decision 6). */
export function pageOf(query: { readonly page?: number | undefined; readonly page_size?: number | undefined }): Page {
  return { page: query.page ?? 1, page_size: query.page_size ?? DEFAULT_PAGE_SIZE }
}

/** How many rows come before the page. */
export function offsetOf({ page, page_size }: Page): number {
  return (page - 1) * page_size
}

/** The headers of a page: how many there are in all, and links to the pages beside it (RFC 8288). */
export function pageHeaders(url: URL, { page, page_size }: Page, total: number): Record<string, string> {
  const last = Math.max(1, Math.ceil(total / page_size))
  const links = [
    ...(page < last ? [pageLink(url, page + 1, 'next')] : []),
    // From beyond the end the way back leads to the last page that holds something.
    ...(page > 1 ? [pageLink(url, Math.min(page - 1, last), 'prev')] : []),
  ]
  return { 'x-total-count': String(total), ...(links.length > 0 ? { link: links.join(', ') } : {}) }
}

function pageLink(url: URL, page: number, rel: string): string {
  const target = new URL(url)
  target.searchParams.set('page', String(page))
  return `<${target.href}>; rel="${rel}"`
}
