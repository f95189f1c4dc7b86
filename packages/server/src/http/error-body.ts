import type { ProblemDetails } from '@printwarden/protocol'
import { API_ERRORS } from '@printwarden/protocol'
import { ApiError } from '../errors.js'

/** How a thrown value is answered. */
export interface Problem {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ProblemDetails & { readonly error?: string }
  /** Whether it is a defect of ours, which belongs in the log with its stack. */
  readonly isDefect: boolean
}

/** The media type of every REST error. */
export const PROBLEM_TYPE = 'application/problem+json'

/** What Fastify and its plugins throw, as our own codes. */
const CODE_OF_FASTIFY: Readonly<Record<string, ApiError['code']>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'not_found',
  FST_REQ_FILE_TOO_LARGE: 'too_large',
  FST_FILES_LIMIT: 'too_large',
  FST_FIELDS_LIMIT: 'too_large',
  FST_PARTS_LIMIT: 'too_large',
  FST_PROTO_VIOLATION: 'invalid_request',
  FST_INVALID_MULTIPART_CONTENT_TYPE: 'unsupported_media_type',
}

const DEFAULT_RETRY_SECONDS: Partial<Record<ApiError['code'], number>> = { rate_limited: 60, unavailable: 5 }

/** Any thrown value as the answer that a client gets. What is not an error of the caller's says nothing about itself. */
export function problemOf(thrown: unknown): Problem {
  const error = asApiError(thrown)
  const { status, title } = API_ERRORS[error.code]
  const body: ProblemDetails = { status, code: error.code, title, detail: detailOf(error) }
  if (error.issues !== undefined) body.issues = [...error.issues]
  return { status, headers: headersOf(error), body, isDefect: error.code === 'internal' }
}

/** The same for clients that show `error` where ours show `detail`. */
export function upstreamProblemOf(thrown: unknown): Problem {
  const problem = problemOf(thrown)
  return { ...problem, body: { ...problem.body, error: problem.body.detail } }
}

function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  const code = thrown instanceof Error && 'code' in thrown ? CODE_OF_FASTIFY[String(thrown.code)] : undefined
  if (code !== undefined) return new ApiError(code, undefined, { cause: thrown })
  // Whatever else Fastify blames on the client is no defect of ours.
  if (isClientError(thrown)) return new ApiError('invalid_request', undefined, { cause: thrown })
  return new ApiError('internal', undefined, { cause: thrown })
}

function isClientError(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !('code' in thrown) || !('statusCode' in thrown)) return false
  const { code, statusCode } = thrown
  return String(code).startsWith('FST_') && typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
}

/** A thing that is missing and a thing that is another's are told in the same words, byte for byte. */
function detailOf(error: ApiError): string {
  return error.code === 'not_found' ? API_ERRORS.not_found.title : error.message
}

function headersOf(error: ApiError): Record<string, string> {
  const headers: Record<string, string> = {}
  if (error.status === 401) headers['www-authenticate'] = challengeOf(error)
  if (error.code === 'insufficient_scope') headers['www-authenticate'] = 'Bearer error="insufficient_scope"'
  const seconds = error.retryAfterSeconds ?? DEFAULT_RETRY_SECONDS[error.code]
  if (seconds !== undefined) headers['retry-after'] = String(seconds)
  return headers
}

/** RFC 6750: without a credential the challenge names no error. */
function challengeOf(error: ApiError): string {
  return error.message === API_ERRORS.unauthorized.title ? 'Bearer' : 'Bearer error="invalid_token"'
}
