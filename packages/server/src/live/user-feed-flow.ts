import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Bus, Clock, Database, Log } from '../ports.js'
import type { FactsFlow } from '../printers/facts-flow.js'
import { type PrinterNotice, printerSubject, type UserNotice, userSubject } from '../printers/notices.js'
import { findVisiblePrinter, listPrinters } from '../printers/store.js'
import type { PrinterFacts } from '../printers/view.js'
import { emptyRound, type EncodedRound } from './encoded.js'
import { emptyFeed, type Feed, putFacts, removePrinter } from './feed.js'
import { age, type HeardFacts, hear } from './notice-facts.js'

/** A feed goes on this long without subscribers, so that one who comes back is told only what was missed. */
const LINGER_MS = 60_000

/** Printers that are looked through before others have their turn. */
const AT_ONCE = 50

export interface UserFeedDeps {
  readonly database: Database
  readonly bus: Bus
  readonly clock: Clock
  readonly log: Log
  readonly facts: FactsFlow
  readonly detection: { ready(): boolean; problem?(): string | null }
}

/** What a subscriber wants to hear from its feed. */
export interface FeedListener {
  /** Something of this printer changed, or it is gone. */
  changed(printerId: number): void
  /** Something happened that is told once, as it is. */
  told(printerId: number, notice: Extract<PrinterNotice, { type: 'command' | 'event' | 'timelapse' }>): void
}

/** One user's printers as this node sees them, for as long as somebody listens. */
export interface UserFeed {
  readonly feed: Feed
  /** What subscribers were told last, so that those who are told the same share it. */
  readonly round: EncodedRound
  attach(listener: FeedListener): () => void
  /** Reads a printer of the user's now, unless it is known: somebody may ask for a new one before this node was told of it. */
  know(printerId: number): Promise<void>
  /** Reads all rows again: what changed while this node could not be told is known then. Never rejects. */
  catchUp(): Promise<void>
  /** Lets time do what it alone does: silent printers go offline, old pictures vanish. */
  age(): void
  close(): void
}

