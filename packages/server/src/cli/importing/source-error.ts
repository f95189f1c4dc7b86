/** Why the other server did not give something. */
export type SourceErrorCode = 'unreachable' | 'refused_address' | 'unauthorized' | 'gone' | 'broken' | 'not_understood'

/** The other server did not give something. The message is one line for people. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  constructor(
    readonly code: SourceErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
