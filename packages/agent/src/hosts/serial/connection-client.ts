import { backoffMs, HOST_BACKOFF } from '../../time/backoff.js'
import type { Clock } from '../../time/clock.js'
import { HostError } from '../../host.js'
import type { Log } from '../../log/log.js'
import type { OpenSerialLink, SerialLink, SerialSettings } from './client.js'
import { Commands } from './commands.js'
import { NOTHING_UNFINISHED, splitLines } from './line-protocol.js'
import { openProblem } from './open-problem.js'
import { readFirmwareLine, type FirmwareLine } from './reports.js'
import { isLongCommand } from './command-kinds.js'
import { canTake, newStreamer, stepStreamer, type Streamer, type StreamerInput } from './streamer.js'

/** What the two kinds of serial host do with the printer on the line. */
export interface ConnectionListener {
  /** The printer has answered and told what it can do. */
  onReady(): void
  /** A line of the firmware. What it means for the line protocol has been done already. */
  onLine(line: FirmwareLine): void
  /** The next line of the file that is streamed; undefined when there is none now. */
  nextLine(): string | undefined
  /** The firmware has begun anew in the middle of everything. `onReady` follows. */
  onReset(): void
  onDown(error: HostError, retryInMs: number): void
}

export interface ConnectionDeps {
  readonly settings: SerialSettings
  readonly openLink: OpenSerialLink
  readonly listDevices: () => Promise<string[]>
  readonly listener: ConnectionListener
  readonly clock: Clock
  readonly log: Log
}

const TICK_MS = 250
/** A board that was reset by opening the port is deaf for a while. */
const GREETING_RETRY_MS = 3_000
const GREETING_TIMEOUT_MS = 30_000

/** Keeps a serial port open, speaks the line protocol on it, and comes back when it is lost. */
export class Connection {
  private link: SerialLink | undefined
  private streamer: Streamer
  private unfinished = NOTHING_UNFINISHED
  private readonly commands = new Commands()
  private found = new Set<string>()
  private ready = false
  private greetedSinceMs = 0
  private hasHeardLine = false
  private hasHeardNoise = false
  private attempt = 0
  private isClosed = false
  private opening: Promise<void> | undefined
  private cancelRetry: () => void = () => undefined
  private readonly stopTicks: () => void

  constructor(private readonly deps: ConnectionDeps) {
    this.streamer = newStreamer(deps.clock.monotonicMs())
    this.stopTicks = deps.clock.every(TICK_MS, () => this.tick())
    void this.open()
  }

  get isReady(): boolean {
    return this.ready
  }

  /** Names like `AUTOREPORT_TEMP`, as M115 tells them. */
  has(capability: string): boolean {
    return this.found.has(capability)
  }

  get lines(): { readonly transmitted: number; readonly resends: number } {
    return this.streamer
  }

  /** The line whose answer is waited for. */
  get waitsFor(): string | undefined {
    return this.streamer.unanswered[0]?.text
  }

  /** Whether a command is out that may take minutes. */
  get isBlocked(): boolean {
    return isLongCommand(this.waitsFor)
  }

  /**
   * Sends commands ahead of the file, and resolves when the last one was answered.
   *
   * @throws {HostError} `unreachable` when the connection is lost before
   */
  send(commands: readonly string[]): Promise<void> {
    if (commands.length === 0) return Promise.resolve()
    if (!this.ready) return Promise.reject(this.error('not connected'))
    const answered = this.commands.ask(commands)
    this.pump()
    return answered
  }

  /** For what the firmware's emergency parser heeds at once: M108, M112, M410, M876. */
  sendPastQueue(text: string): void {
    if (this.link) this.step({ type: 'past_the_queue', text })
  }

  /** Whether a file is streamed: its lines are asked for as long as it is `running`. */
  setJob(job: Streamer['job']): void {
    this.step({ type: 'job', job })
    this.pump()
  }

  /** Looks again for a line to send, after `nextLine` had none. */
  pump(): void {
    while (this.link && canTake(this.streamer)) {
      const command = this.commands.take(this.streamer.nextNumber)
      const text = command ?? (this.ready && this.streamer.job === 'running' ? this.nextLine() : undefined)
      if (text === undefined) return
      this.step({ type: 'give', text })
    }
  }

  /** Forgets the commands that have not gone out yet. */
  dropQueue(): void {
    this.commands.drop(new HostError('rejected', 'the print was ended'))
  }

  /** Resets the board, and asks anew who is there; opens the port first when it is not open. */
  async reset(): Promise<void> {
    if (!this.link) {
      this.cancelRetry()
      await this.open()
    }
    await this.link?.reset()
    if (this.link && !this.ready) this.greet()
  }

  /** Gives the connection up and makes it anew. */
  drop(why: string): void {
    void this.lose(this.error(why))
  }

  async close(): Promise<void> {
    this.isClosed = true
    this.ready = false
    this.stopTicks()
    this.cancelRetry()
    this.commands.forget(this.error('closed'))
    await this.link?.close()
    this.link = undefined
  }

