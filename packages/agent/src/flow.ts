import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RemoteStatus } from '@printwarden/protocol'
import { openAgentHttp } from './uplink/agent-client.js'
import { openCameraFlows, type CameraFlow } from './pictures/camera-flow.js'
import { WISH_HOLDS_MS } from './pictures/capture-policy.js'
import type { Clock } from './time/clock.js'
import { commandsOf } from './commands/capabilities.js'
import { CommandFlow } from './commands/command-flow.js'
import { failedAck } from './commands/command-inbox.js'
import type { PrinterConfig } from './config/config-schema.js'
import type { Drain } from './uplink/drain.js'
import { EventSender } from './reports/event-sender.js'
import { DEFAULT_FRAME_QUOTA } from './pictures/frame-quota.js'
import { openFrameStore } from './pictures/frame-store.js'
import type { HostNotice, HostReport, PrinterHost } from './host.js'
import { openHost } from './hosts.js'
import { KeyFrames } from './pictures/key-frames-flow.js'
import type { Log } from './log/log.js'
import { openNoticeClient } from './reports/notice-client.js'
import { openNoticeSender } from './reports/notice-sender.js'
import { addNotice } from './reports/notices.js'
import { acknowledge, addEvent, type UnsentEvent } from './reports/outbox.js'
import { openPicClient } from './pictures/pic-client.js'
import { currentPrintTs, track, type TrackedEvent, type TrackerInput } from './tracking/print-tracker.js'
import { Reporter } from './reports/reporter.js'
import { readServerMessage } from './uplink/server-messages.js'
import { Silence } from './uplink/silence.js'
import { agentSettings, NEW_VIEW, printerStatus, sceneOf, type HostView } from './reports/status-message.js'
import { openTrackerFile, type TrackerFile } from './tracking/tracker-file.js'
import { isWorthSaving, type TrackerRecord } from './tracking/tracker-record.js'
import { openUplink, type Refusal, type Uplink } from './uplink/uplink.js'
import { Waiting } from './log/waiting.js'

export interface PrinterDeps {
  readonly config: PrinterConfig
  readonly serverUrl: string
  readonly stateFolder: string
  readonly version: string
  readonly clock: Clock
  readonly log: Log
  readonly random: () => number
}

/** Why a printer is no longer served: somebody stopped it, or the server does not want it. */
export type PrinterEnd = 'closed' | Refusal

/** A printer that is being served. */
export interface RunningPrinter {
  readonly ended: Promise<PrinterEnd>
  close(): Promise<void>
}

const TICK_MS = 1_000
const FRESH_MS = 5_000

/** Serves one printer until it is closed or refused. Neither host nor server nor cameras need to be there yet. */
export async function openPrinter(deps: PrinterDeps): Promise<RunningPrinter> {
  const { stateFolder, config, clock, log } = deps
  const file = await openTrackerFile(stateFolder, config.name, clock, log)
  const flow = new PrinterFlow(deps, file)
  await flow.open()
  return flow
}

class PrinterFlow implements RunningPrinter {
  readonly ended: Promise<PrinterEnd>
  private end: (end: PrinterEnd) => void = () => undefined
  private record: TrackerRecord
  private view: HostView = NEW_VIEW
  private isHostKnown = false
  private profiles: Record<string, unknown>[] | null = null
  private remote: RemoteStatus = {}
  /** When the server last said how often it wants pictures, in monotonic milliseconds. */
  private wishedAtMs = 0
  private work: Promise<void> = Promise.resolve()
  private isClosed = false
  private host: PrinterHost | undefined
  private uplink: Uplink | undefined
  private commands: CommandFlow | undefined
  private cameras: CameraFlow[] = []
  private frames: KeyFrames | undefined
  private notices: Drain | undefined
  private stopTicks: () => void = () => undefined
  private readonly silence: Silence
  private readonly events: EventSender
  private readonly reporter: Reporter
  private readonly waitingForHost: Waiting
  private readonly waitingForServer: Waiting

  constructor(
    private readonly deps: PrinterDeps,
    private readonly file: TrackerFile,
  ) {
    this.record = file.initial
    this.events = new EventSender(deps.clock, (printTs) => this.frames?.count(printTs) ?? 0)
    this.silence = new Silence(deps.clock)
    this.reporter = new Reporter(deps.clock)
    this.waitingForHost = new Waiting(deps.log, 'connected to the printer host')
    this.waitingForServer = new Waiting(deps.log, 'connected to the server')
    this.ended = new Promise((resolve) => {
      this.end = resolve
    })
  }

