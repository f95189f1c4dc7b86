import {
  PauseArgs,
  PrintArgs,
  StartWatchingArgs,
  StopWatchingArgs,
  type AgentCommand,
  type CommandAck,
} from '@printwarden/protocol'
import { CameraError } from './camera.js'
import type { Clock } from './clock.js'
import { doneAck, failedAck, finishCommand, NEW_INBOX, receiveCommand, type CommandInbox } from './command-inbox.js'
import { DownloadError, downloadGCode } from './g-code-download.js'
import { HostError, type PictureWatch, type PrinterHost } from './host.js'
import type { Log } from './log.js'

/** What carries out the commands of one printer. */
export interface CommandDeps {
  readonly host: PrinterHost
  /** Takes a picture with every camera. */
  readonly takePictures: () => Promise<void>
  /** Told while a file is fetched, and which one is then printed. */
  readonly onDownload: (isRunning: boolean, file?: { id: number; path: string }) => void
  /** Whether a print can be started now. */
  readonly isIdle: () => boolean
  readonly answer: (ack: CommandAck) => void
  /**
   * Whether the server may have given up waiting for a command that came at this time (monotonic milliseconds): it was out of reach
   * for so long meanwhile.
   */
  readonly isGivenUp: (sinceMs: number) => boolean
  /** Where files are kept on their way to the host. */
  readonly downloadFolder: string
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}

/** Carries out commands one after the other, each id once, and answers each of them. */
export class CommandFlow {
  private inbox: CommandInbox = NEW_INBOX
  private queue: Promise<void> = Promise.resolve()
  private readonly closing = new AbortController()

  constructor(private readonly deps: CommandDeps) {}

  /** A command has arrived; its time has run for `lateMs`. */
  receive(command: AgentCommand, lateMs = 0): void {
    const receipt = receiveCommand(this.inbox, command.id)
    if (receipt.type === 'wait') return
    if (receipt.type === 'answer') return this.deps.answer(receipt.ack)
    this.inbox = receipt.inbox
    const expiresMs = this.deps.clock.monotonicMs() + command.expires_in_ms - lateMs
    this.queue = this.queue.then(() => this.run(command, expiresMs))
  }

  close(): void {
    this.closing.abort()
  }

  private async run(command: AgentCommand, expiresMs: number): Promise<void> {
    const { clock, log, answer } = this.deps
    const fields = { cmd: command.cmd, command_id: command.id, initiator: command.initiator }
    let ack: CommandAck
    if (clock.monotonicMs() >= expiresMs) {
      ack = failedAck(command.id, 'expired', 'the command came too late to be carried out')
      log.warn(fields, 'a command has expired')
    } else {
      try {
        await this.carryOut(command)
        ack = doneAck(command.id)
        log.info(fields, 'a command was carried out')
      } catch (err) {
        ack = failureAck(command.id, err)
        log.warn({ ...fields, err }, 'a command was not carried out')
      }
    }
    this.inbox = finishCommand(this.inbox, ack)
    answer(ack)
  }

  private async carryOut({ cmd, args }: AgentCommand): Promise<void> {
    const { host, takePictures } = this.deps
    switch (cmd) {
      case 'pause':
        return host.pause(parseArgs(PauseArgs.safeParse(args)))
      case 'resume':
        return host.resume()
      case 'cancel':
        return host.cancel()
      case 'snapshot':
        return takePictures()
      case 'print':
        return this.print(parseArgs(PrintArgs.safeParse(args)))
      case 'connect':
        if (!host.connectPrinter) throw new HostError('rejected', 'the host connects to its printer by itself')
        return host.connectPrinter()
      case 'start_watching':
        return watchOf(host).start(parseArgs(StartWatchingArgs.safeParse(args)).name)
      case 'stop_watching':
        return watchOf(host).stop(parseArgs(StopWatchingArgs.safeParse(args)).outcome)
    }
  }

  private async print(args: PrintArgs): Promise<void> {
    const { host, isIdle, onDownload, isGivenUp, downloadFolder: folder, clock, random, log } = this.deps
    const sinceMs = clock.monotonicMs()
    if (!isIdle()) throw new HostError('rejected', 'the printer is not ready for another print')
    onDownload(true)
    try {
      const download = await downloadGCode(args, { folder, signal: this.closing.signal, clock, random, log })
      try {
        // Nobody waits for this print any more: the person may have gone home, or printed something else.
        if (isGivenUp(sinceMs)) throw new DownloadError('the server was out of reach for too long to print it now')
        if (!isIdle()) throw new HostError('rejected', 'the printer is not ready for another print any more')
        // Known before the print starts, so that its first message already names the stored file.
        onDownload(true, { id: args.g_code_file_id, path: args.filename })
        const path = await host.print({ path: download.path, name: args.filename })
        onDownload(true, { id: args.g_code_file_id, path })
      } finally {
        await download.remove()
      }
    } finally {
      onDownload(false)
    }
  }
}

function watchOf({ watch }: PrinterHost): PictureWatch {
  if (watch) return watch
  throw new HostError('rejected', 'this printer says itself when it prints')
}

function parseArgs<T>(result: { success: true; data: T } | { success: false; error: Error }): T {
  if (result.success) return result.data
  throw new HostError('rejected', `the arguments are not valid: ${result.error.message}`)
}

function failureAck(id: string, error: unknown): CommandAck {
  if (error instanceof HostError) return failedAck(id, error.code, error.message)
  if (error instanceof CameraError) return failedAck(id, 'no_picture', error.message)
  if (error instanceof DownloadError) return failedAck(id, 'download_failed', error.message)
  return failedAck(id, 'internal', 'the agent failed; its log says more')
}