  private nextLine(): string | undefined {
    return this.deps.listener.nextLine()
  }

  /** Once at a time: the port is for one alone. */
  private open(): Promise<void> {
    this.opening ??= this.openPort().finally(() => {
      this.opening = undefined
    })
    return this.opening
  }

  private async openPort(): Promise<void> {
    const { settings, openLink, listDevices } = this.deps
    this.hasHeardLine = false
    this.hasHeardNoise = false
    try {
      const link = await openLink(settings, {
        onData: (text) => this.read(text),
        onGone: () => void this.lose(this.error('unplugged or switched off')),
      })
      if (this.isClosed) return await link.close()
      this.link = link
      this.greetedSinceMs = this.deps.clock.monotonicMs()
      this.greet()
    } catch (error) {
      await this.lose(this.error(await openProblem(error, listDevices)))
    }
  }

  /** Sets the line number and asks who is there. The empty line ends what may have come before. */
  private greet(): void {
    this.commands.forget(this.error('the printer was reset'))
    this.ready = false
    this.streamer = newStreamer(this.deps.clock.monotonicMs())
    this.found = new Set()
    this.link?.write('\n')
    // The answer to M105 has temperatures in it, so that none of what was asked before is taken for a later one's.
    const settle = (error?: HostError) => (error ? undefined : this.welcome())
    this.commands.add([{ text: 'M110 N0' }, { text: 'M115' }, { text: 'M105', settle }])
    this.pump()
  }

  private welcome(): void {
    this.ready = true
    this.attempt = 0
    this.deps.listener.onReady()
  }

  private read(text: string): void {
    const { lines, rest } = splitLines(this.unfinished, text)
    this.unfinished = rest
    for (const raw of lines) {
      if (!this.link) return
      const line = readFirmwareLine(raw)
      if (line.type === 'other' && !isReadable(raw)) this.hasHeardNoise = true
      else this.hasHeardLine = true
      // It heats for a print from its card, and answers when that is done.
      if (line.type === 'busy') this.greetedSinceMs = this.deps.clock.monotonicMs()
      if (line.type === 'capability' && line.enabled) this.found.add(line.name)
      this.step({ type: 'firmware', line })
      // Before anything else is done with it: the printer waits.
      this.pump()
      this.deps.listener.onLine(line)
    }
  }

  private step(input: StreamerInput): void {
    const { streamer, effects } = stepStreamer(this.streamer, input, this.deps.clock.monotonicMs())
    this.streamer = streamer
    for (const effect of effects) {
      switch (effect.type) {
        case 'write':
          this.link?.write(effect.data)
          break
        case 'done':
          if (effect.line.number !== undefined) this.commands.answered(effect.line.number)
          break
        case 'reset':
          this.restart()
          break
        case 'lost':
          void this.lose(this.error(effect.why))
          break
      }
    }
  }

  private restart(): void {
    const wasReady = this.ready
    this.greetedSinceMs = this.deps.clock.monotonicMs()
    this.greet()
    if (!wasReady) return
    this.deps.log.warn({}, 'the printer was reset')
    this.deps.listener.onReset()
  }

  private tick(): void {
    if (!this.link) return
    if (this.ready) {
      this.step({ type: 'time' })
      return this.pump()
    }
    const nowMs = this.deps.clock.monotonicMs()
    if (nowMs - this.greetedSinceMs >= GREETING_TIMEOUT_MS) return void this.lose(this.error(this.silence()))
    const quietMs = nowMs - Math.max(this.streamer.heardMs, this.streamer.waitingSinceMs)
    if (quietMs >= GREETING_RETRY_MS) this.greet()
  }

  private silence(): string {
    const { baud } = this.deps.settings
    if (this.hasHeardLine) return 'talks, but does not answer M110 and M115'
    return this.hasHeardNoise ? `nothing readable at ${baud} baud: is baud right?` : `no answer at ${baud} baud`
  }

  private async lose(error: HostError): Promise<void> {
    if (this.isClosed) return
    const { clock, listener } = this.deps
    const { link } = this
    this.link = undefined
    this.ready = false
    this.unfinished = NOTHING_UNFINISHED
    this.commands.forget(error)
    this.attempt += 1
    const retryInMs = backoffMs(this.attempt, Math.random(), HOST_BACKOFF)
    this.cancelRetry()
    this.cancelRetry = clock.after(retryInMs, () => void this.open())
    listener.onDown(error, retryInMs)
    await link?.close()
  }

  private error(why: string): HostError {
    return new HostError('unreachable', `the printer at ${this.deps.settings.device} (${why})`)
  }
}

/** Whether it is text at all, or what a wrong speed makes of text. */
function isReadable(raw: string): boolean {
  const readable = raw.replace(/[^\x20-\x7e]/g, '')
  return readable.length >= raw.length * 0.8
}
