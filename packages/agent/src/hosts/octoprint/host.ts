import { randomUUID } from 'node:crypto'
import type { FileOrigin, PauseArgs, PrinterFile } from '@printwarden/protocol'
import { backoffMs, HOST_BACKOFF } from '../../time/backoff.js'
import { HostError, type GCodeFile, type HostDeps, type HostNotice, type PrinterHost } from '../../host.js'
import type { OctoPrintConfig } from '../../hosts.js'
import { openOctoPrintClient, type OctoPrintClient } from './client.js'
import { toFileMetadata } from './file-metadata.js'
import { readFrame, type Frame } from './frames.js'
import { MODE_LINES, modesAfterGCode, settledModes, type SettledModes } from './modes.js'
import { displayedBy, noticeOfEvent, PLUGINS, promptAfter, promptOf, questionNotice } from './notices.js'
import { openParkingLot, type ParkingLot } from './parking-lot.js'
import { openPush, type Push } from './push-client.js'
import { applyCurrent, applyEvent, fileKey, NEW_VIEW, phaseOf, printEvent, snapshotOf, type View } from './translate.js'

const LOGIN_TIMEOUT_MS = 20_000
/** How long OctoPrint may take to begin connecting to its printer, and how often it is asked again. */
const CONNECT_MS = 3000
const CONNECT_TRIES = 3
/** One `current` a second: the events tell at once what cannot wait. */
const THROTTLE = 2
const EVENTS = [
  'PrinterStateChanged',
  'PrintStarted',
  'PrintPaused',
  'PrintResumed',
  'PrintDone',
  'PrintCancelled',
  'PrintFailed',
  'MetadataAnalysisFinished',
  'MetadataStatisticsUpdated',
  'SettingsUpdated',
  'FilamentChange',
  'Error',
  'EStop',
]
const SUBSCRIPTION = { subscribe: { state: { logs: MODE_LINES, messages: false }, events: EVENTS, plugins: PLUGINS } }
/** Slicers put the modes into the start code; a header with thumbnails may come before it. */
const MODE_SEARCH_BYTES = 512 * 1024

/** Connects to an OctoPrint and stays connected. */
export function openOctoPrintHost(config: OctoPrintConfig, deps: HostDeps): PrinterHost {
  return new OctoPrintHost(config, deps)
}

class OctoPrintHost implements PrinterHost {
  private readonly client: OctoPrintClient
  private readonly parking: ParkingLot
  private view: View = NEW_VIEW
  /** The connection of now, from its first try on. */
  private push: Push | undefined
  private isLoggedIn = false
  private attempt = 0
  /** An error has been told since the printer last was well. */
  private hasErred = false
  private isClosed = false
  private cancelTimer: () => void = () => undefined
  private cancelConnect: () => void = () => undefined

  constructor(
    private readonly config: OctoPrintConfig,
    private readonly deps: HostDeps,
  ) {
    this.client = openOctoPrintClient(config.url, config.api_key)
    this.parking = openParkingLot(this.client, deps.memory, deps.log)
    this.open()
  }

  async pause(args: PauseArgs): Promise<void> {
    this.requireLogin()
    const phase = phaseOf(this.view)
    if (phase === 'paused' || phase === 'pausing') return
    await this.client.job({ command: 'pause', action: 'pause' })
    this.parking.book(args, this.findModes())
    this.parking.follow(this.view)
  }

  async resume(): Promise<void> {
    this.requireLogin()
    if (phaseOf(this.view) !== 'paused') throw new HostError('not_printing', 'the print is not paused')
    await this.parking.leave()
    await this.client.job({ command: 'pause', action: 'resume' })
  }

  async cancel(): Promise<void> {
    this.requireLogin()
    await this.client.job({ command: 'cancel' })
  }

  async print(file: GCodeFile): Promise<string> {
    this.requireLogin()
    const phase = phaseOf(this.view)
    if (phase !== 'idle') throw new HostError('rejected', `the printer is ${phase === 'offline' ? 'offline' : 'busy'}`)
    return this.client.print(file)
  }

