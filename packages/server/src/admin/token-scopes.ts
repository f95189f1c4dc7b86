import { parseScopes, type Scope } from '@printwarden/protocol'
import { ApiError } from '../errors.js'

/**
 * The scopes that an administrator asked for. Unlike an app's request, where unknown words are dropped, a slip of the pen is told.
 * @throws {ApiError} invalid_request
 */
export function scopesAskedFor(text: string): Scope[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const scopes = parseScopes(text)
  if (words.length > 0 && words.every((word) => scopes.some((scope) => scope === word))) return scopes
  const message = 'must be "read", "write" or "read write"'
  throw new ApiError('invalid_request', undefined, { issues: [{ path: 'scope', message }] })
}
