/** A statement that the database refused, in the same words by both engines. `code` is the engine's own. */
export class StatementError extends Error {
  override readonly name = 'StatementError'

  constructor(
    message: string,
    readonly code: string | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
