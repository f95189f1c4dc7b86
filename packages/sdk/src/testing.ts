// The entry of @printwarden/sdk/testing: a server in memory, so that apps are tested without one.
import { API_ERRORS, type Scope } from '@printwarden/protocol'
import { createClientOn } from './client.js'
import { accountHandlers } from './fake-account.js'
import { adminHandlers } from './fake-admin.js'
import { agentHandlers } from './fake-agent-api.js'
import { endFields, newPrint } from './fake-agent.js'
import { type FakeCall, readCall } from './fake-api.js'
import { alertHandlers } from './fake-alerts.js'
import { appHandlers } from './fake-apps.js'
import { assistantHandlers } from './fake-assistant.js'
import { cameraHandlers } from './fake-cameras.js'
import { deviceHandlers } from './fake-devices.js'
import { eventsOf } from './fake-events.js'
import { addFile, fileHandlers } from './fake-files.js'
import { folderHandlers } from './fake-folders.js'
import type { Handlers } from './fake-handlers.js'
import { linkingHandlers } from './fake-linking.js'
import { fakeLivePlatform } from './fake-live.js'
import { serveMedia } from './fake-media.js'
import { notificationHandlers } from './fake-notifications.js'
import { pastHandlers } from './fake-past.js'
import { type FakePrinter, fakePrinter } from './fake-printer.js'
import { addPrinter, type CommandPolicy, printerHandlers } from './fake-printers.js'
import { printHandlers } from './fake-prints.js'
import { FakeRefusal, refusalAnswer } from './fake-refusal.js'
import type { Failure, FakeServer, FakeServerOptions, SeenRequest } from './fake-server.js'
import { sampleAnswer } from './fake-sample.js'
import { slicerHandlers } from './fake-slicers.js'
import { emptyState, type FakeState } from './fake-state.js'
import { statsHandlers } from './fake-stats.js'
import { addToken, revokeTokens, tokenHandlers } from './fake-tokens.js'
import { newUser } from './fake-users.js'
import { fileSaved, printView } from './fake-views.js'

export type { PrintEnd } from './fake-agent.js'
export type { CallOf, Handler, OperationId } from './fake-handlers.js'
export type { FakePrinter } from './fake-printer.js'
export type { CommandPolicy, Obedience } from './fake-printers.js'
export type { Failure, FakeServer, FakeServerOptions, SeenRequest } from './fake-server.js'
export { FakeRefusal } from './fake-refusal.js'

const BASE_URL = 'http://printwarden.test'
const BOTH: readonly Scope[] = ['read', 'write']

/**
 * A server in memory, made from the same endpoint data as the real one: the same paths, the same checks of token, scope and input,
 * the same errors and pages. Printers are moved by the test.
 *
 * It keeps accounts, tokens, sessions, apps and what they are connected to, invitations, printers, cameras with their settings and
 * self-tests, prints with statistics, alerts, answers, labelled pictures, calibration and backtests, shots, G-code files and folders,
 * events, sharing, linking, notification settings, devices, own time-lapses, chats, AI credits, live updates, and what agents and
 * slicers send.
 *
 * It looks at no picture and sends nothing: `findFailures`, `findFailuresAt` and `predictPrint` answer a fixed sample made from the
 * endpoint's data, and so does `seed`; the assistant says the same to everybody and proposes nothing; a test message counts as sent; exported pictures are an empty zip file; retention takes
 * nothing away. {@link FakeServer.on} makes any operation answer in another way.
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

  /** An app of that name may act for the user from now on. */
  function connectionOf(id: number, name: string, scopes: readonly Scope[]): number {
    const known = [...state.connections.values()].find((one) => one.userId === id && one.name === name)
    if (known !== undefined) return known.id
    const connection = { id: state.nextId(), userId: id, clientId: crypto.randomUUID(), name, scopes }
    state.connections.set(connection.id, { ...connection, connectedAt: state.now() })
    return connection.id
  }

  const makeToken: FakeServer['addToken'] = ({
    userId: id = userId,
    scopes = BOTH,
    state: how = 'good',
    ...as
  } = {}) => {
    const connectionId = as.app === undefined ? null : connectionOf(id, as.app, scopes)
    const isSession = as.session ?? false
    return addToken(state, { userId: id, scopes, state: how, isSession, connectionId }).secret
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
    if (typeof handler !== 'function') return answerOf(call, sampleAnswer(call.endpoint))
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
    client: ({ userId: id, scopes, session = false, token, ...rest } = {}) =>
      createClientOn(platform, {
        ...rest,
        baseUrl,
        fetch,
        token:
          token ??
          makeToken({
            ...(id === undefined ? {} : { userId: id }),
            ...(scopes === undefined ? {} : { scopes }),
            session,
          }),
      }),
    addUser,
    addToken: makeToken,
    revokeToken: (token) => void revokeTokens(state, (one) => one === state.tokens.get(token)),
    addPrinter({ userId: id = userId, connected = true, ...settings } = {}) {
      const printer = fakePrinter(state, addPrinter(state, id, settings))
      if (connected) printer.connect()
      return printer
    },
    printer: printerOf,
    addPrint({ printerId, filename = 'part.gcode', how = 'finished', started_at, ...amounts }) {
      const printer = state.printers.get(printerId)
      if (printer === undefined) throw new Error(`there is no printer ${printerId}`)
      const print = newPrint(state, printer, filename)
      const began = started_at ?? state.now()
      print.summary = { ...print.summary, ...amounts, started_at: began, ...endFields(how, state.now()) }
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
    ...tokenHandlers(state),
    ...appHandlers(state),
    ...adminHandlers(state, baseUrl),
    ...assistantHandlers(state),
    ...printerHandlers(state, policy),
    ...cameraHandlers(state),
    ...alertHandlers(state),
    ...printHandlers(state, baseUrl),
    ...statsHandlers(state),
    ...pastHandlers(state),
    ...fileHandlers(state, baseUrl, policy),
    ...folderHandlers(state),
    ...notificationHandlers(state),
    ...deviceHandlers(state),
    ...linkingHandlers(state),
    ...slicerHandlers(state, baseUrl, policy),
    ...agentHandlers(state, baseUrl),
  }
}

/** Only what the endpoint's schema names leaves the server, as with the real one; what does not fit is a defect of the fake. */
function answerOf({ endpoint, reply, out, asEvents }: FakeCall, answer: unknown): Response {
  const status = out.status ?? endpoint.status ?? 200
  if (out.body !== undefined) {
    reply.set('content-length', String(out.body.size))
    return new Response(out.body, { status, headers: reply })
  }
  if (endpoint.output === undefined) return new Response(null, { status, headers: { 'content-length': '0' } })
  const body = endpoint.output.parse(answer)
  const events = asEvents ? eventsOf(endpoint.id, body) : undefined
  reply.set('content-type', `${events === undefined ? 'application/json' : 'text/event-stream'}; charset=utf-8`)
  return new Response(events ?? JSON.stringify(body), { status, headers: reply })
}

function refusalOf(failure: Exclude<Failure, 'network'>): FakeRefusal {
  const { retryAfter } = failure
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return new FakeRefusal(failure.code, failure.detail ?? API_ERRORS[failure.code].title, { headers })
}
