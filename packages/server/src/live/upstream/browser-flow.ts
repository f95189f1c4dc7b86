import { CLOSE_CODES } from '@printwarden/protocol'
import type { Bus, Clock } from '../../ports.js'
import { agentSubject, type PassthruNotice, passthruSubject, type ToAgent } from '../../printers/notices.js'
import { namedForExistingClients } from '../../printers/existing-names.js'
import { printerView } from '../../printers/view.js'
import { FLOWING, type Flow, nextStep, ROUND_INTERVAL_MS, roundDelayMs, SLOW_BYTES } from '../pace.js'
import type { UserFeed } from '../user-feed-flow.js'
import type { ViewingFlow } from '../viewing-flow.js'
import { readBrowserMessage } from './browser-message.js'
import type { Talk, TalkSink } from './connection-socket.js'
import { isPresent, isRefreshDue } from './presence.js'
import { guestView } from './guest-view.js'
import { isGuest, type Seat } from './seat.js'

/** How long the node that holds the agent's socket may take to write a frame to it. */
const HAND_OVER_TIMEOUT_MS = 2000

export interface BrowserFlowDeps {
  readonly viewing: ViewingFlow
  readonly bus: Bus
  readonly clock: Clock
}

/**
 * One existing browser: it is told the whole printer when it comes and when something changed, and calls what its agent lets be
 * called. Nothing queues for a slow one: what it is told is made when its socket can take it.
 */
export function browserFlow(
  { viewing, bus, clock }: BrowserFlowDeps,
  seat: Seat,
  source: UserFeed,
  sink: TalkSink,
): Talk {
  const { printer_id: printerId, viewer } = seat
  const isOwner = !isGuest(seat)
  let flow: Flow = FLOWING
  let timer: NodeJS.Timeout | undefined
  let pushedAt = 0
  let heardAt = clock.now()
  let isLooking = false
  let isClosed = false
  /** Whether it is told the printer although nothing changed. */
  let isForced = true
  /** What a guest was told last: most of what changes is none of a guest's business. */
  let told = ''

  const detach = source.attach({
    changed(id) {
      if (id === printerId) arm()
    },
    told() {},
  })
  const stopReplies = isOwner
    ? bus.subscribe(passthruSubject(printerId), (notice) => pass(notice as PassthruNotice))
    : undefined

  function arm(delayMs: number = roundDelayMs(pushedAt, clock.now())): void {
    if (!isClosed) timer ??= setTimeout(round, delayMs)
  }

  function round(): void {
    timer = undefined
    const now = clock.now()
    const next = nextStep(flow, sink.buffered(), now)
    flow = next.flow
    if (next.step === 'give_up') return sink.giveUp()
    if (next.step === 'wait') return arm(ROUND_INTERVAL_MS)
    push(now)
  }

  function push(now: number): void {
    const facts = source.feed.printers.get(printerId)?.facts
    if (facts === undefined) return sink.close(CLOSE_CODES.unauthorized, 'the printer is gone')
    const printer = printerView(facts, viewer, now)
    const text = JSON.stringify(isOwner ? namedForExistingClients(printer) : guestView(printer))
    if (!isOwner && text === told && !isForced) return
    told = isOwner ? '' : text
    isForced = false
    pushedAt = now
    sink.send(text)
  }

  /** What the agent says to all who may steer it. One who does not read misses it, and would not have waited for it. */
  function pass({ passthru }: PassthruNotice): void {
    if (sink.buffered() <= SLOW_BYTES) sink.send(JSON.stringify({ passthru, type: 'web.message' }))
  }

  function receive(bytes: Buffer, isBinary: boolean): void {
    const message = readBrowserMessage(bytes, isBinary)
    if (message.type === 'close') return sink.close(message.code, message.reason)
    hear()
    if (!isOwner) return
    if (message.type === 'refused') return refuse(message.ref, message.detail)
    if (message.type === 'passthru') void call({ type: 'passthru', passthru: message.call }, message.call.ref)
  }

  function hear(): void {
    heardAt = clock.now()
    look()
    if (!isRefreshDue(pushedAt, heardAt)) return
    isForced = true
    arm()
  }

  async function call(frame: ToAgent, ref: string | undefined): Promise<void> {
    const isTaken = (await bus.request(agentSubject(printerId), frame, HAND_OVER_TIMEOUT_MS)) === true
    if (!isTaken) refuse(ref, 'No agent that takes this call is connected.')
  }

  /** Whoever waits for a reply need not wait in vain. */
  function refuse(ref: string | undefined, error: string): void {
    if (ref !== undefined) pass({ passthru: { ref, error } })
  }

  function look(): void {
    const isThere = !isClosed && isPresent(heardAt, clock.now())
    if (isThere === isLooking) return
    isLooking = isThere
    if (isThere) viewing.look(printerId)
    else viewing.lookAway(printerId)
  }

  function close(): void {
    if (isClosed) return
    isClosed = true
    clearTimeout(timer)
    detach()
    stopReplies?.()
    look()
  }

  look()
  arm(0)
  return { receive, tick: look, close }
}
