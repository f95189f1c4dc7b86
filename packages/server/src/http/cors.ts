/** Paths that pages of any origin may call with a token (decision 3). Cookies never work there: credentials are not allowed. */
const OPEN_TO_ALL =
  /^\/(api|assistant\/api|jusprin|p)\/|^\/o\/(token|revoke_token)\/?$|^\/\.well-known\/|^\/openapi\.json$/

const ALLOWED_HEADERS = 'Authorization, X-API-KEY, Content-Type, If-Modified-Since, If-None-Match, Range'
const ALLOWED_METHODS = 'GET, HEAD, POST, PATCH, PUT, DELETE, OPTIONS'
const EXPOSED_HEADERS = 'Link, X-Total-Count, Retry-After, Last-Modified'

/** The headers that let pages of other origins read an answer; none for what is our own pages' alone. */
export function corsHeaders(path: string): Record<string, string> {
  if (!OPEN_TO_ALL.test(path)) return {}
  return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED_HEADERS }
}

/** The further headers of an answer to a preflight. */
export function preflightHeaders(path: string): Record<string, string> {
  if (!OPEN_TO_ALL.test(path)) return {}
  return {
    'access-control-allow-headers': ALLOWED_HEADERS,
    'access-control-allow-methods': ALLOWED_METHODS,
    'access-control-max-age': '86400',
  }
}
