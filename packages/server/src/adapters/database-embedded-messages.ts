// What the embedded database's two halves say to each other: the Kysely driver in the main thread, SQLite in the worker.

/** What SQLite can bind and hand back. */
export type SqlValue = string | number | bigint | Uint8Array | null

export interface StatementRequest {
  readonly id: number
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export type StatementReply =
  | { readonly id: number; readonly rows: Record<string, SqlValue>[] }
  | { readonly id: number; readonly changes: number; readonly insertId: number | bigint }
  | { readonly id: number; readonly error: { readonly message: string; readonly code: string | undefined } }

/** Sent once when the file is open, or when it could not be opened. */
export type OpenedReply = { readonly opened: true } | { readonly opened: false; readonly message: string }

export type FromWorker = OpenedReply | StatementReply

/** The statement that asks the worker to close the file and end. */
export const CLOSE = 'close'

export type ToWorker = StatementRequest | typeof CLOSE

export interface WorkerOptions {
  readonly file: string
}
