import { type Part, partsOf } from './multipart.js'
import type { Operation } from './operation.js'

/** An input: everything in one object, by name. */
export type Fields = Readonly<Record<string, unknown>>

/** An input, spread over a request. */
export interface Prepared {
  readonly url: string
  readonly json: string | undefined
  readonly parts: readonly Part[] | undefined
}

/** Spreads a flat input over path, query and body, by the operation's table entry. Throws a `TypeError` when the path lacks something. */
export function prepare(baseUrl: string, operation: Operation, input: Fields): Prepared {
  let path = operation.path
  const query: string[] = []
  const rest: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue
    if (path.includes(`{${name}}`)) path = path.replace(`{${name}}`, segmentOf(name, value))
    else if (operation.query.includes(name)) query.push(...pairsOf(name, value))
    else rest[name] = value
  }
  const missing = /\{(\w+)\}/.exec(path)?.[1]
  if (missing !== undefined) throw new TypeError(`"${missing}" is missing`)
  return {
    url: `${baseUrl}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`,
    json: operation.body === 'json' ? JSON.stringify(rest) : undefined,
    parts: typeof operation.body === 'object' ? partsOf(operation.body, rest) : undefined,
  }
}

/** One segment of a path. */
function segmentOf(name: string, value: unknown): string {
  const text = String(value)
  // A URL takes these for directions, however they are written, and would lead to another endpoint.
  if (text === '' || text === '.' || text === '..') throw new TypeError(`"${name}" must not be "${text}"`)
  return encodeURIComponent(text)
}

/** A list is repeated. */
function pairsOf(name: string, value: unknown): string[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`)
}