  async open(): Promise<void> {
    const { config, serverUrl, clock, random, log } = this.deps
    const memory = { load: () => this.record.host, save: (value: unknown) => this.keepForHost(value) }
    const host = await openHost(config.host, { report: (report) => this.take(report), memory, clock, log })
    this.host = host
    const http = openAgentHttp(serverUrl, config.authToken)
    const pics = openPicClient(serverUrl, config.authToken, http)
    this.cameras = await openCameraFlows(config.cameras, {
      pics,
      onLost: (pic) => this.frames?.lost(pic),
      subject: {
        printTs: () => currentPrintTs(this.record.tracker),
        scene: () => host.scene?.() ?? sceneOf(this.view),
      },
      clock,
      log,
      onSize: () => this.report(),
    })
    useCamera(host, this.cameras)
    this.frames = new KeyFrames({
      store: await openFrameStore(this.framesFolder(), config.frameQuota ?? DEFAULT_FRAME_QUOTA, clock, log),
      camera: this.cameras.find((camera) => camera.view().primary),
      pics,
      isTold: (printTs) => this.isTold(printTs),
      clock,
      random,
      log,
    })
    this.notices = openNoticeSender({
      client: openNoticeClient(http),
      waiting: () => this.record.notices,
      onTold: (id) => this.noticeTold(id),
      clock,
      random,
      log,
    })
    const downloadFolder = join(this.deps.stateFolder, `${encodeURIComponent(config.name)}.downloads`)
    // What an agent that was killed has left: its command is not known any more.
    await rm(downloadFolder, { recursive: true, force: true }).catch(() => undefined)
    this.commands = new CommandFlow({
      host,
      takePictures: async () => void (await Promise.all(this.cameras.map((camera) => camera.take()))),
      onDownload: (downloading, storedFile) => this.look({ downloading, ...(storedFile ? { storedFile } : {}) }),
      isIdle: () => this.view.reachable && this.view.snapshot?.phase === 'idle',
      answer: (ack) => this.uplink?.sendAck(ack),
      isGivenUp: (sinceMs) => this.silence.wasLongSince(sinceMs),
      downloadFolder,
      clock,
      random,
      log,
    })
    this.uplink = this.openUplink()
    this.stopTicks = clock.every(TICK_MS, () => this.tick())
  }

  async close(): Promise<void> {
    await this.stop('closed')
  }

  private openUplink(): Uplink {
    const { config, serverUrl, clock, random, log } = this.deps
    return openUplink({
      serverUrl,
      authToken: config.authToken,
      clock,
      random,
      listener: {
        onOpen: () => this.connected(),
        onMessage: (text) => this.receive(text),
        onDown: (why, retryInMs) => {
          this.waitingForServer.goOn(`the server at ${serverUrl} (${why})`, retryInMs)
          this.notices?.close()
          this.silence.begin()
          this.attend()
        },
        onRefused: (refusal) => {
          log.error({}, REFUSALS[refusal])
          void this.stop(refusal)
        },
      },
    })
  }

  private async stop(end: PrinterEnd): Promise<void> {
    if (this.isClosed) return
    this.isClosed = true
    this.stopTicks()
    this.commands?.close()
    this.notices?.close()
    await this.frames?.close()
    for (const camera of this.cameras) camera.close()
    await this.host?.close()
    await this.work
    await this.file.save(this.record)
    await this.uplink?.close()
    this.end(end)
  }

  /** What the host reports is worked on strictly in order: an event is on the disk before it is sent, and before the next. */
  private take(input: TrackerInput): void {
    this.work = this.work
      .then(() => this.apply(input))
      .catch((err: unknown) => this.deps.log.error({ err }, 'a report of the host was lost'))
  }

  private async apply(input: TrackerInput): Promise<void> {
    if (this.isClosed) return
    if (input.type === 'notice') return this.noted(input.notice)
    if (input.type !== 'tick') this.see(input)
    const now = { wallMs: this.deps.clock.wallMs(), monotonicMs: this.deps.clock.monotonicMs() }
    const before = this.record
    const { tracker, events } = track(before.tracker, input, now)
    this.record = { ...before, tracker }
    const unsent = events.map((event) => this.unsentEvent(event, this.reporter.timeMs()))
    this.record = { ...this.record, outbox: unsent.reduce((outbox, event) => addEvent(outbox, event), before.outbox) }
    if (isWorthSaving(before, this.record)) await this.file.save(this.record)
    for (const event of unsent) {
      this.deps.log.info(
        { event: event.type, current_print_ts: event.printTs, file: event.status.job?.file.name },
        'print event',
      )
      if (this.uplink) this.events.send(this.uplink, event)
    }
    this.report()
    this.attend()
    for (const { type, printTs } of events) this.frames?.event(type, printTs)
  }

  private see(report: HostReport): void {
    switch (report.type) {
      case 'snapshot':
        this.waitingForHost.end()
        this.isHostKnown = true
        this.view = { ...this.view, snapshot: report.snapshot, reachable: true, why: null }
        return
      case 'unreachable':
        this.waitingForHost.goOn(report.error.message, report.retryInMs)
        this.isHostKnown = true
        this.view = { ...this.view, reachable: false, why: report.error.message }
        return
      case 'profiles':
        this.profiles = report.profiles
        return
      case 'print':
      case 'notice':
        return
    }
  }

  private async noted(notice: HostNotice): Promise<void> {
    const { clock, log } = this.deps
    const printTs = currentPrintTs(this.record.tracker)
    const before = this.record
    const unsent = { id: randomUUID(), atMs: clock.monotonicMs(), printTs, notice }
    this.record = { ...before, notices: addNotice(before.notices, unsent) }
    if (this.record.notices === before.notices) return
    await this.file.save(this.record)
    log.info({ ...notice }, 'notice of the printer')
    this.notices?.nudge()
  }

