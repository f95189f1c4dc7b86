import { randomUUID } from 'node:crypto'
import type { PauseArgs, PrinterFile } from '@printwarden/protocol'
import { HostError, type HostDeps, type PrinterHost } from '../../host.js'
import { isActive } from '../../tracking/host-state.js'
import { planParking, type Parked } from '../octoprint/parking.js'
import type { Connection, ConnectionListener } from './connection-client.js'
import { NEW_G_CODE_STATE } from './g-code-state.js'
import { coolDownCommands, parkCommands, unparkCommands } from './parking.js'
import { openPolling, type Polling } from './polling.js'
import { Questions } from './questions.js'
import { mergeReadings, type FirmwareLine } from './reports.js'
import { NEW_SERIAL_VIEW, snapshotOf, temperaturesOf, type SerialView } from './translate.js'
import { NEW_WATCHED, stepWatched, type Watched, type WatchInput } from './watching.js'

const TELL_MS = 1_000
/** A list of files that waits behind a heat-up would come too late for whoever asks. */
const LIST_MS = 10_000
const QUERIES = [
  { query: 'M27', capability: 'AUTOREPORT_SD_STATUS' },
  { query: 'M114', capability: 'AUTOREPORT_POS' },
]

/** Watches a printer that prints from its own card, whoever starts it, and can pause, resume and cancel it. */
export class WatchingHost implements PrinterHost, ConnectionListener {
  private readonly connection: Connection
  private readonly polling: Polling
  private watched: Watched = NEW_WATCHED
  private view: SerialView = NEW_SERIAL_VIEW
  private parked: Parked | undefined
  private readonly questions: Questions
  /** What M20 has listed so far, while it is asked. */
  private listed: PrinterFile[] | undefined
  private listing: Promise<PrinterFile[]> | undefined
  private knowsCancel = true
  private toldMs = 0
  private isClosed = false
  private readonly stopTelling: () => void

  constructor(
    private readonly deps: HostDeps,
    connect: (listener: ConnectionListener) => Connection,
  ) {
    this.connection = connect(this)
    this.questions = new Questions(deps, () => this.connection, randomUUID)
    this.polling = openPolling(this.connection, deps.clock, QUERIES)
    this.stopTelling = deps.clock.every(TELL_MS, () => this.passTime())
  }

  async pause(args: PauseArgs): Promise<void> {
    this.requireReady()
    const { phase } = this.watched
    if (phase === 'paused' || phase === 'pausing') return
    if (phase !== 'printing') throw new HostError('not_printing', `cannot pause: the printer is ${phase}`)
    this.step({ type: 'command', command: 'pause' })
    this.inBackground('not paused', () => this.park(args))
  }

  async resume(): Promise<void> {
    this.requireReady()
    if (this.watched.phase !== 'paused') throw new HostError('not_printing', 'the print is not paused')
    this.step({ type: 'command', command: 'resume' })
    const heat = this.parked ? unparkCommands(this.parked, { ...NEW_G_CODE_STATE, modeLines: [] }) : []
    this.parked = undefined
    // A pause of the firmware's own waits for M108; to others it says nothing.
    this.breakWait()
    this.inBackground('not resumed', async () => {
      await this.connection.send([...heat, 'M24'])
      this.step({ type: 'answered' })
      await this.connection.send(['M27'])
    })
  }

  async cancel(): Promise<void> {
    this.requireReady()
    if (this.isCancelling()) return
    if (!isActive(this.watched.phase)) throw new HostError('not_printing', 'nothing is printed')
    this.parked = undefined
    this.step({ type: 'command', command: 'cancel' })
    this.connection.dropQueue()
    // Commands stand behind a wait for temperature, which may take minutes.
    this.breakWait()
    this.inBackground('not cancelled', () => this.giveUp())
  }

  /**
   * Stops between two lines of the file. A firmware that is built to park its head does so by itself at M25, and goes back at M24.
   * Where it is not, nobody here knows how the file's moves are meant, absolutely or not: so only heaters are touched.
   */
  private async park({ tools_off = false, bed_off = false }: PauseArgs): Promise<void> {
    // Nothing is turned off before the moves are done that the printer has read already.
    await this.connection.send(['M25', 'M400'])
    this.step({ type: 'answered' })
    // Twice the state: the print has stopped when its position no longer moves.
    await this.connection.send(['M27', 'M27', 'M105'])
    const parked = planParking({ tools_off, bed_off }, temperaturesOf(this.view.temperatures), NEW_G_CODE_STATE)
    const { phase } = this.watched
    if (!parked || (phase !== 'pausing' && phase !== 'paused')) return
    this.parked = parked
    await this.connection.send([...parkCommands(parked), 'M105'])
  }

  private async giveUp(): Promise<void> {
    await this.connection.send(['M524'])
    // Firmwares without M524 can be told to read on from the beginning, and not to.
    if (!this.knowsCancel) await this.connection.send(['M25', 'M26 S0'])
    await this.connection.send([...coolDownCommands(Object.keys(this.view.temperatures)), 'M105', 'M27'])
    if (this.isCancelling()) this.step({ type: 'line', line: { type: 'sd_idle' } })
  }

  /** Ends a wait of the firmware, for heat or for somebody. */
  private breakWait(): void {
    if (this.connection.has('EMERGENCY_PARSER')) this.connection.sendPastQueue('M108')
  }

  /** What fails because the connection was lost is told by `onDown`. */
  private inBackground(what: string, work: () => Promise<void>): void {
    work().catch((err: unknown) => this.deps.log.debug({ err }, what))
  }

  async print(): Promise<string> {
    throw new HostError('rejected', 'this printer prints from its own card: set "prints_from: agent" to send it files')
  }

