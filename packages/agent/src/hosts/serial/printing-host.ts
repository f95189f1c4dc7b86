import type { PauseArgs } from '@printwarden/protocol'
import {
  HostError,
  type GCodeFile,
  type HostDeps,
  type HostPhase,
  type PrinterHost,
  type PrintOutcome,
} from '../../host.js'
import { isActive } from '../../host-state.js'
import { planParking, type Parked } from '../octoprint/parking.js'
import { afterAction, choiceToGoOn, type Prompt } from './actions.js'
import type { Connection, ConnectionListener } from './connection-client.js'
import { openLineFile } from './file-client.js'
import { newFilePrint, type FilePrint } from './file-print.js'
import { coolDownCommands, parkCommands, unparkCommands } from './parking.js'
import { openPolling, type Polling } from './polling.js'
import { mergeReadings, type FirmwareLine } from './reports.js'
import { isUserWait } from './streamer.js'
import { NEW_SERIAL_VIEW, snapshotOf, temperaturesOf, type SerialView } from './translate.js'

const TELL_MS = 1_000
/** After heaters were set, so that what is told next is true. */
const READ_TEMPERATURES = 'M105'

/** Prints files over the serial line: the printer does what this process sends, and nothing else. */
export class PrintingHost implements PrinterHost, ConnectionListener {
  private readonly connection: Connection
  private readonly polling: Polling
  private view: SerialView = NEW_SERIAL_VIEW
  private current: FilePrint | undefined
  private parked: Parked | undefined
  /** The firmware itself has stopped the print, for somebody to change filament. */
  private isFirmwarePaused = false
  private prompt: Prompt | undefined
  /** Rises with each print and each end, so that what was begun for one print does nothing to the next. */
  private run = 0
  private needsCooling: boolean
  private countedMs = 0
  private isClosed = false
  private readonly stopTelling: () => void

  constructor(
    private readonly deps: HostDeps,
    connect: (listener: ConnectionListener) => Connection,
  ) {
    // What an agent was streaming when it ended cannot go on; the printer stands there, hot.
    this.needsCooling = deps.memory.load() !== null
    this.connection = connect(this)
    this.polling = openPolling(this.connection, deps.clock)
    this.stopTelling = deps.clock.every(TELL_MS, () => this.passTime())
  }

  async pause(args: PauseArgs): Promise<void> {
    this.requireReady()
    const { phase } = this.view
    if (phase === 'paused' || phase === 'pausing') return
    if (phase !== 'printing') throw new HostError('not_printing', `cannot pause: the printer is ${phase}`)
    this.enter('pausing')
    this.connection.setJob('paused')
    this.inBackground('the print could not be paused', () => this.park(args))
  }

  async resume(): Promise<void> {
    this.requireReady()
    if (this.view.phase !== 'paused') throw new HostError('not_printing', 'the print is not paused')
    this.enter('resuming')
    if (this.isFirmwarePaused && this.connection.waitsFor !== undefined) {
      if (this.prompt?.isShown) this.connection.sendPastQueue(`M876 S${choiceToGoOn(this.prompt)}`)
      this.connection.sendPastQueue('M108')
    }
    this.inBackground('the print could not be resumed', () => this.goOn())
  }

  async cancel(): Promise<void> {
    this.requireReady()
    const { phase } = this.view
    if (phase === 'cancelling') return
    if (!isActive(phase)) throw new HostError('not_printing', 'nothing is printed')
    this.giveUp('cancelled')
  }

