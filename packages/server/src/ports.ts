import type { Readable } from 'node:stream'
import type { Kysely } from 'kysely'
import type { Tables } from './tables.js'

/** The relational database. Both engines take the same Kysely queries. */
export interface Database {
  /** For single statements. Inside `transaction`, use what it hands in: the embedded engine has one connection. */
  readonly db: Kysely<Tables>
  /**
   * For reads by key of a few hundred rows at most, which take well under a millisecond: the embedded engine answers them without changing
   * the thread. Sees what was committed; never inside a transaction, and nothing can be written here.
   */
  readonly quick: Kysely<Tables>
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (trx: Kysely<Tables>) => Promise<T>): Promise<T>
  /** Brings the schema up to date, and names the migrations that were missing. Refuses a database that a newer version made. */
  migrate(): Promise<readonly string[]>
  /** Resolves when the database answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Bytes kept under a key such as `printers/7/pic/1795251649050.jpg`. */
export interface BlobStore {
  /** Stores `bytes` under `key`, replacing what was there. Readers see the old bytes or the new ones, never a part. */
  put(key: string, bytes: Uint8Array, contentType: string): Promise<void>
  /**
   * Stores `bytes` under a key that nobody has heard of before this resolves, and that is never stored again: cheaper, since no reader need
   * be kept from seeing a part. A process that dies in the middle may leave one.
   */
  putNew(key: string, bytes: Uint8Array, contentType: string): Promise<void>
  /**
   * Stores what `source` gives, without ever holding all of it in memory. Resolves when the bytes are safe, with how many
   * they are. Whatever goes wrong, a source that fails or an abort included, leaves what was there before and nothing else.
   *
   * @throws {ApiError} too_large above `maxBytes`, storage_full; unavailable when the store cannot be reached, as every method
   */
  putStream(key: string, source: Readable, options: PutStreamOptions): Promise<{ size: number }>
  get(key: string): Promise<{ bytes: Uint8Array; contentType: string } | undefined>
  /** What is known of the bytes, without reading them. */
  find(key: string): Promise<BlobFacts | undefined>
  /**
   * The bytes as a stream, optionally only `[start, end]` (both inclusive, and within the blob). A stream that is not read to its end
   * must be destroyed: it may hold a connection.
   */
  stream(key: string, range?: { start: number; end: number }): Promise<BlobStream | undefined>
  /**
   * Gives the bytes under `from` the second key `to`, without writing them again where the store can do so. Each key goes on by itself:
   * removing or replacing one leaves the other. False when there is nothing under `from`.
   */
  copy(from: string, to: string): Promise<boolean>
  /** Every key that starts with `prefix`, in order of their names, with the size of each in bytes. */
  list(prefix: string): Promise<BlobEntry[]>
  /** Removes one key; a missing one is no error. */
  remove(key: string): Promise<void>
  /** Removes every key that starts with `prefix`; removing nothing is not an error. */
  removeAll(prefix: string): Promise<void>
  /** Resolves when bytes can be written. */
  ping(): Promise<void>
  close(): Promise<void>
}

