import { randomUUID } from 'node:crypto'
import type { PauseArgs } from '@printwarden/protocol'
import {
  HostError,
  type GCodeFile,
  type HostDeps,
  type HostPhase,
  type PrinterHost,
  type PrintOutcome,
} from '../../host.js'
import { isActive } from '../../tracking/host-state.js'
import type { Connection, ConnectionListener } from './connection-client.js'
import { openLineFile } from './file-client.js'
import { newFilePrint, type FilePrint } from './file-print.js'
import { requestOf } from './firmware-request.js'
import { coolDownCommands } from './parking.js'
import { openPolling, type Polling } from './polling.js'
import { PrintPause, READ_TEMPERATURES } from './print-pause.js'
import { Questions } from './questions.js'
import type { FirmwareLine } from './reports.js'
import { jobOf, Telling } from './telling.js'

const TELL_MS = 1_000

/** Prints files over the serial line: the printer does what this process sends, and nothing else. */
export class PrintingHost implements PrinterHost, ConnectionListener {
  private readonly connection: Connection
  private readonly polling: Polling
  private readonly telling: Telling
  private current: FilePrint | undefined
  private readonly pausing: PrintPause
  private readonly questions: Questions
  /** Rises with each print and each end, so that what was begun for one print does nothing to the next. */
  private run = 0
  private needsCooling: boolean
  private isClosed = false
  private readonly stopTelling: () => void

  constructor(
    private readonly deps: HostDeps,
    connect: (listener: ConnectionListener) => Connection,
  ) {
    // What an agent was streaming when it ended cannot go on; the printer stands there, hot.
    this.needsCooling = deps.memory.load() !== null
    this.telling = new Telling(deps, { lines: () => this.connection.lines, print: () => this.current })
    this.connection = connect(this)
    this.questions = new Questions(deps, () => this.connection, randomUUID)
    this.pausing = new PrintPause({
      connection: this.connection,
      telling: this.telling,
      report: deps.report,
      print: () => this.current,
      mark: (phase) => this.mark(phase),
      inBackground: (what, work) => this.inBackground(what, work),
    })
    this.polling = openPolling(this.connection, deps.clock)
    this.stopTelling = deps.clock.every(TELL_MS, () => this.passTime())
  }

  async pause(args: PauseArgs): Promise<void> {
    this.requireReady()
    const { phase } = this.telling.view
    if (phase === 'paused' || phase === 'pausing') return
    if (phase !== 'printing') throw new HostError('not_printing', `cannot pause: the printer is ${phase}`)
    this.pausing.begin(args)
  }

  async resume(): Promise<void> {
    this.requireReady()
    if (this.telling.view.phase !== 'paused') throw new HostError('not_printing', 'the print is not paused')
    this.pausing.end(this.questions.open)
  }

  async cancel(): Promise<void> {
    this.requireReady()
    const { phase } = this.telling.view
    if (phase === 'cancelling') return
    if (!isActive(phase)) throw new HostError('not_printing', 'nothing is printed')
    this.giveUp('cancelled')
  }

  async print(file: GCodeFile): Promise<string> {
    this.requireReady()
    this.requireIdle()
    const lines = await openLineFile(file.path, () => this.connection.pump())
    if (!this.connection.isReady || this.telling.view.phase !== 'idle') {
      await lines.close()
      this.requireReady()
      this.requireIdle()
    }
    this.run += 1
    this.current = newFilePrint(file.name, lines)
    this.pausing.forget()
    this.telling.set({ outcome: null, error: null, printedMs: 0, job: jobOf(this.current) })
    this.deps.memory.save({ printing: file.name })
    // A start is told with the state that it leads to.
    this.telling.enter('printing')
    this.deps.report({ type: 'print', event: 'started' })
    this.connection.setJob('running')
    return file.name
  }

  async emergencyStop(): Promise<void> {
    this.requireReady()
    this.connection.sendPastQueue('M112')
    this.break('stopped by emergency stop')
    this.connection.drop('stopped by emergency stop; it must be reset')
  }

  /** Boards that were stopped, or that have hung themselves up, come back by a reset. */
  async connectPrinter(): Promise<void> {
    if (!this.connection.isReady) await this.connection.reset()
  }

  async answerPrompt(promptId: string, choice: number): Promise<void> {
    this.requireReady()
    this.questions.answer(promptId, choice)
    this.tellQuestion()
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.telling.close()
    this.stopTelling()
    this.polling.close()
    this.current?.close()
    await this.connection.close()
  }

  onReady(): void {
    this.telling.set({ error: null })
    this.polling.begin()
    if (this.needsCooling) {
      this.needsCooling = false
      this.deps.memory.save(null)
      this.deps.log.warn({}, 'a print was broken off: its heaters are turned off')
      this.inBackground('the heaters could not be turned off', () => this.coolDown())
    }
    this.telling.enter('idle')
  }

  onReset(): void {
    this.break('the printer was reset')
    // It has not been unreachable, but whatever it was told before is forgotten.
    if (this.telling.view.phase !== 'offline') this.telling.enter('offline')
  }

  onDown(error: HostError, retryInMs: number): void {
    if (this.isClosed) return
    this.break(error.message)
    this.telling.set({ phase: 'offline', temperatures: {} })
    this.deps.report({ type: 'unreachable', error, retryInMs })
  }

