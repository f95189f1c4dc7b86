import type { PauseArgs } from '@printwarden/protocol'
import { z } from 'zod'
import { backoffMs, HOST_BACKOFF } from '../../backoff.js'
import { HostError, type GCodeFile, type HostDeps, type HostPhase, type PrinterHost } from '../../host.js'
import { isActive } from '../../host-state.js'
import type { MoonrakerConfig } from '../../hosts.js'
import { AGENT_NAME } from '../../status-message.js'
import { NO_FACTS, readFileFacts } from './file-metadata.js'
import { safeFileName } from './file-name.js'
import { openMoonrakerHttp, type MoonrakerHttp } from './http-client.js'
import { readLastJob, readObjectList, readServerInfo, readStateMessage, type KlippyState } from './messages.js'
import { mergeObjects, printStatsOf, readPatch, readStatus, subscriptionOf } from './objects.js'
import { openParkingLot, type ParkingLot } from './parking-lot.js'
import { Parked } from './parking.js'
import { PRESETS_KEY, readPresets } from './presets.js'
import { isPrinting, printEvents } from './print-events.js'
import { openRpc, type Rpc } from './rpc-client.js'
import {
  applyObjects,
  canResume,
  NEW_VIEW,
  outcomeOfJob,
  phaseOf,
  reasonOf,
  snapshotOf,
  type Asked,
  type View,
} from './translate.js'

const ANSWER_TIMEOUT_MS = 10_000
/** How often Klippy is asked for while it is not ready: Moonraker does not tell when it fails to start. */
const POLL_MS = 2_000
/**
 * How long a Moonraker that has just started may look for its Klippy. It may have restarted in the middle of a print, which goes
 * on meanwhile; only afterwards is the printer known to be down.
 */
const KLIPPY_PATIENCE_MS = 20_000
/** After so long without a refusal a command counts as accepted: Klipper answers only when its macros have run. */
const ACCEPT_MS = 1_500
/** How long the state may take to follow an answer. */
const FOLLOW_MS = 3_000
/** Klipper tells changes four times a second; only what matters is passed on at once. */
const TELL_MS = 1_000

/** What must survive a restart of the agent. */
const Memory = z.object({
  parked: Parked.optional().catch(undefined),
  displayed: z.object({ filename: z.string(), progress: z.number() }).optional().catch(undefined),
})
type Memory = z.infer<typeof Memory>

/** Connects to a Moonraker and stays connected. */
export function openMoonrakerHost(config: MoonrakerConfig, deps: HostDeps): PrinterHost {
  return new MoonrakerHost(config, deps)
}

class MoonrakerHost implements PrinterHost {
  private readonly http: MoonrakerHttp
  private readonly parking: ParkingLot
  private memory: Memory
  private view: View = NEW_VIEW
  /** The connection of now, from its first try on; a newer one makes all that is under way for it void. */
  private connection = 0
  private rpc: Rpc | undefined
  /** Whether Klippy's objects are being followed. */
  private isFollowing = false
  /** Whether Klippy was ready on this connection. */
  private hasFollowed = false
  private connectedAtMs = 0
  private attempt = 0
  private isClosed = false
  private told: { phase: HostPhase; atMs: number } | undefined
  private cancelTimer: () => void = () => undefined
  private cancelPoll: () => void = () => undefined
  private cancelTell: () => void = () => undefined

  constructor(
    private readonly config: MoonrakerConfig,
    private readonly deps: HostDeps,
  ) {
    this.memory = Memory.safeParse(deps.memory.load()).data ?? {}
    this.http = openMoonrakerHttp(config.url, config.api_key, deps.clock)
    this.parking = openParkingLot({
      runScript: (script) => this.call('printer.gcode.script', { script }),
      query: (objects) => this.call('printer.objects.query', { objects }, ANSWER_TIMEOUT_MS),
      initial: this.memory.parked,
      keep: (parked) => this.keep({ parked }),
      clock: deps.clock,
      log: deps.log,
    })
    this.connect()
  }

  async pause(args: PauseArgs): Promise<void> {
    const phase = this.requirePrint()
    if (phase === 'paused' || phase === 'pausing') return
    this.parking.book(args)
    await this.ask('pause', () => this.call('printer.print.pause'))
  }

  async resume(): Promise<void> {
    if (this.requirePrint() !== 'paused') throw new HostError('not_printing', 'the print is not paused')
    await this.ask('resume', async () => {
      await this.parking.leave()
      // A print that was paused without PAUSE, by M25, is unknown to RESUME.
      await (canResume(this.view)
        ? this.call('printer.print.resume')
        : this.call('printer.gcode.script', { script: 'M24' }))
    })
  }