export interface PutStreamOptions {
  readonly contentType: string
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

/** A blob as a list shows it. */
export interface BlobEntry {
  readonly key: string
  readonly size: number
}

/** A blob without its bytes. */
export interface BlobFacts {
  readonly size: number
  readonly contentType: string
}

/** A blob being read: `size` is of the whole blob. */
export interface BlobStream extends BlobFacts {
  readonly body: Readable
}

/** Messages between the parts of the server, on one node or many: at most once, no history. Payloads are plain JSON. */
export interface Bus {
  publish(subject: string, payload: unknown): void
  /** Calls `handler` for each message on `subject`; returns how to stop. A returned value answers a `request`. */
  subscribe(subject: string, handler: (payload: unknown) => unknown): () => void
  /** Asks whoever listens on `subject`; undefined when nobody does or nobody answers in time. */
  request(subject: string, payload: unknown, timeoutMs: number): Promise<unknown>
  close(): Promise<void>
}

/** A value as the JSON that it is written in: for what is kept far more often than it is read. */
export class JsonText {
  constructor(readonly text: string) {}
}

/**
 * Newest-wins values that may be lost without harm: each printer's status, picture and detection state.
 * Values are plain JSON, handed back as they were put; callers never change them in place.
 */
export interface LiveStore {
  /**
   * Keeps `value` unless a newer one is there: applied when `ts` is not below the `ts` kept under `key` (equal applies).
   * Says whether it was applied. The value is gone `ttlMs` after the put. A `JsonText` is handed back as what it says.
   */
  put(key: string, value: unknown, options: { ts: number; ttlMs: number }): Promise<boolean>
  get(key: string): Promise<unknown>
  /** Several at once, in the order of `keys`. */
  getMany(keys: readonly string[]): Promise<unknown[]>
  remove(key: string): Promise<void>
  close(): Promise<void>
}

/** A notice that a live value is a part of. */
export interface ToldOf {
  readonly subject: string
  readonly notice: object
  /** The notice as JSON: what stands before the value, and what behind it. */
  readonly before: string
  readonly after: string
}

/** Puts a live value and, where it is applied, publishes a notice that has it, in one step: for what nodes tell each other all the time. */
export type PutAndPublish = (
  key: string,
  value: JsonText,
  options: { ts: number; ttlMs: number },
  told: ToldOf,
) => Promise<boolean>

/** What a step makes of the states that it was given. */
export interface CounterStep<State, Result> {
  /** What is kept from now on, in the order of the keys; undefined forgets. Without it nothing changes. */
  readonly states?: readonly (State | undefined)[]
  /** After so long without a change a state is forgotten, in milliseconds. */
  readonly ttlMs: number
  readonly result: Result
}

/**
 * Small states under keys by which limits count, the same for all nodes. While the nodes cannot reach each other each counts by itself;
 * so it never fails.
 */
export interface Counters {
  /**
   * Replaces the states under `keys` by what `step` makes of them, all in one step. States are plain JSON. `step` may be called more than
   * once, so it changes nothing.
   */
  update<State, Result>(
    keys: readonly string[],
    step: (states: readonly (State | undefined)[]) => CounterStep<State, Result>,
  ): Promise<Result>
}

/** The time in milliseconds since 1970. Handed in, so that tests own it. */
export interface Clock {
  now(): number
}

/** Structured logs: a constant text plus fields. */
export interface Log {
  error(fields: object, text: string): void
  warn(fields: object, text: string): void
  info(fields: object, text: string): void
  debug(fields: object, text: string): void
}

/** What the server's one secret key is used for. Each use has a key of its own, derived from it. */
export interface Secrets {
  /** A signature of `text` that only this key makes. */
  sign(text: string): string
  /** Whether `signature` is the one of `text`. Takes as long for a wrong one as for the right one. */
  verify(text: string, signature: string): boolean
  encrypt(text: string): string
  /** @throws when the text was changed, or encrypted with another key */
  decrypt(encrypted: string): string
  /** The same for the same text, and of no use without the key: for finding a row by a secret. */
  keyedHash(text: string): string
  /** SHA-256, hexadecimal: enough for secrets that are long and random. */
  hash(text: string): string
  /** Random bytes, hexadecimal. */
  newToken(bytes: number): string
}

/** One request to somebody else's server. */
export interface OutboundRequest {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** A longer answer is an error; what is above it is not read. */
  readonly maxBytes: number
  /** For each connection to be made; without it only the whole is limited. */
  readonly connectMs?: number
  /** From the first look-up to the last byte, redirects included. */
  readonly timeoutMs: number
}

/** An answer, whatever its status. */
export interface OutboundAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: Buffer
}

/** Requests to addresses that users and other programs name: never to a private one, unless the operator has listed it. */
export interface Outbound {
  /** @throws {OutboundError} */
  request(request: OutboundRequest): Promise<OutboundAnswer>
}

/** `invalid`: no http(s) URL. `refused`: an address that may not be asked. `too_large`, `timeout`. `failed`: everything else. */
export type OutboundErrorCode = 'invalid' | 'refused' | 'too_large' | 'timeout' | 'failed'

/** No answer. The message is fit for whoever named the address: it holds nothing that they did not know. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'

  constructor(
    readonly code: OutboundErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
