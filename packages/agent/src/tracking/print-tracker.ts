import { NO_PRINT, type Job, type PrintEventType } from '@printwarden/protocol'
import type { HostReport, HostSnapshot, PrintOutcome } from '../host.js'
import { isActive } from './host-state.js'
import type { Now } from '../time/stored-time.js'
import { hasSettled, inferOutcome, isEnd, OUTCOME_EVENT, type TrackedPrint } from './print-events.js'

/** An event the host has told of, while its state has yet to follow. */
interface PendingEvent {
  readonly type: PrintEventType
  readonly atMs: number
  readonly deadlineMs: number
}

export interface Tracker {
  readonly print: TrackedPrint | null
  /** The highest `current_print_ts` ever given, so that none is given twice. */
  readonly lastTs: number
  readonly pending: PendingEvent | null
  /** Since when an idle host contradicts the running print. */
  readonly idleSinceMs: number | null
  /** Since when the host prints without having told of a start. */
  readonly foundSinceMs: number | null
  /** Events may have been missed: the agent has just started, or the host was out of reach. */
  readonly blind: boolean
}

export type TrackerInput = HostReport | { readonly type: 'tick' }

/** Something that happened to a print. `atMs` is by the monotonic clock. */
export interface TrackedEvent {
  readonly type: PrintEventType
  readonly printTs: number
  readonly atMs: number
  readonly job: Job | null
}

export interface TrackerStep {
  readonly tracker: Tracker
  readonly events: readonly TrackedEvent[]
}

/** How long an event waits for the host's state, so that it is sent with the state it leads to. */
const SETTLE_MS = 15_000
/** How long an idle host may contradict a running print before the print counts as ended without an event. */
const END_GRACE_MS = 2_000
/**
 * How long a print that only the snapshots show waits for the host's `started`. A host may show that it prints before it shows
 * what: a print begun at once would carry the name of the file before.
 */
const START_GRACE_MS = 2_000
/** Within this time a `started` of the host belongs to the print its snapshots have already shown. */
const CONFIRM_MS = 5_000

/** A tracker that has seen no print yet. */
export const NEW_TRACKER: Tracker = {
  print: null,
  lastTs: 0,
  pending: null,
  idleSinceMs: null,
  foundSinceMs: null,
  blind: true,
}

/** The `current_print_ts` to report. */
export function currentPrintTs(tracker: Tracker): number {
  return tracker.print?.ts ?? NO_PRINT
}

/**
 * Follows the host through the life of its prints: which print runs, and what has happened to it.
 *
 * The host's own events decide. Snapshots fill the gaps that a restart or a lost connection leaves. An event is held back
 * until the host's state has followed (a cancelled print first finishes its last moves), but its time is when it happened.
 */
export function track(tracker: Tracker, input: TrackerInput, now: Now): TrackerStep {
  const run = new Run(tracker, now)
  switch (input.type) {
    case 'print':
      run.hostEvent(input.event)
      break
    case 'snapshot':
      run.snapshot(input.snapshot)
      break
    case 'unreachable':
      run.hostLost()
      break
    case 'tick':
      run.time()
      break
    case 'profiles':
    case 'notice':
      break
  }
  return { tracker: run.tracker, events: run.events }
}

/** One step of the machine: collects events while it moves the tracker on. */
class Run {
  readonly events: TrackedEvent[] = []

  constructor(
    public tracker: Tracker,
    private readonly now: Now,
  ) {}

  hostEvent(event: 'started' | 'paused' | 'resumed' | PrintOutcome): void {
    const { pending, foundSinceMs } = this.tracker
    if (event !== 'started' && foundSinceMs !== null) this.startFound(foundSinceMs, null)
    const { print } = this.tracker
    // A cancelled print is also told as failed by some hosts; the first word counts.
    if (pending && isEnd(pending.type) && event !== 'started') return
    this.flushPending()
    switch (event) {
      case 'started':
        return this.hostStarted()
      case 'paused':
        return this.setPaused(true, SETTLE_MS)
      case 'resumed':
        return this.setPaused(false, SETTLE_MS)
      case 'done':
      case 'cancelled':
      case 'failed':
        if (print) this.hold(OUTCOME_EVENT[event])
    }
  }

  snapshot(snapshot: HostSnapshot): void {
    const wasBlind = this.tracker.blind
    this.set({ blind: false })
    if (wasBlind && this.isAnotherRun(snapshot)) this.end(null)
    this.learn(snapshot)
    const { pending } = this.tracker
    if (pending) {
      if (!hasSettled(pending.type, snapshot.phase)) return this.time()
      this.flushPending()
    }
    if (this.tracker.print) this.followPrint(snapshot, wasBlind)
    else this.findPrint(snapshot, wasBlind)
  }

  hostLost(): void {
    this.flushPending()
    this.set({ blind: true, idleSinceMs: null, foundSinceMs: null })
  }

  time(): void {
    const { pending } = this.tracker
    if (pending && this.now.monotonicMs >= pending.deadlineMs) this.flushPending()
  }

