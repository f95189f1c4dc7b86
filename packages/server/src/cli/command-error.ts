/** A command could not do its work; the message is one line that says what to do next. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** The server refused: by this status. */
export class RefusedError extends CommandError {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message)
  }
}

/** The server did not answer. */
export class UnansweredError extends CommandError {}

/** The words of an error for people; PostgreSQL says in its detail which row it is about. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const detail = 'detail' in error && typeof error.detail === 'string' ? ` (${error.detail})` : ''
  return `${error.message}${detail}`
}