  onLine(line: FirmwareLine): void {
    switch (line.type) {
      case 'ok':
      case 'temperatures':
        if (!line.temperatures) return
        this.telling.heat(line.temperatures)
        return this.polling.sawTemperatures()
      case 'position':
        // While it prints, the file knows better and sooner.
        if (this.telling.view.phase === 'idle')
          this.telling.set({ gCode: { ...this.telling.view.gCode, z: line.position.z } })
        return
      case 'busy':
        if (line.forUser) this.pausing.takePause()
        return
      case 'action':
        return this.takeAction(line.action, line.text)
      case 'error':
        return this.takeError(line.text, line.fatal)
      case 'capability':
      case 'firmware':
      case 'other':
      case 'resend':
      case 'sd_done':
      case 'sd_entry':
      case 'sd_file':
      case 'sd_idle':
      case 'sd_progress':
      case 'start':
      case 'unknown_command':
      case 'wait':
        return
    }
  }

  nextLine(): string | undefined {
    const print = this.current
    const command = print?.next()
    if (command !== undefined) return command
    // Not here: the caller is in the middle of sending.
    if (print?.end) queueMicrotask(() => this.endFile(print))
    return undefined
  }

  private endFile(print: FilePrint): void {
    if (this.current !== print || this.telling.view.phase !== 'printing') return
    if (print.end === 'broken') {
      this.deps.log.error({ file: print.name }, 'the file cannot be read any further: the print has failed')
      return this.giveUp('failed')
    }
    this.telling.enter('finishing')
    this.connection.setJob('none')
    this.inBackground('the end of the print was not seen', async () => {
      const isStillFinishing = this.mark('finishing')
      await this.connection.send(['M400'])
      if (isStillFinishing()) this.end('done')
    })
  }

  private takeAction(action: string, text: string): void {
    const { deps } = this
    if (this.questions.take(action, text)) this.tellQuestion()
    deps.log.debug({ action, text }, 'the printer asks')
    if (action === 'notification') deps.log.info({ text }, 'the printer says')
    const carryOut = (work: () => Promise<void>) => this.inBackground(`the printer asked for ${action}, in vain`, work)
    switch (requestOf(action, this.telling.view.phase, this.pausing.isByFirmware)) {
      case 'pause':
        return carryOut(() => this.pause({}))
      case 'resume':
        return carryOut(() => this.resume())
      case 'cancel':
        return carryOut(() => this.cancel())
      case 'paused':
        return this.pausing.takePause()
      case 'resumed':
        return this.pausing.takeResume()
      case 'disconnect':
        return this.connection.drop('it asked to be left alone')
      case undefined:
        return
    }
  }

  private tellQuestion(): void {
    this.telling.set({ prompt: this.questions.told })
    this.telling.tell()
  }

  private takeError(text: string, fatal: boolean): void {
    if (!fatal) return this.deps.log.debug({ text }, 'the printer reports an error')
    this.deps.log.error({ text }, 'the printer has stopped by itself')
    this.break(text)
    this.connection.drop(text)
  }

  /** Ends the print while the printer still listens. */
  private giveUp(outcome: 'cancelled' | 'failed'): void {
    const isBlocked = this.connection.isBlocked
    this.run += 1
    this.current?.close()
    this.telling.enter('cancelling')
    this.connection.setJob('none')
    this.connection.dropQueue()
    if (isBlocked && (this.pausing.isByFirmware || this.connection.has('EMERGENCY_PARSER'))) {
      this.connection.sendPastQueue('M108')
    }
    this.inBackground('the print could not be ended', async () => {
      const isStillCancelling = this.mark('cancelling')
      await this.coolDown()
      if (isStillCancelling()) this.end(outcome)
    })
  }

  private coolDown(): Promise<void> {
    return this.connection.send([...coolDownCommands(Object.keys(this.telling.view.temperatures)), READ_TEMPERATURES])
  }

  private end(outcome: PrintOutcome): void {
    this.run += 1
    this.telling.see()
    this.current?.close()
    this.current = undefined
    this.deps.memory.save(null)
    this.deps.report({ type: 'print', event: outcome })
    this.telling.set({ outcome })
    this.telling.enter('idle')
  }

  /** The printer is gone or has stopped by itself: its print has failed. */
  private break(error: string): void {
    const wasActive = isActive(this.telling.view.phase)
    this.run += 1
    this.telling.see()
    this.current?.close()
    this.current = undefined
    this.questions.forget()
    this.telling.set({ prompt: undefined })
    if (!wasActive) return
    this.needsCooling = true
    if (this.connection.isReady) this.connection.setJob('none')
    this.deps.report({ type: 'print', event: 'failed' })
    this.telling.set({ outcome: 'failed', error })
    this.telling.enter('offline')
  }

  private passTime(): void {
    this.telling.count()
    if (this.connection.isReady) this.telling.tell()
  }

  private mark(phase: HostPhase): () => boolean {
    const { run } = this
    return () => this.run === run && this.telling.view.phase === phase
  }

  private requireReady(): void {
    if (!this.connection.isReady) throw new HostError('unreachable', 'the printer does not answer')
  }

  private requireIdle(): void {
    const { phase } = this.telling.view
    if (phase !== 'idle') throw new HostError('rejected', `the printer is ${phase === 'offline' ? 'offline' : 'busy'}`)
  }

  /** What fails because the connection was lost is told by `onDown`. */
  private inBackground(what: string, work: () => Promise<void>): void {
    work().catch((err: unknown) => this.deps.log.debug({ err }, what))
  }
}