  async connectPrinter(): Promise<void> {
    this.requireLogin()
    if (phaseOf(this.view) === 'offline') await this.client.connect()
    this.seeToConnection(CONNECT_TRIES)
  }

  /** OctoPrint takes the order and forgets it while it still lets go of the connection before: so it is asked again. */
  private seeToConnection(tries: number): void {
    this.cancelConnect()
    if (tries === 0) return
    this.cancelConnect = this.deps.clock.after(CONNECT_MS, () => {
      if (!this.isLoggedIn || !this.view.state.flags.closedOrError) return
      this.client.connect().catch((err: unknown) => this.deps.log.debug({ err }, 'OctoPrint does not connect'))
      this.seeToConnection(tries - 1)
    })
  }

  /** OctoPrint sends it ahead of everything, and lets its printer go. */
  async emergencyStop(): Promise<void> {
    this.requireLogin()
    await this.client.sendGCode(['M112'])
  }

  async answerPrompt(promptId: string, choice: number): Promise<void> {
    this.requireLogin()
    const { prompt } = this.view
    if (prompt?.id !== promptId || choice >= prompt.choices.length) {
      throw new HostError('rejected', 'this is not asked any more')
    }
    await this.client.answerPrompt(choice)
  }

  async listFiles(): Promise<PrinterFile[]> {
    return this.client.listFiles()
  }

  async printOwn(path: string, origin: FileOrigin): Promise<void> {
    this.requireLogin()
    await this.client.printOwn(path, origin)
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.cancelTimer()
    this.cancelConnect()
    this.push?.close()
  }

  /** Without the push socket nobody would see what the command leads to. */
  private requireLogin(): void {
    if (!this.isLoggedIn) throw this.noAnswer('not connected')
  }

  private open(): void {
    this.view = NEW_VIEW
    const push = openPush(this.config.url, this.deps.clock, {
      onFrame: (data) => this.take(readFrame(data), push),
      onClosed: (why) => this.lose(push, this.noAnswer(why)),
    })
    this.push = push
    this.cancelTimer = this.deps.clock.after(LOGIN_TIMEOUT_MS, () => this.lose(push, this.noAnswer('no login')))
  }

  private noAnswer(why: string): HostError {
    return new HostError('unreachable', `OctoPrint at ${this.config.url} (${why})`)
  }

  private lose(push: Push, error: HostError): void {
    if (this.isClosed || this.push !== push) return
    push.close()
    this.push = undefined
    this.isLoggedIn = false
    this.attempt += 1
    const retryInMs = backoffMs(this.attempt, Math.random(), HOST_BACKOFF)
    this.cancelTimer()
    this.cancelTimer = this.deps.clock.after(retryInMs, () => this.open())
    this.deps.report({ type: 'unreachable', error, retryInMs })
  }

  private take(frame: Frame, push: Push): void {
    switch (frame.type) {
      case 'connected':
        this.deps.log.debug({ version: frame.version }, 'OctoPrint answers')
        return this.logIn(push)
      case 'reauth':
        this.deps.log.debug({ reason: frame.reason }, 'OctoPrint asks to log in again')
        return this.logIn(push)
      case 'current':
        if (frame.first) this.welcome()
        this.view = applyCurrent(this.view, frame.current)
        return this.tell()
      case 'event':
        return this.takeEvent(frame.event, frame.payload)
      case 'plugin':
        return this.takePlugin(frame.plugin, frame.data)
      case 'other':
        return
    }
  }

  private logIn(push: Push): void {
    void this.client.login().then(
      (auth) => {
        push.send({ auth })
        push.send(SUBSCRIPTION)
        push.send({ throttle: THROTTLE })
      },
      (error: unknown) => this.lose(push, error instanceof HostError ? error : this.noAnswer(String(error))),
    )
  }

