/** A command could not do its work; the message is one line that says what to do next. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}