  private hostStarted(): void {
    const { print } = this.tracker
    const sinceMs = print?.unconfirmedSinceMs ?? null
    if (print && sinceMs !== null && this.now.monotonicMs - sinceMs <= CONFIRM_MS) {
      this.set({ print: { ...print, unconfirmedSinceMs: null } })
      return
    }
    if (print) this.end(null)
    this.start({ startedMsAgo: 0, confirmed: true, job: null })
  }

  /** A print that runs without the host having told of its start. */
  private findPrint({ phase, status }: HostSnapshot, wasBlind: boolean): void {
    if (phase !== 'printing' && phase !== 'pausing' && phase !== 'paused' && phase !== 'resuming') {
      return this.set({ foundSinceMs: null })
    }
    const { monotonicMs } = this.now
    const sinceMs = wasBlind
      ? monotonicMs - Math.max(0, status.progress?.printTime ?? 0) * 1000
      : (this.tracker.foundSinceMs ?? monotonicMs)
    if (!wasBlind && monotonicMs - sinceMs < START_GRACE_MS) return this.set({ foundSinceMs: sinceMs })
    this.startFound(sinceMs, status.job ?? null)
    if (phase === 'paused') this.setPaused(true, 0)
  }

  private startFound(sinceMs: number, job: Job | null): void {
    this.start({ startedMsAgo: this.now.monotonicMs - sinceMs, confirmed: false, job })
  }

  private followPrint(snapshot: HostSnapshot, wasBlind: boolean): void {
    const { phase } = snapshot
    if (isActive(phase)) {
      this.set({ idleSinceMs: null })
      if (phase === 'paused') this.setPaused(true, 0)
      if (phase === 'printing') this.setPaused(false, 0)
      return
    }
    const sinceMs = this.tracker.idleSinceMs ?? this.now.monotonicMs
    if (wasBlind || this.now.monotonicMs - sinceMs >= END_GRACE_MS) this.end(snapshot)
    else this.set({ idleSinceMs: sinceMs })
  }

  private start(how: { startedMsAgo: number; confirmed: boolean; job: Job | null }): void {
    const { monotonicMs, wallMs } = this.now
    const ts = Math.max(Math.floor((wallMs - how.startedMsAgo) / 1000), this.tracker.lastTs + 1)
    const unconfirmedSinceMs = how.confirmed ? null : monotonicMs
    this.set({
      print: { ts, paused: false, job: how.job, completion: null, unconfirmedSinceMs },
      lastTs: ts,
      idleSinceMs: null,
      foundSinceMs: null,
    })
    this.emit('PrintStarted', monotonicMs - how.startedMsAgo)
  }

  private setPaused(paused: boolean, settleMs: number): void {
    const { print } = this.tracker
    if (!print || print.paused === paused) return
    this.set({ print: { ...print, paused } })
    const type = paused ? 'PrintPaused' : 'PrintResumed'
    if (settleMs > 0) this.hold(type, settleMs)
    else this.emit(type, this.now.monotonicMs)
  }

  /** Ends the print without the host having said how, as well as `snapshot` lets us tell. */
  private end(snapshot: HostSnapshot | null): void {
    const { print } = this.tracker
    if (!print) return
    this.emit(OUTCOME_EVENT[inferOutcome(print, snapshot)], this.now.monotonicMs)
    this.set({ print: null, idleSinceMs: null, pending: null })
  }

  private hold(type: PrintEventType, settleMs: number = SETTLE_MS): void {
    const atMs = this.now.monotonicMs
    this.set({ pending: { type, atMs, deadlineMs: atMs + settleMs } })
  }

  private flushPending(): void {
    const { pending } = this.tracker
    if (!pending) return
    this.emit(pending.type, pending.atMs)
    this.set(isEnd(pending.type) ? { pending: null, print: null, idleSinceMs: null } : { pending: null })
  }

  /** Whether the host runs another job than the one that was tracked when it was last seen. */
  private isAnotherRun({ phase, status }: HostSnapshot): boolean {
    const { print } = this.tracker
    if (!print || !isActive(phase)) return false
    if (print.job && status.job && print.job.file.path !== status.job.file.path) return true
    const completion = status.progress?.completion
    return typeof completion === 'number' && print.completion !== null && completion < print.completion - 1
  }

  /** An idle host may already show the next job, so only an active one tells about this print. */
  private learn({ phase, status }: HostSnapshot): void {
    const { print } = this.tracker
    if (!print || !isActive(phase)) return
    const told = status.progress?.completion ?? null
    // Right after a start some hosts still show the 100 % of the print before, which would make the real progress look like
    // that of another run.
    const isLeftOver = print.completion === null && told !== null && told >= 100
    const completion = isLeftOver ? null : (told ?? print.completion)
    const job = status.job ?? print.job
    if (completion !== print.completion || job !== print.job) this.set({ print: { ...print, completion, job } })
  }

  private emit(type: PrintEventType, atMs: number): void {
    const { print } = this.tracker
    if (print) this.events.push({ type, printTs: print.ts, atMs, job: print.job })
  }

  private set(change: Partial<Tracker>): void {
    this.tracker = { ...this.tracker, ...change }
  }
}
