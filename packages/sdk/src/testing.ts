// The entry of @printwarden/sdk/testing: a server in memory, so that apps are tested without one.
import { API_ERRORS, type ApiErrorCode, type PrinterChanges, type Scope } from '@printwarden/protocol'
import { type Client, type ClientOptions, createClientOn } from './client.js'
import { accountHandlers } from './fake-account.js'
import { endFields, newPrint, type PrintEnd } from './fake-agent.js'
import { type FakeCall, readCall } from './fake-api.js'
import { addFile, fileHandlers } from './fake-files.js'
import { folderHandlers } from './fake-folders.js'
import type { Handler, Handlers, OperationId } from './fake-handlers.js'
import { fakeLivePlatform } from './fake-live.js'
import { serveMedia } from './fake-media.js'
import { type FakePrinter, fakePrinter } from './fake-printer.js'
import { addPrinter, type CommandPolicy, printerHandlers } from './fake-printers.js'
import { printHandlers } from './fake-prints.js'
import { FakeRefusal, refusalAnswer } from './fake-refusal.js'
import { emptyState, type FakeState, hex, tell } from './fake-state.js'
import { newUser } from './fake-users.js'
import { fileSaved, printView } from './fake-views.js'
import type { GCodeFile, Print } from './resources.js'

export type { PrintEnd } from './fake-agent.js'
export type { CallOf, Handler, OperationId } from './fake-handlers.js'
export type { FakePrinter } from './fake-printer.js'
export type { CommandPolicy, Obedience } from './fake-printers.js'
export { FakeRefusal } from './fake-refusal.js'

const BASE_URL = 'http://printwarden.test'
const BOTH: readonly Scope[] = ['read', 'write']

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
  /** A client of this server, whose live subscriptions work too. Without `token` it gets one with these scopes of this user. */
  client(options?: Omit<ClientOptions, 'baseUrl' | 'fetch'> & { userId?: number; scopes?: readonly Scope[] }): Client
  /** Adds an account and gives its id. */
  addUser(user?: { email?: string; is_admin?: boolean }): number
  /** Makes an access token. */
  addToken(token?: { userId?: number; scopes?: readonly Scope[]; state?: 'good' | 'expired' | 'revoked' }): string
  /** Revokes a token; its live subscriptions end. */
  revokeToken(token: string): void
  /** Adds a printer, connected and idle unless `connected` is false. */
  addPrinter(printer?: PrinterChanges & { userId?: number; connected?: boolean }): FakePrinter
  /** A printer by its id, such as one that the app itself has added. */
  printer(id: number): FakePrinter
  /** Adds a print that is over. Instants are ISO 8601; `started_at` is now unless given. */
  addPrint(print: { printerId: number; filename?: string; how?: PrintEnd; started_at?: string }): Print
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

/**
 * A server in memory, made from the same endpoint data as the real one: the same paths, the same checks of token, scope and input,
 * the same errors and pages. Printers are moved by the test.
 *
 * It knows the user, printers, prints, G-code files and folders, events, sharing, and live updates. An operation that it does not
 * know answers 500 and says so; {@link FakeServer.on} teaches it.
 *
 * @example
 * const server = createFakeServer()
 * const printer = server.addPrinter({ name: 'MK4' })
 * printer.startPrint('cube.gcode')
 * const client = server.client()
 * await client.waitFor(await client.pausePrint({ id: printer.id }))
 */