  private noticeTold(told: string): void {
    this.record = { ...this.record, notices: this.record.notices.filter(({ id }) => id !== told) }
    void this.file.save(this.record)
  }

  private isTold(print: number): boolean {
    return !this.record.outbox.some(({ type, printTs }) => type === 'PrintStarted' && printTs === print)
  }

  private framesFolder(): string {
    return join(this.deps.stateFolder, `${encodeURIComponent(this.deps.config.name)}.frames`)
  }

  private look(change: Partial<HostView>): void {
    this.view = { ...this.view, ...change }
    this.report()
  }

  private unsentEvent({ type, printTs, atMs, job }: TrackedEvent, wallMs: number): UnsentEvent {
    const status = printerStatus(this.record.tracker, this.view, wallMs)
    // The host may already show the next job, or none.
    return { id: randomUUID(), type, printTs, atMs, status: job ? { ...status, job } : status }
  }

  private connected(): void {
    this.waitingForServer.end()
    this.silence.end()
    // A wish for more pictures was the last connection's.
    this.remote = { ...this.remote, interval_ms: null }
    this.reporter.reset()
    if (this.uplink) this.events.sendAll(this.uplink, this.record.outbox)
    this.notices?.open()
    this.report()
    this.attend()
  }

  private receive(text: string): void {
    const message = readServerMessage(text)
    if (!message) return this.deps.log.warn({}, 'the server sent something that is no message')
    const { commands, badCommands, acknowledged, remoteStatus, error, sentMs } = message
    const lateMs = sentMs === undefined ? 0 : (this.uplink?.lateMs(sentMs) ?? 0)
    if (error) this.deps.log.warn({ ...error }, 'the server did not accept a message')
    if (acknowledged.length > 0) this.forget(acknowledged)
    if (remoteStatus) this.heed(remoteStatus)
    for (const { id, detail } of badCommands) this.uplink?.sendAck(failedAck(id, 'unknown_command', detail))
    for (const command of commands) this.commands?.receive(command, lateMs)
    if (remoteStatus) this.attend()
  }

  private heed(remoteStatus: RemoteStatus): void {
    this.remote = { ...this.remote, ...remoteStatus }
    if (remoteStatus.interval_ms !== undefined) this.wishedAtMs = this.deps.clock.monotonicMs()
  }

  /** How often the server wants pictures, as long as it says so now and then. */
  private wantedMs(): number | undefined {
    const isStale = this.deps.clock.monotonicMs() - this.wishedAtMs > WISH_HOLDS_MS
    return isStale ? undefined : (this.remote.interval_ms ?? undefined)
  }

  private forget(ids: readonly string[]): void {
    const before = this.record
    this.record = { ...before, outbox: acknowledge(before.outbox, ids) }
    if (isWorthSaving(before, this.record)) void this.file.save(this.record)
    this.frames?.nudge()
  }

  private keepForHost(value: unknown): void {
    this.record = { ...this.record, host: value }
    void this.file.save(this.record)
  }

  private tick(): void {
    if (this.record.tracker.pending) this.take({ type: 'tick' })
    if (this.uplink) this.events.repeat(this.uplink, this.record.outbox)
    this.report()
    if (this.remote.interval_ms && this.wantedMs() === undefined) {
      this.remote = { ...this.remote, interval_ms: null }
      this.attend()
    }
  }

  /** Before the host's first word there is nothing true to report. */
  private report(): void {
    if (!this.uplink || !this.isHostKnown || this.isClosed) return
    const cameras = this.cameras.map((camera) => camera.view())
    const settings = agentSettings(cameras, this.profiles, this.host ? commandsOf(this.host) : [], this.deps.version)
    this.reporter.report(this.uplink, {
      tracker: this.record.tracker,
      view: this.view,
      settings,
      viewing: this.isViewed(),
    })
  }

  private isViewed(): boolean {
    return this.remote.viewing ?? false
  }

  private attend(): void {
    const { print } = this.record.tracker
    const printing = print !== null && !print.paused
    const online = this.uplink?.isOpen ?? false
    const wantedMs = this.wantedMs()
    for (const camera of this.cameras) camera.attend({ online, printing, viewing: this.isViewed(), wantedMs })
    this.frames?.attend({ online, print })
  }
}

/** A host that knows its printer by pictures alone looks through the primary camera. One just taken for the server will do. */
function useCamera({ watch }: PrinterHost, cameras: readonly CameraFlow[]): void {
  const camera = cameras.find((one) => one.view().primary)
  if (camera) watch?.useCamera(async () => (await camera.shoot(FRESH_MS)).bytes)
}

const REFUSALS: Record<Refusal, string> = {
  unauthorized:
    'the server refuses the auth_token of this printer: take the one it shows now, or link the printer again',
  replaced:
    'another agent has connected with the auth_token of this printer: this one stops, so that they do not fight',
}
