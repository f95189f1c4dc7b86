import type { OAuthErrorCode as ServerCode } from '@printwarden/protocol'

/**
 * A stable code of an error of signing in. Those of the server are OAuth's own; newer servers may send others. The SDK itself uses
 *
 * - `state_mismatch`: the callback does not belong to a sign-in that was begun here, or was handled before
 * - `issuer_mismatch`: another server than the expected one sent the browser back
 * - `unexpected_answer`: what answered does not speak OAuth (a proxy's error page, another program at the address)
 */
export type OAuthErrorCode = ServerCode | 'state_mismatch' | 'issuer_mismatch' | 'unexpected_answer' | (string & {})

/** Signing in, or something else at the authorization server, was refused. Branch on `code`, never on the text. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  /** The stable code. */
  readonly code: OAuthErrorCode
  /** The HTTP status; undefined when the refusal came by the browser, or from the SDK itself. */
  readonly status: number | undefined

  constructor(code: OAuthErrorCode, message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, options)
    this.code = code
    this.status = options.status
  }
}
