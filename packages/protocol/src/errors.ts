import { z } from 'zod'

/** Every error code of the REST API with its HTTP status and title (decision 3). Codes are part of the API; texts may change. */
export const API_ERRORS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  malformed_json: { status: 400, title: 'The body is not JSON' },
  invalid_image: { status: 400, title: 'The file is not a picture we can read' },
  unauthorized: { status: 401, title: 'Authentication is required' },
  token_expired: { status: 401, title: 'The token has expired' },
  token_revoked: { status: 401, title: 'The token was revoked' },
  credits_exhausted: { status: 402, title: 'No AI credits are left' },
  insufficient_scope: { status: 403, title: 'The token lacks the required scope' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  conflict: { status: 409, title: 'The request conflicts with the present state' },
  expired: { status: 410, title: 'It has expired' },
  too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The content type is not supported' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  assistant_not_configured: { status: 503, title: 'The assistant is not configured' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
  storage_full: { status: 507, title: 'The storage is full' },
} as const satisfies Record<string, { status: number; title: string }>

/** A stable code of a REST error. */
export type ApiErrorCode = keyof typeof API_ERRORS

/** One thing wrong with the input: `path` is dotted, as in `settings.webcams.0.name`. */
export const Issue = z.object({ path: z.string(), message: z.string() })
export type Issue = z.infer<typeof Issue>

/** The body of every REST error: problem details (RFC 9457), media type `application/problem+json`. */
export const ProblemDetails = z
  .object({
    status: z.int(),
    code: z.enum(Object.keys(API_ERRORS) as [ApiErrorCode, ...ApiErrorCode[]]),
    title: z.string(),
    detail: z.string(),
    issues: z.array(Issue).optional(),
  })
  .meta({ id: 'ProblemDetails' })
export type ProblemDetails = z.infer<typeof ProblemDetails>

/** Error codes of `/o/…` (section 7, and RFC 6749, 7009, 8628). */
export const OAUTH_ERRORS = [
  'invalid_client',
  'invalid_grant',
  'invalid_redirect_uri',
  'access_denied',
  'invalid_request',
  'invalid_scope',
  'unsupported_grant_type',
  'unsupported_response_type',
  'unauthorized_client',
  'temporarily_unavailable',
  'authorization_pending',
  'slow_down',
  'expired_token',
  'server_error',
] as const
export type OAuthErrorCode = (typeof OAUTH_ERRORS)[number]

/** Close codes of our websockets (decision 16). 1012 is the standard "service restart": come back soon. */
export const CLOSE_CODES = {
  restart: 1012,
  replaced: 4321,
  notJson: 4400,
  unauthorized: 4401,
  silent: 4408,
  tooLarge: 4413,
  tooManyMessages: 4429,
} as const