  async cancel(): Promise<void> {
    this.requirePrint()
    await this.ask('cancel', () => this.call('printer.print.cancel'))
  }

  async print(file: GCodeFile): Promise<string> {
    this.requireKlippy()
    const phase = phaseOf(this.view)
    if (phase !== 'idle') throw new HostError('rejected', 'the printer is busy')
    const { log } = this.deps
    let quarters = 0
    const filename = await this.http.upload({ ...file, name: safeFileName(file.name) }, (part) => {
      if (Math.floor(part * 4) === quarters) return
      quarters = Math.floor(part * 4)
      log.info({ file: file.name, percent: quarters * 25 }, 'the file is handed to Moonraker')
    })
    await this.accept(this.call('printer.print.start', { filename }), 'the print was not started')
    return filename
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.disconnect()
  }

  /** What the printer does; a command without a print is refused. */
  private requirePrint(): HostPhase {
    this.requireKlippy()
    const phase = phaseOf(this.view)
    if (!isActive(phase)) throw new HostError('not_printing', 'nothing is printed')
    return phase
  }

  private requireKlippy(): void {
    if (this.isFollowing) return
    throw this.view.reason === undefined ? this.noAnswer('not connected') : this.klippyError()
  }

  private call(method: string, params?: object, timeoutMs?: number): Promise<unknown> {
    return this.rpc ? this.rpc.call(method, params, timeoutMs) : Promise.reject(this.noAnswer('not connected'))
  }

  /** Shows at once what was asked for, and until Klipper has done it. */
  private async ask(asked: Asked, work: () => Promise<unknown>): Promise<void> {
    this.view = { ...this.view, asked }
    this.tell(true)
    const done = (error?: unknown) => this.answered(asked, error === undefined)
    const run = work().then(
      () => done(),
      (error: unknown) => {
        done(error)
        throw error
      },
    )
    await this.accept(run, `Klipper did not ${asked}`)
  }

  /** Resolves when Klipper has done it, or has not refused it for a while. */
  private async accept(run: Promise<unknown>, failed: string): Promise<void> {
    let isAccepted = false
    let cancel: () => void = () => undefined
    const patience = new Promise<void>((resolve) => {
      cancel = this.deps.clock.after(ACCEPT_MS, resolve)
    })
    run.catch((err: unknown) => {
      if (isAccepted && !this.isClosed) this.deps.log.warn({ err }, failed)
    })
    try {
      await Promise.race([run, patience])
      isAccepted = true
    } finally {
      cancel()
    }
  }

  private answered(asked: Asked, isDone: boolean): void {
    if (this.view.asked !== asked || this.isClosed) return
    const follows = asked === 'cancel' && !isPrinting(printStatsOf(this.view.objects))
    if (!isDone || follows) return this.unask(asked)
    this.deps.clock.after(FOLLOW_MS, () => this.unask(asked))
    this.isCancelAnswered = asked === 'cancel'
  }

  private isCancelAnswered = false

  private unask(asked: Asked): void {
    if (this.view.asked !== asked || this.isClosed) return
    this.view = { ...this.view, asked: null }
    this.isCancelAnswered = false
    if (this.isFollowing) this.tell(true)
  }

  private connect(): void {
    this.connection += 1
    const mine = this.connection
    this.view = NEW_VIEW
    void this.open(mine).catch((error: unknown) => this.lose(mine, this.asHostError(error)))
  }

  private async open(mine: number): Promise<void> {
    const { url, api_key } = this.config
    const token = api_key === undefined ? undefined : await this.http.oneShotToken()
    if (!this.isCurrent(mine)) return
    const rpc = openRpc(url, token, this.deps.clock, {
      onOpen: () => void this.welcome(mine, rpc).catch((error: unknown) => this.lose(mine, this.asHostError(error))),
      onNotice: (method, params) => {
        if (this.isCurrent(mine)) this.notice(mine, method, params)
      },
      onClosed: (why) => this.lose(mine, this.noAnswer(why)),
    })
    this.rpc = rpc
  }

