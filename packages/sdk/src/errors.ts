import type { Command } from './resources.js'
import type { components } from './schema.js'

/** One thing wrong with the input of a request: `path` is dotted, as in `detective_sensitivity` or `settings.webcams.0.name`. */
export interface Issue {
  readonly path: string
  readonly message: string
}

/**
 * A stable code of an error. Branch on it, never on the text. Newer servers may send codes that are not listed; the SDK itself
 * uses `unexpected_answer` when what answered does not speak the API (a proxy's error page, another program at the address).
 */
export type ApiErrorCode = components['schemas']['ProblemDetails']['code'] | 'unexpected_answer' | (string & {})

/** What an {@link ApiError} is made of. */
export interface ApiErrorFields {
  readonly status: number
  readonly code: ApiErrorCode
  readonly title: string
  readonly detail: string
  readonly issues?: readonly Issue[] | undefined
  readonly retryAfterSeconds?: number | undefined
}

/**
 * The server answered, and the answer was no.
 *
 * Common codes: `unauthorized`, `token_expired`, `token_revoked` (401), `insufficient_scope` (403), `not_found` (404, also for
 * what belongs to somebody else), `invalid_request` (400, with {@link ApiError.issues}), `conflict` (409), `rate_limited` (429)
 * and `unavailable` (503), both with {@link ApiError.retryAfterSeconds}.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** The HTTP status. */
  readonly status: number
  /** The stable code. */
  readonly code: ApiErrorCode
  /** What the code means, in a few words. */
  readonly title: string
  /** What happened this time. Also the `message`. */
  readonly detail: string
  /** What is wrong with the input; empty unless the input was the problem. */
  readonly issues: readonly Issue[]
  /** How long the server asks to wait before trying again, in seconds; undefined when it did not say. */
  readonly retryAfterSeconds: number | undefined

  constructor(fields: ApiErrorFields, options?: ErrorOptions) {
    super(fields.detail, options)
    this.status = fields.status
    this.code = fields.code
    this.title = fields.title
    this.detail = fields.detail
    this.issues = fields.issues ?? []
    this.retryAfterSeconds = fields.retryAfterSeconds
  }
}

/**
 * No answer came: the server could not be reached, the connection broke, or the time ran out. Whether the server did what was
 * asked is unknown. `cause` holds the error of the platform.
 */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
}

/** Why a command did not come to its end: see {@link CommandError.code}. */
export type CommandErrorCode = 'not_sent' | 'failed' | 'timed_out'

/**
 * A command did not do what it was for.
 *
 * - `not_sent`: it never left the server; the agent is not connected, or there is no print it could be about
 * - `failed`: the printer could not do it; the `message` says why, in the words of its host
 * - `timed_out`: the agent or the printer did not do it in time. It may still happen
 */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  /** What went wrong. */
  readonly code: CommandErrorCode
  /** The command as it was last; undefined when there is none. */
  readonly command: Command | undefined

  constructor(code: CommandErrorCode, message: string, command?: Command) {
    super(message)
    this.code = code
    this.command = command
  }
}

/**
 * An error answer as an {@link ApiError}.
 *
 * @param body the body, parsed when it is JSON, whatever it is
 * @param retryAfter the header of that name, if any
 * @param nowMs the time, for a `Retry-After` that is a date
 */
export function errorFromAnswer(status: number, body: unknown, retryAfter: string | null, nowMs: number): ApiError {
  const retryAfterSeconds = readRetryAfter(retryAfter, nowMs)
  const problem = readProblem(body)
  if (problem !== undefined) return new ApiError({ ...problem, status, retryAfterSeconds })
  return new ApiError({
    status,
    code: 'unexpected_answer',
    title: 'Not an answer of the API',
    detail: `The server answered ${status} in a form that is not of this API.`,
    retryAfterSeconds,
  })
}

/** The seconds of a `Retry-After` header, which may be a date too; undefined when it says nothing. */
export function readRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.trim() === '') return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - nowMs) / 1000))
}

function readProblem(body: unknown): Omit<ApiErrorFields, 'status'> | undefined {
  if (!isRecord(body) || typeof body.code !== 'string') return undefined
  const title = typeof body.title === 'string' ? body.title : body.code
  const detail = typeof body.detail === 'string' ? body.detail : title
  return { code: body.code, title, detail, issues: readIssues(body.issues) }
}

function readIssues(value: unknown): Issue[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((item: unknown) =>
    isRecord(item) && typeof item.path === 'string' && typeof item.message === 'string'
      ? [{ path: item.path, message: item.message }]
      : [],
  )
}

/** The parsed text, or undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a value is an object with string keys. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
