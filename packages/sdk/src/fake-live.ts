import { CLOSE_CODES, LiveRequest, type Printer } from '@printwarden/protocol'
import { goodToken } from './fake-api.js'
import type { FakeListener, FakeState, FakeToken } from './fake-state.js'
import { type FakeViewer, printerView } from './fake-views.js'
import type { LivePlatform, LiveSocket, SocketEvents } from './live-socket.js'

/** Live sockets that end in the fake, without a network: what `/ws/live/` of the real server tells (decision 26). */
export function fakeLivePlatform(state: FakeState): LivePlatform {
  return {
    canSendHeaders: true,
    openSocket: (_url, _protocol, headers, events) => {
      let subscriber: Subscriber | undefined
      let isDropped = false
      const secret = headers['authorization']?.replace(/^Bearer /, '')
      // As with a real socket, nothing happens before the caller has it in hand.
      queueMicrotask(() => {
        if (isDropped) return
        const token = secret === undefined ? undefined : state.tokens.get(secret)
        const httpStatus = statusFor(token)
        if (token === undefined || httpStatus !== 101) return events.onEnd({ code: 1006, reason: '', httpStatus })
        subscriber = subscribe(state, token, events)
        events.onOpen()
      })
      const socket: LiveSocket = {
        send: (text) => subscriber?.receive(text),
        drop() {
          isDropped = true
          subscriber?.stop()
        },
      }
      return socket
    },
    onWake: () => () => undefined,
  }
}

function statusFor(token: FakeToken | undefined): number {
  try {
    return goodToken(token).scopes.includes('read') ? 101 : 403
  } catch {
    return 401
  }
}

interface Subscriber {
  receive(text: string): void
  stop(): void
}

function subscribe(state: FakeState, token: FakeToken, events: SocketEvents): Subscriber {
  const viewer: FakeViewer = { canWrite: token.scopes.includes('write') }
  let wanted: 'all' | readonly number[] | undefined
  let known = new Map<number, Printer>()
  let version = 0
  const cursor = (): string => String((version += 1))
  const send = (message: object): void => events.onText(JSON.stringify(message))

  function visible(): Map<number, Printer> {
    const printers = [...state.printers.values()].filter(({ id, userId, archivedAt }) => {
      if (userId !== token.userId || wanted === undefined) return false
      return wanted === 'all' ? archivedAt === null : wanted.includes(id)
    })
    return new Map(printers.map((printer) => [printer.id, printerView(state, printer, viewer)]))
  }

  function tellChanges(): void {
    const now = visible()
    for (const [id, printer] of now) {
      const changes = changesOf(known.get(id), printer)
      if (Object.keys(changes).length > 0) send({ printer: { cursor: cursor(), id, changes } })
    }
    for (const id of known.keys()) if (!now.has(id)) send({ removed: { cursor: cursor(), id } })
    known = now
  }

  const listen: FakeListener = (notice) => {
    if (notice.type === 'revoked') {
      if (token.state !== 'good') end()
      return
    }
    if (wanted === undefined) return
    if (notice.type === 'changed') tellChanges()
    else if (notice.type === 'command' && known.has(notice.command.printer_id)) send({ command: notice.command })
    else if (notice.type === 'event' && known.has(notice.event.printer)) send({ event: notice.event })
  }
  state.listeners.add(listen)
  const stop = (): void => void state.listeners.delete(listen)

  function end(): void {
    stop()
    events.onEnd({ code: CLOSE_CODES.unauthorized, reason: 'the credential was revoked' })
  }

  function receive(text: string): void {
    const request = LiveRequest.safeParse(JSON.parse(text))
    if (!request.success) return send({ error: { code: 'invalid_request', detail: request.error.message } })
    wanted = request.data.subscribe.printers
    known = visible()
    send({ state: { cursor: cursor(), printers: [...known.values()] } })
  }

  return { receive, stop }
}

/** The fields that differ; of a printer that is new, all. */
function changesOf(before: Printer | undefined, now: Printer): Partial<Printer> {
  if (before === undefined) return now
  const old: Readonly<Record<string, unknown>> = before
  const changed = Object.entries(now).filter(([name, value]) => JSON.stringify(old[name]) !== JSON.stringify(value))
  return Object.fromEntries(changed)
}