export function createFakeServer(options: FakeServerOptions = {}): FakeServer {
  const state = emptyState(options.now ?? Date.now)
  const baseUrl = options.baseUrl ?? BASE_URL
  const policy = options.onCommand ?? (() => 'obey')
  const handlers = new Map<string, unknown>(Object.entries(knownHandlers(state, baseUrl, policy)))
  const requests: SeenRequest[] = []
  const failures: Failure[] = []
  const platform = fakeLivePlatform(state)

  function addUser({ email, is_admin = false }: { email?: string; is_admin?: boolean } = {}): number {
    const user = newUser(state, email, is_admin)
    state.users.set(user.id, user)
    return user.id
  }
  const userId = addUser({ email: 'user@example.test' })

  const addToken: FakeServer['addToken'] = ({ userId: id = userId, scopes = BOTH, state: how = 'good' } = {}) => {
    const token = hex(40)
    state.tokens.set(token, { userId: id, scopes, state: how })
    return token
  }

  function printerOf(id: number): FakePrinter {
    const printer = state.printers.get(id)
    if (printer === undefined) throw new Error(`there is no printer ${id}`)
    return fakePrinter(state, printer)
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/media/')) return serveMedia(state, request)
    const call = await readCall(state, request)
    const handler = handlers.get(call.endpoint.id)
    if (typeof handler !== 'function') {
      throw new FakeRefusal('internal', `The fake server does not know "${call.endpoint.id}": teach it with on().`)
    }
    return answerOf(call, await (handler as (call: FakeCall) => unknown)(call))
  }

  async function fetch(request: Request): Promise<Response> {
    request.signal.throwIfAborted()
    requests.push({ method: request.method, url: request.url, headers: request.headers })
    try {
      const failure = failures.shift()
      if (failure !== undefined) throw failure === 'network' ? new TypeError('fetch failed') : refusalOf(failure)
      return await answer(request)
    } catch (error) {
      if (error instanceof FakeRefusal) return refusalAnswer(error)
      throw error
    }
  }

  return {
    baseUrl,
    fetch,
    requests,
    userId,
    client: ({ userId: id, scopes, token, ...rest } = {}) =>
      createClientOn(platform, {
        ...rest,
        baseUrl,
        fetch,
        token:
          token ??
          addToken({ ...(id === undefined ? {} : { userId: id }), ...(scopes === undefined ? {} : { scopes }) }),
      }),
    addUser,
    addToken,
    revokeToken(token) {
      const known = state.tokens.get(token)
      if (known !== undefined) known.state = 'revoked'
      tell(state, { type: 'revoked' })
    },
    addPrinter({ userId: id = userId, connected = true, ...settings } = {}) {
      const printer = fakePrinter(state, addPrinter(state, id, settings))
      if (connected) printer.connect()
      return printer
    },
    printer: printerOf,
    addPrint({ printerId, filename = 'part.gcode', how = 'finished', started_at }) {
      const printer = state.printers.get(printerId)
      if (printer === undefined) throw new Error(`there is no printer ${printerId}`)
      const print = newPrint(state, printer, filename)
      print.summary = { ...print.summary, started_at: started_at ?? state.now(), ...endFields(how, state.now()) }
      return printView(state, print, { canWrite: true })
    },
    addShot(printId) {
      const id = state.nextId()
      const image_url = `${baseUrl}/media/shots/${id}.jpg`
      state.shots.set(id, { id, print_id: printId, image_url, answer: null, answered_at: null })
      return id
    },
    async addFile({ filename, bytes, userId: id = userId }) {
      const content = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes
      return fileSaved(await addFile(state, baseUrl, { userId: id, filename, bytes: content, parent: null }))
    },
    on: (operation, handler) => void handlers.set(operation, handler),
    failNext: (...next) => void failures.push(...next),
  }
}

function knownHandlers(state: FakeState, baseUrl: string, policy: CommandPolicy): Handlers {
  return {
    ...accountHandlers(state),
    ...printerHandlers(state, policy),
    ...printHandlers(state),
    ...fileHandlers(state, baseUrl, policy),
    ...folderHandlers(state),
  }
}

/** Only what the endpoint's schema names leaves the server, as with the real one; what does not fit is a defect of the fake. */
function answerOf({ endpoint, reply }: FakeCall, answer: unknown): Response {
  const status = endpoint.status ?? 200
  if (endpoint.output === undefined) return new Response(null, { status, headers: { 'content-length': '0' } })
  reply.set('content-type', 'application/json; charset=utf-8')
  return new Response(JSON.stringify(endpoint.output.parse(answer)), { status, headers: reply })
}

function refusalOf(failure: Exclude<Failure, 'network'>): FakeRefusal {
  const { retryAfter } = failure
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return new FakeRefusal(failure.code, failure.detail ?? API_ERRORS[failure.code].title, { headers })
}
