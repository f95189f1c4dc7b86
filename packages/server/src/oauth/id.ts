import { ApiError } from '../errors.js'

/** The id in a page's path. @throws {ApiError} not_found */
export function idOf(params: unknown): number {
  const text: unknown = typeof params === 'object' && params !== null ? Reflect.get(params, 'id') : undefined
  const id = typeof text === 'string' && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(id)) throw new ApiError('not_found')
  return id
}