  /** The first calls on a new socket. */
  private async welcome(mine: number, rpc: Rpc): Promise<void> {
    // Not as an "agent", of whom Moonraker allows only one by a name: a socket that is lost but not yet given up would block ours.
    const identity = {
      client_name: AGENT_NAME,
      version: '1',
      type: 'other',
      url: 'https://www.npmjs.com/package/printwarden-agent',
    }
    await rpc.call('server.connection.identify', identity, ANSWER_TIMEOUT_MS)
    if (!this.isCurrent(mine)) return
    this.connectedAtMs = this.deps.clock.monotonicMs()
    await this.checkKlippy(mine)
  }

  private async checkKlippy(mine: number): Promise<void> {
    this.cancelPoll()
    const klippy = readServerInfo(await this.call('server.info', undefined, ANSWER_TIMEOUT_MS))
    if (!this.isCurrent(mine)) return
    this.attempt = 0
    if (klippy === undefined) throw this.noAnswer('something else answers there')
    if (klippy === 'ready') return this.subscribe(mine)
    const hasReason = klippy === 'shutdown' || klippy === 'error'
    const asked = hasReason ? this.call('printer.info', undefined, ANSWER_TIMEOUT_MS) : Promise.resolve(undefined)
    const info = await this.ignoringRefusal(asked)
    if (this.isCurrent(mine)) this.klippyDown(mine, klippy, reasonOf(klippy, readStateMessage(info)))
  }

  private async subscribe(mine: number): Promise<void> {
    const list = await this.ignoringRefusal(this.call('printer.objects.list', undefined, ANSWER_TIMEOUT_MS))
    const objects = subscriptionOf(readObjectList(list))
    const status = await this.ignoringRefusal(this.call('printer.objects.subscribe', { objects }, ANSWER_TIMEOUT_MS))
    if (!this.isCurrent(mine)) return
    if (status === undefined) return this.klippyDown(mine, 'startup', reasonOf('startup', undefined))
    this.view = applyObjects({ ...NEW_VIEW, klippy: 'ready', displayed: this.memory.displayed }, readStatus(status))
    if (this.view.klippy !== 'ready') return this.klippyDown(mine, this.view.klippy, this.view.reason)
    this.isFollowing = true
    await this.recall()
    if (!this.isCurrent(mine) || !this.isFollowing) return
    this.hasFollowed = true
    this.tell(true)
    this.view = { ...this.view, lastJob: undefined }
    this.fetchFacts(false)
    this.fetchPresets()
  }

  /** A Klipper that was restarted shows no job any more; how the last one ended is in Moonraker's history. */
  private async recall(): Promise<void> {
    if (printStatsOf(this.view.objects).filename) return
    const query = { limit: 1, order: 'desc' }
    const job = readLastJob(await this.ignoringRefusal(this.call('server.history.list', query, ANSWER_TIMEOUT_MS)))
    const outcome = job && outcomeOfJob(job.status)
    if (job && outcome) this.view = { ...this.view, lastJob: { filename: job.filename, outcome } }
  }

  private notice(mine: number, method: string, params: readonly unknown[]): void {
    switch (method) {
      case 'notify_status_update':
        return this.takeStatus(mine, params[0])
      case 'notify_klippy_ready':
        return this.check(mine)
      case 'notify_klippy_shutdown':
        // The reason has mostly come with the objects already.
        return this.isFollowing ? this.check(mine) : undefined
      case 'notify_klippy_disconnected':
        return this.klippyDown(mine, 'disconnected', reasonOf('disconnected', undefined))
    }
  }

  private check(mine: number): void {
    void this.checkKlippy(mine).catch((error: unknown) => this.lose(mine, this.asHostError(error)))
  }

  private takeStatus(mine: number, value: unknown): void {
    if (!this.isFollowing) return
    const before = printStatsOf(this.view.objects)
    const next = applyObjects(this.view, mergeObjects(this.view.objects, readPatch(value)))
    if (next.klippy !== 'ready') return this.klippyDown(mine, next.klippy, next.reason)
    this.view = next
    const after = printStatsOf(next.objects)
    if (this.isCancelAnswered && !isPrinting(after)) this.unask('cancel')
    if (!this.hasFollowed) return
    const events = printEvents(before, after)
    if (events.includes('paused')) this.keep({ displayed: next.displayed })
    if (events.includes('started')) this.tell(true)
    for (const event of events) this.deps.report({ type: 'print', event })
    this.tell(events.length > 0)
    this.fetchFacts(events.includes('started'))
  }