  /** The first frame after the login: the connection stands. */
  private welcome(): void {
    if (this.isLoggedIn) return
    this.isLoggedIn = true
    this.attempt = 0
    this.cancelTimer()
    this.fetchProfiles()
    this.fetchPrompt()
  }

  /** A question that was asked while nobody listened. */
  private fetchPrompt(): void {
    void this.client.prompt().then(
      (answer) => {
        const prompt = this.view.prompt ? undefined : promptOf(answer, randomUUID())
        if (prompt === undefined || this.isClosed) return
        this.view = { ...this.view, prompt }
        this.tell()
      },
      (err: unknown) => this.deps.log.debug({ err }, 'OctoPrint does not tell whether the printer asks something'),
    )
  }

  private takeEvent(event: string, payload: Record<string, unknown>): void {
    this.view = applyEvent(this.view, event, payload)
    if (event === 'SettingsUpdated') return this.fetchProfiles()
    if (event.startsWith('Metadata')) return this.fetchMetadata(true)
    const notice = noticeOfEvent(event, payload)
    if (notice) return this.notify(event, notice)
    if (payload.state_id === 'OPERATIONAL') this.hasErred = false
    // Starting is told by PrintStarted, which follows at once and brings the job.
    if (payload.state_id === 'STARTING') return
    const report = printEvent(event, payload)
    // A start is told with the state that it leads to, an end may change what the state means: so in these orders.
    if (event === 'PrintStarted') this.tell()
    if (report) this.deps.report(report)
    if (event !== 'PrintStarted') this.tell()
  }

  private takePlugin(plugin: string, data: Record<string, unknown>): void {
    const prompt = promptAfter(this.view.prompt, plugin, data, randomUUID())
    const displayed = displayedBy(plugin, data)
    if (prompt === this.view.prompt && displayed === undefined) return
    if (prompt && prompt !== this.view.prompt) this.notify(plugin, questionNotice(prompt))
    this.view = { ...this.view, prompt, ...(displayed === undefined ? {} : { displayed }) }
    this.tell()
  }

  private notify(source: string, notice: HostNotice): void {
    // An error often ends in an emergency stop, which says nothing more then.
    const isSameTrouble = source === 'EStop' && this.hasErred
    this.hasErred ||= notice.about === 'error'
    if (!isSameTrouble) this.deps.report({ type: 'notice', notice })
  }

  private tell(): void {
    this.deps.report({ type: 'snapshot', snapshot: snapshotOf(this.view) })
    this.fetchMetadata(false)
    this.parking.follow(this.view)
  }

  private fetchMetadata(again: boolean): void {
    const file = this.view.job?.file
    if (!file) return
    const key = fileKey(file)
    if (this.view.metadata?.key === key && !again) return
    // Marked as known at once, so that the next frame does not ask again.
    const known = this.view.metadata?.key === key ? this.view.metadata.value : {}
    this.view = { ...this.view, metadata: { key, value: known } }
    void this.client.findFile(file.origin ?? 'local', file.path).then(
      (answer) => {
        const value = toFileMetadata(answer)
        if (value && this.view.metadata?.key === key) this.view = { ...this.view, metadata: { key, value } }
      },
      (err: unknown) => this.deps.log.debug({ err }, 'OctoPrint tells nothing about the file'),
    )
  }

  private fetchProfiles(): void {
    void this.client.temperatureProfiles().then(
      (profiles) => this.deps.report({ type: 'profiles', profiles }),
      (err: unknown) => this.deps.log.debug({ err }, 'OctoPrint does not tell its temperature profiles'),
    )
  }

  /** How moves are read now: as seen on the wire, else as the file says, else as firmwares begin. */
  private async findModes(): Promise<SettledModes> {
    const { modes, job } = this.view
    if ((modes.axes && modes.extruder) || !job || job.file.origin === 'sdcard') return settledModes(modes)
    const start = await this.client.readFileStart(job.file.path, MODE_SEARCH_BYTES).catch(() => '')
    return settledModes(modes, modesAfterGCode(start))
  }
}