  async print(file: GCodeFile): Promise<string> {
    this.requireReady()
    this.requireIdle()
    const lines = await openLineFile(file.path, () => this.connection.pump())
    if (!this.connection.isReady || this.view.phase !== 'idle') {
      await lines.close()
      this.requireReady()
      this.requireIdle()
    }
    this.run += 1
    this.current = newFilePrint(file.name, lines)
    this.parked = undefined
    this.isFirmwarePaused = false
    this.view = { ...this.view, outcome: null, error: null, printedMs: 0, job: jobOf(this.current) }
    this.deps.memory.save({ printing: file.name })
    // A start is told with the state that it leads to.
    this.enter('printing')
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

  async close(): Promise<void> {
    this.isClosed = true
    this.stopTelling()
    this.polling.close()
    this.current?.close()
    await this.connection.close()
  }

  onReady(): void {
    this.view = { ...this.view, error: null }
    this.polling.begin()
    if (this.needsCooling) {
      this.needsCooling = false
      this.deps.memory.save(null)
      this.deps.log.warn({}, 'a print was broken off: its heaters are turned off')
      this.inBackground('the heaters could not be turned off', () => this.coolDown())
    }
    this.enter('idle')
  }

  onReset(): void {
    this.break('the printer was reset')
    // It has not been unreachable, but whatever it was told before is forgotten.
    if (this.view.phase !== 'offline') this.enter('offline')
  }

  onDown(error: HostError, retryInMs: number): void {
    if (this.isClosed) return
    this.break(error.message)
    this.view = { ...this.view, phase: 'offline', temperatures: {} }
    this.deps.report({ type: 'unreachable', error, retryInMs })
  }

  onLine(line: FirmwareLine): void {
    switch (line.type) {
      case 'ok':
      case 'temperatures':
        if (line.temperatures) this.heat(line.temperatures)
        return
      case 'position':
        // While it prints, the file knows better and sooner.
        if (this.view.phase === 'idle') this.set({ gCode: { ...this.view.gCode, z: line.position.z } })
        return
      case 'busy':
        if (line.forUser) this.firmwarePaused()
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
    if (this.current !== print || this.view.phase !== 'printing') return
    if (print.end === 'broken') {
      this.deps.log.error({ file: print.name }, 'the file cannot be read any further: the print has failed')
      return this.giveUp('failed')
    }
    this.enter('finishing')
    this.connection.setJob('none')
    this.inBackground('the end of the print was not seen', async () => {
      const { run } = this
      await this.connection.send(['M400'])
      if (this.isStill(run, 'finishing')) this.end('done')
    })
  }

  /** Stops between two lines of the file, and parks once the moves are done. */
  private async park(args: PauseArgs): Promise<void> {
    const { run } = this
    await this.connection.send(['M400', READ_TEMPERATURES])
    if (!this.isStill(run, 'pausing') || !this.current) return
    const { axes, extruder } = this.current.gCode
    const parked = planParking(args, temperaturesOf(this.view.temperatures), { axes, extruder })
    if (parked) await this.connection.send([...parkCommands(parked), READ_TEMPERATURES])
    if (!this.isStill(run, 'pausing')) return
    this.parked = parked
    this.reportPaused()
  }

  private async goOn(): Promise<void> {
    const { run, current: print } = this
    if (!print) return
    // Where the firmware has paused, it also goes back by itself; the answer says that it is done.
    await this.connection.send(this.isFirmwarePaused ? ['M105'] : unparkCommands(this.parked, print.gCode))
    if (this.isStill(run, 'resuming')) this.reportResumed()
  }

  private reportPaused(): void {
    this.deps.report({ type: 'print', event: 'paused' })
    this.enter('paused')
  }

  private reportResumed(): void {
    this.isFirmwarePaused = false
    this.parked = undefined
    this.deps.report({ type: 'print', event: 'resumed' })
    this.enter('printing')
    this.connection.setJob('running')
  }

  private firmwarePaused(): void {
    const { phase } = this.view
    if (this.isFirmwarePaused || (phase !== 'printing' && phase !== 'pausing')) return
    this.isFirmwarePaused = true
    this.connection.setJob('paused')
    this.reportPaused()
    // A line of the file that waits for somebody: when it is answered, somebody was there.
    if (!isUserWait(this.connection.waitsFor)) return
    this.inBackground('the end of the wait was not seen', async () => {
      const { run } = this
      await this.connection.send(['M105'])
      if (this.isStill(run, 'paused')) this.reportResumed()
    })
  }

  private takeAction(action: string, text: string): void {
    const { phase } = this.view
    const carryOut = (work: () => Promise<void>) => this.inBackground(`the printer asked for ${action}, in vain`, work)
    this.prompt = afterAction(this.prompt, action, text)
    this.deps.log.debug({ action, text }, 'the printer asks')
    switch (action) {
      case 'prompt_show':
        return this.deps.log.warn({ ...this.prompt }, 'the printer asks somebody')
      case 'notification':
        return this.deps.log.info({ text }, 'the printer says')
      case 'pause':
      case 'out_of_filament':
        if (phase === 'printing') carryOut(() => this.pause({}))
        return
      case 'paused':
        return this.firmwarePaused()
      case 'resume':
        if (phase === 'paused') carryOut(() => this.resume())
        return
      case 'resumed':
        if (phase === 'paused' && this.isFirmwarePaused) this.reportResumed()
        return
      case 'cancel':
        if (isActive(phase)) carryOut(() => this.cancel())
        return
      case 'disconnect':
        return this.connection.drop('it asked to be left alone')
    }
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
    this.enter('cancelling')
    this.connection.setJob('none')
    this.connection.dropQueue()
    if (isBlocked && (this.isFirmwarePaused || this.connection.has('EMERGENCY_PARSER'))) {
      this.connection.sendPastQueue('M108')
    }
    this.inBackground('the print could not be ended', async () => {
      const { run } = this
      await this.coolDown()
      if (this.isStill(run, 'cancelling')) this.end(outcome)
    })
  }

  private coolDown(): Promise<void> {
    return this.connection.send([...coolDownCommands(Object.keys(this.view.temperatures)), READ_TEMPERATURES])
  }

  private end(outcome: PrintOutcome): void {
    this.run += 1
    this.see()
    this.current?.close()
    this.current = undefined
    this.deps.memory.save(null)
    this.deps.report({ type: 'print', event: outcome })
    this.view = { ...this.view, outcome }
    this.enter('idle')
  }

  /** The printer is gone or has stopped by itself: its print has failed. */
  private break(error: string): void {
    const wasActive = isActive(this.view.phase)
    this.run += 1
    this.see()
    this.current?.close()
    this.current = undefined
    this.prompt = undefined
    if (!wasActive) return
    this.needsCooling = true
    if (this.connection.isReady) this.connection.setJob('none')
    this.deps.report({ type: 'print', event: 'failed' })
    this.view = { ...this.view, outcome: 'failed', error }
    this.enter('offline')
  }

  private heat(temperatures: SerialView['temperatures']): void {
    this.set({ temperatures: mergeReadings(this.view.temperatures, temperatures) })
    this.polling.sawTemperatures()
  }

  private enter(phase: HostPhase): void {
    this.count()
    this.view = { ...this.view, phase }
    this.tell()
  }

  private set(change: Partial<SerialView>): void {
    this.view = { ...this.view, ...change }
  }

  /** Takes over how far the file is. */
  private see(): void {
    if (!this.current) return
    const { byte, gCode } = this.current
    this.view = { ...this.view, byte, gCode, job: jobOf(this.current) }
  }

  private passTime(): void {
    this.count()
    if (this.connection.isReady) this.tell()
  }

  /** Counts the time since the last time it was counted, if something was printed in it. */
  private count(): void {
    const nowMs = this.deps.clock.monotonicMs()
    const { phase, printedMs } = this.view
    if (phase === 'printing' || phase === 'finishing') {
      this.set({ printedMs: (printedMs ?? 0) + nowMs - this.countedMs })
    }
    this.countedMs = nowMs
  }

  private tell(): void {
    if (this.isClosed) return
    this.see()
    const { transmitted, resends } = this.connection.lines
    this.set({ lines: { transmitted, resends } })
    this.deps.report({ type: 'snapshot', snapshot: snapshotOf(this.view) })
  }

  private isStill(run: number, phase: HostPhase): boolean {
    return this.run === run && this.view.phase === phase
  }

  private requireReady(): void {
    if (!this.connection.isReady) throw new HostError('unreachable', 'the printer does not answer')
  }

  private requireIdle(): void {
    const { phase } = this.view
    if (phase !== 'idle') throw new HostError('rejected', `the printer is ${phase === 'offline' ? 'offline' : 'busy'}`)
  }

  /** What fails because the connection was lost is told by `onDown`. */
  private inBackground(what: string, work: () => Promise<void>): void {
    work().catch((err: unknown) => this.deps.log.debug({ err }, what))
  }
}

function jobOf({ name, size }: FilePrint): SerialView['job'] {
  return { name, size, origin: 'local' }
}