/** Reads a user's printers and follows them from then on. `onClose` is called once, when nobody has listened for a while. */
export async function openUserFeed(deps: UserFeedDeps, userId: number, onClose: () => void): Promise<UserFeed> {
  const { database, bus, clock, log, facts, detection } = deps
  const feed = emptyFeed(randomBytes(6).toString('hex'))
  const listeners = new Set<FeedListener>()
  const statusAt = new Map<number, number>()
  const stops = new Map<number, () => void>()
  /** What was told of printers before they were read for the first time. */
  const early = new Map<number, PrinterNotice[]>()
  /** Printers whose rows are being read; true when they changed again meanwhile. */
  const reading = new Map<number, boolean>()
  /** New printers that are being read for the first time. */
  const adding = new Map<number, Promise<void>>()
  /** Printers of which something was told while all are read again: what is read of them may be older. */
  let told: Set<number> | undefined
  let linger: NodeJS.Timeout | undefined
  let isClosed = false

  const each = (call: (listener: FeedListener) => void): void => listeners.forEach(call)

  function follow(id: number): void {
    if (stops.has(id)) return
    early.set(id, [])
    stops.set(
      id,
      bus.subscribe(printerSubject(id), (payload) => handle(id, payload as PrinterNotice)),
    )
  }

  /** A printer was read for the first time. What was told meanwhile comes after. */
  function meet(known: PrinterFacts): void {
    const { id } = known.printer
    const notices = early.get(id) ?? []
    early.delete(id)
    apply({ facts: known, statusAt: clock.now() })
    for (const notice of notices) handle(id, notice)
  }

  function apply(next: HeardFacts): void {
    const { id } = next.facts.printer
    statusAt.set(id, next.statusAt)
    if (putFacts(feed, next.facts, clock.now())) each((listener) => listener.changed(id))
  }

  function handle(id: number, notice: PrinterNotice): void {
    const printer = feed.printers.get(id)
    if (printer === undefined) {
      early.get(id)?.push(notice)
      return
    }
    if (notice.type === 'removed' || notice.type === 'row') told?.add(id)
    if (notice.type === 'removed') forget(id)
    else if (notice.type === 'row') void reread(id)
    else if (notice.type === 'command' || notice.type === 'event' || notice.type === 'timelapse') {
      each((listener) => listener.told(id, notice))
    } else {
      const before = { facts: printer.facts, statusAt: statusAt.get(id) ?? 0 }
      apply(hear(before, notice, clock.now()))
    }
  }

  function forget(id: number): void {
    stops.get(id)?.()
    stops.delete(id)
    statusAt.delete(id)
    early.delete(id)
    if (removePrinter(feed, id)) each((listener) => listener.changed(id))
  }

  /** Reads a printer's rows again. Its live values are kept: what was heard of them may be newer than what would be read. */
  async function reread(id: number): Promise<void> {
    if (reading.has(id)) {
      reading.set(id, true)
      return
    }
    try {
      do {
        reading.set(id, false)
        const row = await findVisiblePrinter(database.db, userId, id)
        const fresh = row === undefined ? undefined : await facts.ofPrinter(row)
        const live = feed.printers.get(id)?.facts.live
        if (fresh === undefined || live === undefined) return forget(id)
        apply({ facts: { ...fresh, live }, statusAt: statusAt.get(id) ?? 0 })
      } while (reading.get(id) === true)
    } catch (err) {
      log.error({ err, printer_id: id }, 'a changed printer could not be read')
    } finally {
      reading.delete(id)
    }
  }

  async function catchUp(): Promise<void> {
    if (isClosed || told !== undefined) return
    const heard = (told = new Set())
    const before = [...feed.printers.keys()]
    try {
      const read = await facts.ofUser(userId, { withArchived: true, withLive: false })
      if (isClosed) return
      const ids = new Set(read.map(({ printer }) => printer.id))
      const isCurrent = (id: number): boolean => !heard.has(id) && !reading.has(id)
      for (const id of before) if (!ids.has(id) && isCurrent(id)) forget(id)
      for (const [index, fresh] of read.entries()) {
        const { id } = fresh.printer
        const known = feed.printers.get(id)
        if (known === undefined) await know(id)
        else if (isCurrent(id)) apply({ facts: { ...fresh, live: known.facts.live }, statusAt: statusAt.get(id) ?? 0 })
        if (index % AT_ONCE === AT_ONCE - 1) await setImmediate()
        if (isClosed) return
      }
    } catch (err) {
      log.warn({ err, user_id: userId }, 'printers could not be read again')
    } finally {
      told = undefined
    }
  }

  async function add(id: number): Promise<void> {
    follow(id)
    const row = await findVisiblePrinter(database.db, userId, id)
    if (row === undefined) forget(id)
    else meet(await facts.ofPrinter(row))
  }

  async function know(id: number): Promise<void> {
    if (feed.printers.has(id)) return
    const added = adding.get(id) ?? add(id).finally(() => adding.delete(id))
    adding.set(id, added)
    await added
  }

  function letTimePass(): void {
    const detector = { detectorReady: detection.ready(), detectorProblem: detection.problem?.() ?? null }
    for (const [id, printer] of feed.printers) {
      apply(age({ facts: { ...printer.facts, ...detector }, statusAt: statusAt.get(id) ?? 0 }, clock.now()))
    }
  }

  function attach(listener: FeedListener): () => void {
    clearTimeout(linger)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) wait()
    }
  }

  function wait(): void {
    linger = setTimeout(close, LINGER_MS).unref()
  }

  function close(): void {
    isClosed = true
    clearTimeout(linger)
    stopUser()
    for (const stop of stops.values()) stop()
    stops.clear()
    onClose()
  }

  const stopUser = bus.subscribe(userSubject(userId), (payload) => {
    const { printer_id } = payload as UserNotice
    know(printer_id).catch((err: unknown) => log.error({ err, printer_id }, 'a new printer could not be read'))
  })
  try {
    // Followed before they are read, so that no change falls in between.
    for (const { id } of await listPrinters(database.db, userId, { withArchived: true })) follow(id)
    for (const known of await facts.ofUser(userId, { withArchived: true })) {
      follow(known.printer.id)
      meet(known)
    }
    // Deleted in between.
    for (const id of early.keys()) if (!adding.has(id)) forget(id)
  } catch (err) {
    close()
    throw err
  }
  wait()
  return { feed, round: emptyRound(), attach, know, catchUp, age: letTimePass, close }
}
