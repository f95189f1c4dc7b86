import type { Methods } from './methods.js'
import type { CallOptions } from './operation.js'

/** How an iterator goes from page to page. */
export interface Paging {
  readonly list: keyof Methods
  /** `page` counts pages from 1, `start` counts what was skipped. */
  readonly by: 'page' | 'start'
}

/** What a list is a list of. */
export type Item<Id extends keyof Methods> =
  Awaited<ReturnType<Methods[Id]>> extends readonly (infer One)[] ? One : never

type List = (input: Readonly<Record<string, unknown>>, options: CallOptions) => Promise<readonly unknown[]>

/**
 * The items of all pages, one after the other. The next page is where the server's `Link` says; a server behind a proxy that takes
 * the header away is asked page by page until `X-Total-Count` is reached, or a page is empty. What slid onto the next page because
 * something new came in front is not given twice.
 */
export async function* allItems(
  list: List,
  by: Paging['by'],
  input: Readonly<Record<string, unknown>>,
  options: CallOptions,
): AsyncGenerator<unknown, void, undefined> {
  let query: Readonly<Record<string, unknown>> = { ...input }
  let given = new Set<unknown>()
  for (let count = 0, number = 1; ; number += 1) {
    let headers = new Headers()
    const items = await list(query, {
      ...options,
      onResponse: (response) => {
        headers = response.headers
        options.onResponse?.(response)
      },
    })
    for (const item of items) if (!given.has(idOf(item))) yield item
    given = new Set(items.map(idOf).filter((id) => id !== undefined))
    count += items.length
    const next = nextOf(headers, { by, count, number, isEmpty: items.length === 0 })
    if (next === undefined) return
    query = { ...input, ...next }
  }
}

const idOf = (item: unknown): unknown =>
  typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined

interface Place {
  readonly by: Paging['by']
  /** How many items there were so far. */
  readonly count: number
  /** Which page this was. */
  readonly number: number
  readonly isEmpty: boolean
}

/** The parameters of the next page; undefined after the last. */
export function nextOf(headers: Headers, place: Place): Record<string, unknown> | undefined {
  if (place.isEmpty) return undefined
  const link = headers.get('link')
  if (link !== null) return nextOfLink(link)
  const total = headers.get('x-total-count')
  if (total === null || place.count >= Number(total)) return undefined
  return place.by === 'page' ? { page: place.number + 1 } : { start: place.count }
}

/**
 * Only the query counts: behind a proxy the address in front of it may be one that this client cannot reach, or should not send
 * its token to.
 */
function nextOfLink(link: string): Record<string, unknown> | undefined {
  const target = /<([^>]*)>(?=[^,<]*;\s*rel="?next"?)/.exec(link)?.[1]
  if (target === undefined) return undefined
  const query: Record<string, unknown> = {}
  const { searchParams } = new URL(target, 'http://localhost')
  for (const name of searchParams.keys()) {
    const values = searchParams.getAll(name)
    query[name] = values.length === 1 ? values[0] : values
  }
  return query
}
