// What the embedded database's two halves say to each other: the Kysely driver in the main thread, SQLite in the worker.

/** What SQLite can bind and hand back. */
export type SqlValue = string | number | bigint | Uint8Array | null

/** Rows as they cross the threads: every value in one list, row after row, since copying objects costs several times as much. */
export interface FlatRows {
  readonly columns: readonly string[]
  readonly values: readonly SqlValue[]
}

export interface StatementRequest {
  readonly id: number
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export type StatementReply =
  | ({ readonly id: number } & FlatRows)
  | { readonly id: number; readonly changes: number; readonly insertId: number | bigint }
  | { readonly id: number; readonly error: { readonly message: string; readonly code: string | undefined } }

/** Sent once when the file is open, or when it could not be opened. */
export type OpenedReply = { readonly opened: true } | { readonly opened: false; readonly message: string }

/** What was answered together travels together: a message between threads costs more than a small statement. */
export type FromWorker = OpenedReply | readonly StatementReply[]

/** The statement that asks the worker to close the file and end. */
export const CLOSE = 'close'

export type ToWorker = readonly StatementRequest[] | typeof CLOSE

export interface WorkerOptions {
  readonly file: string
}