  /** Klippy is not ready. A print that ran is lost: Klipper cannot go on with it. */
  private klippyDown(mine: number, klippy: KlippyState, reason: string | undefined): void {
    const wasPrinting = this.isFollowing && isPrinting(printStatsOf(this.view.objects))
    const isNews = this.isFollowing || this.view.reason !== reason || this.view.klippy !== klippy
    this.isFollowing = false
    this.view = { ...this.view, klippy, reason, asked: null, objects: {} }
    if (wasPrinting) this.deps.report({ type: 'print', event: 'failed' })
    this.parking.follow(this.view)
    this.cancelPoll()
    this.cancelPoll = this.deps.clock.after(POLL_MS, () => this.check(mine))
    if (isNews) this.deps.log.info({ klippy, reason }, 'Klipper is not ready')
    if (this.isKnownDown(klippy)) this.tell(true)
    else this.deps.report({ type: 'unreachable', error: this.klippyError(), retryInMs: POLL_MS })
  }

  private isKnownDown(klippy: KlippyState): boolean {
    if (this.hasFollowed || klippy === 'shutdown' || klippy === 'error') return true
    return this.deps.clock.monotonicMs() - this.connectedAtMs >= KLIPPY_PATIENCE_MS
  }

  /** Reports the state: at once when it `mustTell` or has changed, else at most once a second. */
  private tell(mustTell: boolean): void {
    if (this.isClosed) return
    const { clock, report } = this.deps
    this.parking.follow(this.view)
    const phase = phaseOf(this.view)
    const nowMs = clock.monotonicMs()
    const waitMs = this.told?.phase === phase && !mustTell ? this.told.atMs + TELL_MS - nowMs : 0
    this.cancelTell()
    if (waitMs > 0) {
      this.cancelTell = clock.after(waitMs, () => this.tell(true))
      return
    }
    this.told = { phase, atMs: nowMs }
    report({ type: 'snapshot', snapshot: snapshotOf(this.view) })
  }

  private fetchFacts(again: boolean): void {
    const { filename } = printStatsOf(this.view.objects)
    if (!filename || (this.view.facts?.filename === filename && !again)) return
    // Marked as known at once, so that the next update does not ask again.
    this.view = { ...this.view, facts: { filename, value: NO_FACTS } }
    void this.call('server.files.metadata', { filename }, ANSWER_TIMEOUT_MS).then(
      (answer) => {
        if (this.view.facts?.filename !== filename) return
        this.view = { ...this.view, facts: { filename, value: readFileFacts(answer) } }
        if (this.isFollowing) this.tell(true)
      },
      (err: unknown) => this.deps.log.debug({ err }, 'Moonraker tells nothing about the file'),
    )
  }

  private fetchPresets(): void {
    void this.call('server.database.get_item', PRESETS_KEY, ANSWER_TIMEOUT_MS).then(
      (answer) => this.deps.report({ type: 'profiles', profiles: readPresets(answer) }),
      (err: unknown) => this.deps.log.debug({ err }, 'there are no temperature presets'),
    )
  }

  private keep(change: Partial<Memory>): void {
    this.memory = { ...this.memory, ...change }
    this.deps.memory.save(this.memory)
  }

  private lose(mine: number, error: HostError): void {
    if (!this.isCurrent(mine)) return
    this.disconnect()
    this.attempt += 1
    const retryInMs = backoffMs(this.attempt, Math.random(), HOST_BACKOFF)
    this.cancelTimer = this.deps.clock.after(retryInMs, () => this.connect())
    this.deps.report({ type: 'unreachable', error, retryInMs })
  }

  private disconnect(): void {
    this.connection += 1
    this.isFollowing = false
    this.hasFollowed = false
    this.told = undefined
    this.isCancelAnswered = false
    for (const cancel of [this.cancelTimer, this.cancelPoll, this.cancelTell]) cancel()
    this.rpc?.close()
    this.rpc = undefined
  }

  private isCurrent(mine: number): boolean {
    return this.connection === mine && !this.isClosed
  }

  /** What Klippy refuses while it starts or stops is no reason to give up the connection. */
  private ignoringRefusal(work: Promise<unknown>): Promise<unknown> {
    return work.catch((error: unknown) => {
      if (error instanceof HostError && error.code === 'rejected') return undefined
      throw error
    })
  }

  private klippyError(): HostError {
    const { klippy, reason } = this.view
    return new HostError('unreachable', `Klipper behind ${this.config.url} (${reason ?? reasonOf(klippy, undefined)})`)
  }

  private noAnswer(why: string): HostError {
    return new HostError('unreachable', `Moonraker at ${this.config.url} (${why})`)
  }

  private asHostError(error: unknown): HostError {
    return error instanceof HostError ? error : this.noAnswer(String(error))
  }
}
