import type { LiveMessage, LiveRequest } from '@printwarden/protocol'
import type { Clock } from '../ports.js'
import type { Viewer } from '../prints/view.js'
import { printerView } from '../printers/view.js'
import { cursorOf, resumeVersion } from './cursor.js'
import { frameText, type OwedText, owedTextOf } from './encoded.js'
import { type Selection, selectedPrinters, type Subscription } from './feed.js'
import type { FeedFlow } from './feed-flow.js'
import { FLOWING, type Flow, nextStep, ROUND_INTERVAL_MS, roundDelayMs, SLOW_BYTES } from './pace.js'
import type { FeedListener, UserFeed } from './user-feed-flow.js'
import type { ViewingFlow } from './viewing-flow.js'

export interface SubscriberDeps {
  readonly feeds: FeedFlow
  readonly viewing: ViewingFlow
  readonly clock: Clock
}

/** The subscriber's socket. */
export interface LiveSink {
  send(text: string): void
  /** Bytes that were sent and that the network has not taken yet. */
  buffered(): number
  /** Nothing gets through any more. */
  giveUp(): void
}

export type Subscriber = ReturnType<typeof subscriberFlow>

/** One subscriber: what it asked for, how far it is, and when it is told more. */
export function subscriberFlow(
  { feeds, viewing, clock }: SubscriberDeps,
  { userId, viewer, sink }: { readonly userId: number; readonly viewer: Viewer; readonly sink: LiveSink },
) {
  let source: UserFeed | undefined
  let detach: (() => void) | undefined
  let subscription: Subscription = { selection: new Set(), version: 0, known: new Set() }
  /** The printers of which something may be owed. */
  const dirty = new Set<number>()
  let owesState = false
  /** Whether the subscriber waits for a sign that it was heard, even when nothing is owed. */
  let owesAnswer = false
  let flow: Flow = FLOWING
  let lastRoundAt = 0
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  /** The subscriber says what it wants to follow, and how far it was told. */
  async function request({ subscribe, since }: LiveRequest): Promise<void> {
    const opened = await feeds.open(userId)
    if (isClosed) return
    listenTo(opened)
    const selection: Selection = subscribe.printers === 'all' ? 'all' : new Set(subscribe.printers)
    const version = resumeVersion(opened.feed, since, selection)
    const selected = selectedPrinters(opened.feed, selection).map(({ facts }) => facts.printer.id)
    settle({ selection, version: version ?? 0, known: new Set(selected) })
    for (const id of selected) dirty.add(id)
    owesState = version === undefined
    owesAnswer = true
    arm()
  }

  function listenTo(opened: UserFeed): void {
    if (source === opened) return
    detach?.()
    source = opened
    detach = opened.attach(listener)
  }

  const listener: FeedListener = {
    changed(printerId) {
      dirty.add(printerId)
      // All of a feed's subscribers have their rounds at the same time.
      if (timer === undefined) arm(roundDelayMs(source?.feed.roundAt ?? 0, clock.now()))
    },
    told(printerId, notice) {
      if (!subscription.known.has(printerId)) return
      // Kept back for a slow subscriber these would pile up. It is given the full state later instead.
      if (owesState || sink.buffered() > SLOW_BYTES) {
        owesState = true
        arm()
      } else if (notice.type === 'command') {
        send({ command: notice.command })
      } else if (notice.type === 'timelapse') {
        send({ timelapse: { printer_id: printerId, print_id: notice.print_id, timelapse: notice.timelapse } })
      } else {
        const image_url = notice.image_key === null ? null : viewer.mediaUrl(notice.image_key)
        send({ event: { ...notice.event, image_url } })
      }
    },
  }

  function arm(delayMs: number = roundDelayMs(lastRoundAt, clock.now())): void {
    if (!isClosed) timer ??= setTimeout(round, delayMs)
  }

  function round(): void {
    timer = undefined
    if (source === undefined) return
    const now = clock.now()
    const next = nextStep(flow, sink.buffered(), now)
    flow = next.flow
    if (next.step === 'give_up') return sink.giveUp()
    if (next.step === 'wait') return arm(ROUND_INTERVAL_MS)
    lastRoundAt = now
    const { feed } = source
    if (roundDelayMs(feed.roundAt, now) === 0) feed.roundAt = now
    if (owesState) tellState(source, now)
    else tellChanges(source, now)
    owesState = false
    owesAnswer = false
    dirty.clear()
  }

  function tellState({ feed }: UserFeed, now: number): void {
    const { selection } = subscription
    const printers = selectedPrinters(feed, selection).map(({ facts }) => printerView(facts, viewer, now))
    settle({ selection, version: feed.version, known: new Set(printers.map(({ id }) => id)) })
    send({ state: { cursor: cursorOf(feed, feed.version, selection), printers } })
  }

  function tellChanges({ feed, round: told }: UserFeed, now: number): void {
    const { selection, version, known } = subscription
    const owed = [...dirty].flatMap((id) => owedTextOf(feed, told, subscription, id, viewer, now) ?? [])
    settle({ selection, version: feed.version, known: knownAfter(known, owed) })
    // Only the last frame of a round proves that all of it arrived.
    const between = cursorOf(feed, version, selection)
    const last = cursorOf(feed, feed.version, selection)
    owed.forEach((one, index) => sink.send(frameText(one, index === owed.length - 1 ? last : between)))
    if (owesAnswer && owed.length === 0) answer(last)
  }

  /** Says that nothing was missed: a change of nothing. */
  function answer(cursor: string): void {
    const [id] = subscription.known
    send(id === undefined ? { state: { cursor, printers: [] } } : { printer: { cursor, id, changes: {} } })
  }

  /** Takes the subscription as it is from now on, and tells agents whose printers came into view or left it. */
  function settle(next: Subscription): void {
    const before = subscription.known
    subscription = next
    if (next.known === before) return
    for (const id of next.known) if (!before.has(id)) viewing.look(id)
    for (const id of before) if (!next.known.has(id)) viewing.lookAway(id)
  }

  function send(message: LiveMessage): void {
    sink.send(JSON.stringify(message))
  }

  function close(): void {
    isClosed = true
    clearTimeout(timer)
    detach?.()
    settle({ ...subscription, known: new Set<number>() })
  }

  return { request, close }
}

function knownAfter(known: ReadonlySet<number>, owed: readonly OwedText[]): ReadonlySet<number> {
  if (owed.every(({ type, id }) => type === 'changes' && known.has(id))) return known
  const next = new Set(known)
  for (const { type, id } of owed) {
    if (type === 'removed') next.delete(id)
    else next.add(id)
  }
  return next
}
