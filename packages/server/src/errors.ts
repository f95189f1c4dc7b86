import type { ApiErrorCode, Issue, OAuthErrorCode } from '@printwarden/protocol'
import { API_ERRORS } from '@printwarden/protocol'

/** An error that the caller is told about. `detail` is for people, `code` for programs. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** What is wrong with which part of the input. */
  readonly issues: readonly Issue[] | undefined
  /** Seconds after which another try makes sense. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    readonly code: ApiErrorCode,
    detail: string = API_ERRORS[code].title,
    options: ErrorOptions & { issues?: readonly Issue[]; retryAfterSeconds?: number } = {},
  ) {
    super(detail, options)
    this.status = API_ERRORS[code].status
    this.issues = options.issues
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}

/** An error of `/o/…`, answered in OAuth's own form. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'

  constructor(
    readonly code: OAuthErrorCode,
    /** Whether it may be sent to the redirect URI: only once that has been proven. */
    readonly redirectable: boolean,
    description: string = code,
    options?: ErrorOptions,
  ) {
    super(description, options)
  }
}
