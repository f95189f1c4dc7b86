import {
  AnswerPromptArgs,
  ExcludeObjectArgs,
  PauseArgs,
  PrintArgs,
  PrintFileArgs,
  StartWatchingArgs,
  StopWatchingArgs,
  type AgentCommand,
  type CommandAck,
} from '@printwarden/protocol'
import { CameraError } from '../camera.js'
import type { Clock } from '../time/clock.js'
import { doneAck, failedAck, finishCommand, NEW_INBOX, receiveCommand, type CommandInbox } from './command-inbox.js'
import { DownloadError, downloadGCode } from './g-code-download.js'
import { isPlainPath, newestFiles } from './printer-files.js'
import { HostError, type PictureWatch, type PrinterHost } from '../host.js'
import type { Log } from '../log/log.js'

const STOPPED = 'an emergency stop came before it'

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

/**
 * Carries out commands one after the other, each id once, and answers each of them. An emergency stop waits for none: it goes ahead, and
 * what came before it is not begun any more.
 */
export class CommandFlow {
  private inbox: CommandInbox = NEW_INBOX
  private queue: Promise<void> = Promise.resolve()
  private readonly closing = new AbortController()
  /** Aborted by the next emergency stop. */
  private stopping = new AbortController()

  constructor(private readonly deps: CommandDeps) {}

  /** A command has arrived; its time has run for `lateMs`. */
  receive(command: AgentCommand, lateMs = 0): void {
    const receipt = receiveCommand(this.inbox, command.id)
    if (receipt.type === 'wait') return
    if (receipt.type === 'answer') return this.deps.answer(receipt.ack)
    this.inbox = receipt.inbox
    const nowMs = this.deps.clock.monotonicMs()
    const expiresMs = nowMs + command.expires_in_ms - lateMs
    if (command.cmd === 'emergency_stop') {
      if (nowMs < expiresMs && this.deps.host.emergencyStop) this.stopOthers()
      void this.run(command, expiresMs, this.stopping.signal)
      return
    }
    const { signal } = this.stopping
    this.queue = this.queue.then(() => this.run(command, expiresMs, signal))
  }

  close(): void {
    this.closing.abort()
  }

  private stopOthers(): void {
    this.stopping.abort()
    this.stopping = new AbortController()
  }

  private async run(command: AgentCommand, expiresMs: number, stopped: AbortSignal): Promise<void> {
    const { clock, log, answer } = this.deps
    const fields = { cmd: command.cmd, command_id: command.id, initiator: command.initiator }
    let ack: CommandAck
    if (clock.monotonicMs() >= expiresMs) {
      ack = failedAck(command.id, 'expired', 'the command came too late to be carried out')
      log.warn(fields, 'a command has expired')
    } else {
      try {
        stopped.throwIfAborted()
        ack = doneAck(command.id, await this.carryOut(command, stopped))
        log.info(fields, 'a command was carried out')
      } catch (err) {
        ack = stopped.aborted ? failedAck(command.id, 'stopped', STOPPED) : failureAck(command.id, err)
        log.warn({ ...fields, err }, 'a command was not carried out')
      }
    }
    this.inbox = finishCommand(this.inbox, ack)
    answer(ack)
  }

  /** Answers what the command asked for, if it asked for something. */
  private async carryOut(command: AgentCommand, stopped: AbortSignal): Promise<unknown> {
    if (command.cmd !== 'list_files') return this.act(command, stopped)
    const { host } = this.deps
    return newestFiles(await able(host, 'listFiles', 'tells nothing of files').listFiles())
  }

  private async act({ cmd, args }: AgentCommand, stopped: AbortSignal): Promise<void> {
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
        return this.print(parseArgs(PrintArgs.safeParse(args)), stopped)
      case 'connect':
        if (!host.connectPrinter) throw new HostError('rejected', 'the host connects to its printer by itself')
        return host.connectPrinter()
      case 'start_watching':
        return watchOf(host).start(parseArgs(StartWatchingArgs.safeParse(args)).name)
      case 'stop_watching':
        return watchOf(host).stop(parseArgs(StopWatchingArgs.safeParse(args)).outcome)
      case 'emergency_stop':
        return able(host, 'emergencyStop', 'has no emergency stop').emergencyStop()
      case 'restart_firmware':
        return able(host, 'restartFirmware', 'cannot restart its firmware').restartFirmware()
      case 'exclude_object':
        return able(host, 'excludeObject', 'cannot leave objects out').excludeObject(
          parseArgs(ExcludeObjectArgs.safeParse(args)).name,
        )
      case 'answer_prompt': {
        const { prompt_id, choice } = parseArgs(AnswerPromptArgs.safeParse(args))
        return able(host, 'answerPrompt', 'takes no answers').answerPrompt(prompt_id, choice)
      }
      case 'print_file':
        return this.printOwn(parseArgs(PrintFileArgs.safeParse(args)))
      case 'list_files':
        return
    }
  }

  private async printOwn({ path, origin }: PrintFileArgs): Promise<void> {
    const { host, isIdle } = this.deps
    const printing = able(host, 'printOwn', 'prints no files of its own')
    if (!isPlainPath(path)) throw new HostError('rejected', 'this is no path of a file')
    if (!isIdle()) throw new HostError('rejected', 'the printer is not ready for another print')
    await printing.printOwn(path, origin)
  }

  private async print(args: PrintArgs, stopped: AbortSignal): Promise<void> {
    const { host, isIdle, onDownload, isGivenUp, downloadFolder: folder, clock, random, log } = this.deps
    const sinceMs = clock.monotonicMs()
    if (!isIdle()) throw new HostError('rejected', 'the printer is not ready for another print')
    onDownload(true)
    try {
      const signal = AbortSignal.any([this.closing.signal, stopped])
      const download = await downloadGCode(args, { folder, signal, clock, random, log })
      try {
        stopped.throwIfAborted()
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

type Able<Name extends keyof PrinterHost> = PrinterHost & Required<Pick<PrinterHost, Name>>

const isAble = <Name extends keyof PrinterHost>(host: PrinterHost, name: Name): host is Able<Name> =>
  host[name] !== undefined

/** The host, as one that can do this; others refuse. */
function able<Name extends keyof PrinterHost>(host: PrinterHost, name: Name, why: string): Able<Name> {
  if (isAble(host, name)) return host
  throw new HostError('unsupported', `this printer ${why}`)
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
