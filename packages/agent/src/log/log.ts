/** A structured log: a constant text with fields. Filled by pino in `log-output.ts`, by a list in tests. */
export interface Log {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
  child(fields: object): Log
}
