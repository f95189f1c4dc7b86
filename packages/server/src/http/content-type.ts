import type { Endpoint } from '@printwarden/protocol'
import { ApiError } from '../errors.js'

/**
 * Refuses a body that the endpoint cannot read. Without a body any content type will do: some clients name one on every request.
 */
export function checkContentType(endpoint: Endpoint, contentType: string | undefined, hasBody: boolean): void {
  if (!hasBody) return
  const type = typeOf(contentType)
  const readable = readableTypes(endpoint)
  if (!readable.some((one) => one === type || (one === JSON_TYPE && isJson(type)))) {
    throw new ApiError('unsupported_media_type', `The body must be ${readable.join(' or ')}.`)
  }
  if (type === 'multipart/form-data' && !/;\s*boundary=[^;\s]/i.test(contentType ?? '')) {
    throw new ApiError('invalid_request', 'The content type names no boundary.')
  }
}

/** A packed body is never unpacked: it may be a thousand times as large as what was sent. */
export function checkContentEncoding(contentEncoding: string | undefined, hasBody: boolean): void {
  if (!hasBody || contentEncoding === undefined || contentEncoding.trim().toLowerCase() === 'identity') return
  throw new ApiError('unsupported_media_type', 'The body must not be packed (Content-Encoding).')
}

const JSON_TYPE = 'application/json'

const typeOf = (contentType: string | undefined): string =>
  (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

export function isJson(contentType: string | undefined): boolean {
  const type = typeOf(contentType)
  return type === JSON_TYPE || type.endsWith('+json')
}

/** The content types that an endpoint reads. */
export function readableTypes({ multipart, body, rawTypes = [] }: Endpoint): string[] {
  if (multipart === undefined) return [JSON_TYPE]
  const needsFile = multipart.some((field) => field.kind === 'file' && field.required)
  const forms = needsFile ? ['multipart/form-data'] : ['multipart/form-data', 'application/x-www-form-urlencoded']
  return [...(body === undefined ? [] : [JSON_TYPE]), ...forms, ...rawTypes]
}