  async emergencyStop(): Promise<void> {
    this.requireReady()
    this.connection.sendPastQueue('M112')
    this.fail('stopped by emergency stop')
    this.connection.drop('stopped by emergency stop; it must be reset')
  }

  /** Boards that were stopped, or that have hung themselves up, come back by a reset. */
  async connectPrinter(): Promise<void> {
    if (!this.connection.isReady) await this.connection.reset()
  }

  async answerPrompt(promptId: string, choice: number): Promise<void> {
    this.requireReady()
    this.questions.answer(promptId, choice)
    this.tell()
  }

  async listFiles(): Promise<PrinterFile[]> {
    this.requireReady()
    this.listing ??= this.askForFiles().finally(() => {
      this.listing = undefined
    })
    return this.unlessBusy(this.listing)
  }

  private async askForFiles(): Promise<PrinterFile[]> {
    this.listed = []
    try {
      await this.connection.send(['M20'])
      return this.listed
    } finally {
      this.listed = undefined
    }
  }

  private async unlessBusy<T>(work: Promise<T>): Promise<T> {
    let cancel: () => void = () => undefined
    const patience = new Promise<never>((_resolve, reject) => {
      cancel = this.deps.clock.after(LIST_MS, () => reject(new HostError('rejected', 'the printer is busy')))
    })
    try {
      return await Promise.race([work, patience])
    } finally {
      cancel()
    }
  }

  async printOwn(path: string): Promise<void> {
    this.requireReady()
    if (isActive(this.watched.phase)) throw new HostError('rejected', 'the printer is busy')
    if (!/^[\x21-\x7e]+$/.test(path)) throw new HostError('rejected', 'this is no name of a file on a card')
    // The state that follows tells of the start, as when somebody starts it at the printer.
    await this.connection.send([`M23 ${path}`, 'M24'])
    // The file heats up first, and its commands stand before this one: the answer may take minutes.
    this.inBackground('not asked how far the print is', () => this.connection.send(['M27']))
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.stopTelling()
    this.polling.close()
    await this.connection.close()
  }

  onReady(): void {
    this.polling.begin()
  }

  onReset(): void {
    this.questions.forget()
    this.step({ type: 'line', line: { type: 'start' } })
  }

  onDown(error: HostError, retryInMs: number): void {
    if (this.isClosed) return
    this.questions.forget()
    this.step({ type: 'disconnected' })
    this.view = { ...this.view, temperatures: {} }
    this.deps.report({ type: 'unreachable', error, retryInMs })
  }

  nextLine(): undefined {
    return undefined
  }

  onLine(line: FirmwareLine): void {
    if (line.type === 'unknown_command' && /^M524\b/.test(line.command)) this.knowsCancel = false
    if ((line.type === 'ok' || line.type === 'temperatures') && line.temperatures) {
      this.view = { ...this.view, temperatures: mergeReadings(this.view.temperatures, line.temperatures) }
      this.polling.sawTemperatures()
    }
    if (line.type === 'position' || (line.type === 'ok' && line.position)) {
      this.view = { ...this.view, gCode: { ...this.view.gCode, z: line.position?.z } }
    }
    if (line.type === 'sd_entry') this.listed?.push({ path: line.name, origin: 'sdcard', size: line.size, date: null })
    if (line.type === 'action' && this.questions.take(line.action, line.text)) this.tell()
    if (line.type === 'error' && line.fatal) {
      this.fail(line.text)
      return this.connection.drop(line.text)
    }
    // The reset itself is told by `onReset`.
    if (line.type !== 'start') this.step({ type: 'line', line })
  }

  private fail(text: string): void {
    this.deps.log.error({ text }, 'the printer has stopped by itself')
    this.step({ type: 'line', line: { type: 'error', text, fatal: true } })
    this.view = { ...this.view, phase: 'offline', error: text }
    this.deps.report({ type: 'snapshot', snapshot: snapshotOf(this.view) })
  }

  private step(input: WatchInput): void {
    const before = this.watched
    const { watched, events } = stepWatched(before, input)
    this.watched = watched
    if (events.includes('started')) {
      this.view = { ...this.view, printedMs: 0 }
      this.connection.send(['M27 C']).catch(() => undefined)
    }
    // A start is told with the state that it leads to.
    const isNews = before.phase !== watched.phase || before.known !== watched.known
    if (events.includes('started')) this.tell()
    for (const event of events) this.deps.report({ type: 'print', event })
    if (isNews) this.tell()
  }

  private passTime(): void {
    const nowMs = this.deps.clock.monotonicMs()
    const { printedMs } = this.view
    if (this.watched.phase === 'printing' && printedMs !== null) {
      this.view = { ...this.view, printedMs: printedMs + nowMs - this.toldMs }
    }
    this.toldMs = nowMs
    this.tell()
  }

  private tell(): void {
    const { phase, outcome, error, known, fileName, byte, size } = this.watched
    // Before the printer has said whether it prints there is nothing true to tell.
    if (this.isClosed || !known || !this.connection.isReady) return
    const job =
      fileName !== null || isActive(phase) ? { name: fileName ?? 'SD card', size, origin: 'sdcard' as const } : null
    const { transmitted, resends } = this.connection.lines
    const { told: prompt } = this.questions
    this.view = { ...this.view, phase, outcome, error, byte, job, prompt, lines: { transmitted, resends } }
    this.deps.report({ type: 'snapshot', snapshot: snapshotOf(this.view) })
  }

  private isCancelling(): boolean {
    return this.watched.phase === 'cancelling'
  }

  private requireReady(): void {
    if (!this.connection.isReady || !this.watched.known) {
      throw new HostError('unreachable', 'the printer does not answer')
    }
  }
}
