import type { ApiErrorCode, PrinterChanges, Scope } from '@printwarden/protocol'
import type { Client, ClientOptions } from './client.js'
import type { PrintEnd } from './fake-agent.js'
import type { Handler, OperationId } from './fake-handlers.js'
import type { FakePrinter } from './fake-printer.js'
import type { CommandPolicy } from './fake-printers.js'
import type { GCodeFile, Print } from './resources.js'

/** How a fake server is made. */
export interface FakeServerOptions {
  /** The address that it pretends to be at. Default `http://printwarden.test`. */
  baseUrl?: string
  /** The server's clock, in milliseconds. Default: the real one. */
  now?: () => number
  /** What printers make of commands. Default: they obey. */
  onCommand?: CommandPolicy
}

/** A request as the fake server saw it. */
export interface SeenRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
}

/** Something to go wrong: an answer of the API, or no answer at all. */
export type Failure = { code: ApiErrorCode; detail?: string; retryAfter?: number | string } | 'network'

/** A Printwarden server in memory. It opens no port, keeps no file, and forgets everything with the test. */
export interface FakeServer {
  readonly baseUrl: string
  /** Answers a request as the server would: give it to `createClient`, or to whatever else takes a `fetch`. */
  readonly fetch: (request: Request) => Promise<Response>
  /** All requests so far. */
  readonly requests: readonly SeenRequest[]
  /** The first account. It is the one that is meant wherever none is named. */
  readonly userId: number
  /** A client of this server, whose live subscriptions work too. Without `token` it gets one with these scopes of this user; with `session` that of a signed-in browser. */
  client(
    options?: Omit<ClientOptions, 'baseUrl' | 'fetch'> & {
      userId?: number
      scopes?: readonly Scope[]
      session?: boolean
    },
  ): Client
  /** Adds an account and gives its id. */
  addUser(user?: { email?: string; is_admin?: boolean }): number
  /** Makes an access token, or a session. */
  addToken(token?: {
    userId?: number
    scopes?: readonly Scope[]
    state?: 'good' | 'expired' | 'revoked'
    /** It stands for a signed-in browser, which may manage apps, tokens and sessions. */
    session?: boolean
    /** The name of the app that holds it. */
    app?: string
  }): string
  /** Revokes a token; its live subscriptions end. */
  revokeToken(token: string): void
  /** Adds a printer, connected and idle unless `connected` is false. */
  addPrinter(printer?: PrinterChanges & { userId?: number; connected?: boolean }): FakePrinter
  /** A printer by its id, such as one that the app itself has added. */
  printer(id: number): FakePrinter
  /** Adds a print that is over. Instants are ISO 8601; `started_at` is now unless given, `print_time` in seconds, `filament_used` in millimetres. */
  addPrint(print: {
    printerId: number
    filename?: string
    how?: PrintEnd
    started_at?: string
    print_time?: number
    filament_used?: number
  }): Print
  /** Adds a shot of a print, about which feedback is asked, and gives its id. */
  addShot(printId: number): number
  /** Stores a G-code file. */
  addFile(file: {
    filename: string
    bytes: Uint8Array | string
    userId?: number
  }): Promise<Pick<GCodeFile, 'id' | 'url'>>
  /** Answers an operation in another way from now on; throw a {@link FakeRefusal} to refuse. */
  on<Id extends OperationId>(operation: Id, handler: Handler<Id>): void
  /** Lets the next requests go wrong, one for each failure. */
  failNext(...failures: Failure[]): void
}
