import { randomUUID } from 'node:crypto'
import type { PauseArgs, PrinterFile } from '@printwarden/protocol'
import { z } from 'zod'
import { HostError, type GCodeFile, type HostDeps, type HostPhase, type PrinterHost } from '../../host.js'
import { isActive } from '../../tracking/host-state.js'
import type { MoonrakerConfig } from '../../hosts.js'
import { openAsking, type Asking } from './asking.js'
import { safeFileName } from './file-name.js'
import { openMoonrakerHttp, type MoonrakerHttp } from './http-client.js'
import type { KlippyDown } from './klippy.js'
import { ANSWER_TIMEOUT_MS, openKlippyClient, POLL_MS, type KlippyClient } from './klippy-client.js'
import { openLookups, type Lookups } from './lookups.js'
import { readFiles } from './messages.js'
import { excludeScript, printObjectsOf, printStatsOf, type Objects } from './objects.js'
import { noticeOfDown, noticesOf, questionNotice } from './notices.js'
import { openParkingLot, type ParkingLot } from './parking-lot.js'
import { Parked } from './parking.js'
import { isPrinting, printEvents } from './print-events.js'
import { afterResponse, choicesOf, promptOf } from './prompt.js'
import { applyObjects, canResume, NEW_VIEW, phaseOf, snapshotOf, type EndedJob, type View } from './translate.js'

