import { DatabaseError } from 'pg'
import { ApiError } from '../errors.js'
import { StatementError } from './statement-error.js'

// What PostgreSQL, its driver and the network say, as what the rest of the server understands. Pure.

/** The words that SQLite has for a broken rule, by PostgreSQL's code for it. */
const CONSTRAINTS: Readonly<Record<string, string>> = {
  '23502': 'NOT NULL constraint failed',
  '23503': 'FOREIGN KEY constraint failed',
  '23505': 'UNIQUE constraint failed',
  '23514': 'CHECK constraint failed',
}

/** A transaction met another one; tried again from its start it may succeed. */
const RETRIED = new Set(['40001', '40P01'])

const DISK_FULL = '53100'
const NOT_IN_TEXT = '22021'
const TIMED_OUT = '57014'
const OTHER_COLUMNS = '0A000'

/** What a statement that changes something is told by a standby, which a server becomes when another one takes its place. */
const READ_ONLY = '25006'
const NO_SERIALIZABLE = '0A000'

/** Server is stopping, starting or full. */
const AWAY = new Set(['57P01', '57P02', '57P03', '53300'])

const NETWORK = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ENOENT'],
])

/** The driver's own errors have no code, only these words. */
const LOST =
  /connection terminated|connection error|timeout exceeded when trying to connect|timeout expired|query read timeout|not queryable/i

interface Raised extends Error {
  readonly code?: string | undefined
  readonly constraint?: string | undefined
  readonly table?: string | undefined
}

/** Whether the whole transaction is to be tried again. */
export function isRetried(error: unknown): boolean {
  return error instanceof StatementError && error.code !== undefined && RETRIED.has(error.code)
}

/** Whether the connection, not the statement, is what failed. */
export function isLost(error: Raised): boolean {
  const { code = '' } = error
  return AWAY.has(code) || NETWORK.has(code) || code.startsWith('08') || LOST.test(error.message)
}

/**
 * Whether the server takes no changes any more, where it did when the connection was made: one behind a proxy may have been exchanged. By
 * the same name another one may be found that does.
 */
export function isStandby(error: unknown): error is DatabaseError {
  if (!(error instanceof DatabaseError)) return false
  const { code, message } = error
  return code === READ_ONLY || (code === NO_SERIALIZABLE && message.includes('hot standby'))
}

export const noChanges = (options?: ErrorOptions): ApiError =>
  new ApiError('unavailable', 'The database takes no changes now.', options)

/** Whether the server itself refused a statement, and its connection goes on: else nobody knows what became of it. */
export function isAnswer(error: unknown): boolean {
  return error instanceof DatabaseError && !isLost(error)
}

/** Whether a plan that was made before is of no use any more, since its tables have other columns now. */
export function isOutdatedPlan(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === OTHER_COLUMNS && error.message.includes('cached plan')
}

/** What a statement failed with, as the embedded engine would have said it. */
export function refusalOf(raised: unknown): Error {
  if (!(raised instanceof Error)) return new StatementError(String(raised), undefined)
  const error: Raised = raised
  const options = { cause: error }
  if (isLost(error)) return new ApiError('unavailable', 'The database cannot be reached.', options)
  const { code } = error
  if (code === undefined) return error
  if (code === DISK_FULL) return new ApiError('storage_full', undefined, options)
  if (code === TIMED_OUT) return new ApiError('unavailable', 'The database took too long.', options)
  if (code === NOT_IN_TEXT) return new ApiError('invalid_request', 'A text holds the character U+0000.', options)
  const rule = CONSTRAINTS[code]
  const message = rule === undefined ? error.message : `${rule}: ${error.table ?? ''} ${error.constraint ?? ''}`.trim()
  return new StatementError(message, code, options)
}