/** Klipper tells changes four times a second; only what matters is passed on at once. */
const TELL_MS = 1_000
/** A firmware that is told to restart goes down within a moment. */
const DOWN_TIMEOUT_MS = 5_000

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
  private readonly klippy: KlippyClient
  private readonly parking: ParkingLot
  private readonly asking: Asking
  private readonly lookups: Lookups
  private memory: Memory
  private view: View = NEW_VIEW
  private told: { phase: HostPhase; atMs: number } | undefined
  private isClosed = false
  private hasGoneDown: () => void = () => undefined
  private cancelTell: () => void = () => undefined

  constructor(
    private readonly config: MoonrakerConfig,
    private readonly deps: HostDeps,
  ) {
    const { clock, log } = deps
    this.memory = Memory.safeParse(deps.memory.load()).data ?? {}
    this.http = openMoonrakerHttp(config.url, config.api_key, clock)
    this.parking = openParkingLot({
      runScript: (script) => this.klippy.call('printer.gcode.script', { script }),
      query: (objects) => this.klippy.call('printer.objects.query', { objects }, ANSWER_TIMEOUT_MS),
      initial: this.memory.parked,
      keep: (parked) => this.keep({ parked }),
      clock,
      log,
    })
    this.asking = openAsking({
      asked: () => this.view.asked,
      show: (asked) => {
        this.view = { ...this.view, asked }
        if (this.klippy.isFollowing) this.tell(true)
      },
      isPrinting: () => isPrinting(printStatsOf(this.view.objects)),
      clock,
      log,
    })
    this.lookups = openLookups({
      call: (...request) => this.klippy.call(...request),
      facts: () => this.view.facts,
      show: (facts, isAnswer) => {
        this.view = { ...this.view, facts }
        if (isAnswer) this.tell(true)
      },
      isClosed: () => this.isClosed,
      report: deps.report,
      log,
    })
    this.klippy = openKlippyClient({
      config,
      http: this.http,
      clock,
      listener: {
        onReady: (objects, lastJob) => this.welcome(objects, lastJob),
        onChange: (objects) => this.follow(objects),
        onResponse: (line) => this.hear(line),
        onDown: (down, isKnown) => this.goDown(down, isKnown),
        onLost: (error, retryInMs) => this.goBlind(error, retryInMs),
      },
    })
  }

  async pause(args: PauseArgs): Promise<void> {
    const phase = this.requirePrint()
    if (phase === 'paused' || phase === 'pausing') return
    // Behind the cancel, PAUSE would pause a printer that prints nothing, and the next print could not be paused.
    if (phase === 'cancelling') throw new HostError('not_printing', 'the print is being cancelled')
    // To Klipper it is paused still: another PAUSE would only run the user's macro a second time.
    if (phase === 'resuming' && this.parking.isLeaving) return this.asking.giveUp('resume')
    this.parking.book(args)
    await this.asking.ask('pause', () => this.klippy.call('printer.print.pause'))
  }

  async resume(): Promise<void> {
    if (this.requirePrint() !== 'paused') throw new HostError('not_printing', 'the print is not paused')
    await this.asking.ask('resume', async () => {
      await this.parking.leave()
      // A print that was paused without PAUSE, by M25, is unknown to RESUME.
      await (canResume(this.view)
        ? this.klippy.call('printer.print.resume')
        : this.klippy.call('printer.gcode.script', { script: 'M24' }))
    })
  }

  async cancel(): Promise<void> {
    if (this.requirePrint() === 'cancelling') return
    await this.asking.ask('cancel', () => this.klippy.call('printer.print.cancel'))
  }

  async print(file: GCodeFile): Promise<string> {
    this.requireKlippy()
    if (phaseOf(this.view) !== 'idle') throw new HostError('rejected', 'the printer is busy')
    let quarters = 0
    const filename = await this.http.upload({ ...file, name: safeFileName(file.name) }, (part) => {
      if (Math.floor(part * 4) === quarters) return
      quarters = Math.floor(part * 4)
      this.deps.log.info({ file: file.name, percent: quarters * 25 }, 'the file is handed to Moonraker')
    })
    await this.asking.accept(this.klippy.call('printer.print.start', { filename }), 'the print was not started')
    return filename
  }

  /** Klipper stays down after a fault until its firmware is restarted. */
  async connectPrinter(): Promise<void> {
    const { down } = this.view
    if (this.klippy.isFollowing || !down) return
    if (down.klippy !== 'shutdown' && down.klippy !== 'error') throw this.downError(down.reason)
    await this.asking.accept(this.klippy.call('printer.firmware_restart'), 'the firmware was not restarted')
  }

  async emergencyStop(): Promise<void> {
    this.requireKlippy()
    await this.klippy.call('printer.emergency_stop', undefined, ANSWER_TIMEOUT_MS)
  }

  async restartFirmware(): Promise<void> {
    if (!this.klippy.isFollowing) return this.connectPrinter()
    if (phaseOf(this.view) !== 'idle') throw new HostError('rejected', 'the printer is busy')
    // Until it is down the state is that of before.
    const down = new Promise<void>((resolve) => {
      this.hasGoneDown = resolve
      this.deps.clock.after(DOWN_TIMEOUT_MS, resolve)
    })
    await this.asking.accept(this.klippy.call('printer.firmware_restart'), 'the firmware was not restarted')
    await down
  }

  async excludeObject(name: string): Promise<void> {
    this.requirePrint()
    const object = printObjectsOf(this.view.objects)?.find((one) => one.name === name)
    const script = excludeScript(name)
    if (!object || script === undefined) throw new HostError('rejected', `the print has no object ${name}`)
    if (object.excluded) return
    await this.runScript(script, 'the object was not left out')
  }

  async answerPrompt(promptId: string, choice: number): Promise<void> {
    this.requireKlippy()
    const { dialog } = this.view
    const button = dialog?.isShown && dialog.id === promptId ? choicesOf(dialog)[choice] : undefined
    if (!button) throw new HostError('rejected', 'this is not asked any more')
    await this.runScript(button.gCode, 'the answer was not carried out')
  }

  async listFiles(): Promise<PrinterFile[]> {
    return readFiles(await this.klippy.call('server.files.list', { root: 'gcodes' }, ANSWER_TIMEOUT_MS))
  }

  async printOwn(filename: string): Promise<void> {
    this.requireKlippy()
    await this.asking.accept(this.klippy.call('printer.print.start', { filename }), 'the print was not started')
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.cancelTell()
    this.klippy.close()
  }

  private runScript(script: string, failed: string): Promise<void> {
    return this.asking.accept(this.klippy.call('printer.gcode.script', { script }), failed)
  }

  /** What the printer does; a command without a print is refused. */
  private requirePrint(): HostPhase {
    this.requireKlippy()
    const phase = phaseOf(this.view)
    if (!isActive(phase)) throw new HostError('not_printing', 'nothing is printed')
    return phase
  }

  private requireKlippy(): void {
    if (!this.klippy.isFollowing) throw this.downError(this.view.down?.reason ?? 'not connected')
  }

  /** A connection stands, and Klippy is ready. What was missed meanwhile shows in the state alone. */
  private welcome(objects: Objects, lastJob: EndedJob | undefined): void {
    this.view = applyObjects({ ...NEW_VIEW, displayed: this.memory.displayed, lastJob }, objects)
    this.tell(true)
    this.view = { ...this.view, lastJob: undefined }
    this.lookups.facts(printStatsOf(objects).filename, false)
    this.lookups.presets()
  }

  private follow(objects: Objects): void {
    const notices = noticesOf(this.view.objects, objects)
    const before = printStatsOf(this.view.objects)
    this.view = applyObjects(this.view, objects)
    const after = printStatsOf(objects)
    const events = printEvents(before, after)
    if (!isPrinting(after)) this.asking.noteEnd()
    if (events.includes('paused')) this.keep({ displayed: this.view.displayed })
    else if (events.includes('started') && this.memory.displayed) this.keep({ displayed: undefined })
    // A start is told with the state that it leads to.
    if (events.includes('started')) this.tell(true)
    for (const event of events) this.deps.report({ type: 'print', event })
    for (const notice of notices) this.deps.report({ type: 'notice', notice })
    this.tell(events.length > 0)
    this.lookups.facts(after.filename, events.includes('started'))
  }

  private hear(line: string): void {
    const dialog = afterResponse(this.view.dialog, line, randomUUID())
    if (dialog === this.view.dialog) return
    const isNew = dialog?.isShown === true && !this.view.dialog?.isShown
    this.view = { ...this.view, dialog }
    const prompt = promptOf(dialog)
    if (isNew && prompt) this.deps.report({ type: 'notice', notice: questionNotice(prompt) })
    this.tell(true)
  }

  /** A print that ran is lost: Klipper cannot go on with it. */
  private goDown(down: KlippyDown, isKnown: boolean): void {
    const { report, log } = this.deps
    const wasUp = this.view.down === null
    const wasPrinting = wasUp && isPrinting(printStatsOf(this.view.objects))
    if (this.view.down?.reason !== down.reason) log.info({ ...down }, 'Klipper is not ready')
    this.view = { ...NEW_VIEW, down }
    if (wasPrinting) report({ type: 'print', event: 'failed' })
    const notice = wasUp ? noticeOfDown(down) : undefined
    if (notice) report({ type: 'notice', notice })
    this.parking.follow(this.view)
    this.hasGoneDown()
    if (isKnown) this.tell(true)
    else report({ type: 'unreachable', error: this.downError(down.reason), retryInMs: POLL_MS })
  }

  /** The print may well go on, unseen. */
  private goBlind(error: HostError, retryInMs: number): void {
    this.view = NEW_VIEW
    this.told = undefined
    this.cancelTell()
    this.parking.follow(this.view)
    this.deps.report({ type: 'unreachable', error, retryInMs })
  }

  /** Reports the state: at once when it `mustTell` or does something else, otherwise at most once a second. */
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

  private keep(change: Partial<Memory>): void {
    this.memory = { ...this.memory, ...change }
    this.deps.memory.save(this.memory)
  }

  private downError(reason: string): HostError {
    return new HostError('unreachable', `Klipper behind ${this.config.url} (${reason})`)
  }
}
