import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { pino, type DestinationStream } from 'pino'
import type { Log } from './log.js'
import { makeRedact } from './redact.js'

export interface LogOptions {
  readonly level: string
  /** The folder of the log file; without one there is only the standard output. */
  readonly folder: string | undefined
  readonly secrets: readonly string[]
}

/** Two files of this size are kept. */
const MAX_FILE_BYTES = 5 * 1024 * 1024

/** Opens the log: JSON lines on the standard output, or text for people when that is a terminal, and a file. */
export async function openLog({ level, folder, secrets }: LogOptions): Promise<Log> {
  const outputs = [await openStandardOutput(), ...(folder === undefined ? [] : openFile(folder))]
  const redact = makeRedact(secrets)
  const stream: DestinationStream = {
    write: (line) => {
      const clean = redact(line)
      for (const output of outputs) output.write(clean)
    },
  }
  const log: Log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
    },
    stream,
  )
  return log
}

async function openStandardOutput(): Promise<DestinationStream> {
  const stdout = pino.destination({ dest: 1, sync: true })
  if (!process.stdout.isTTY) return stdout
  const { default: pretty } = await import('pino-pretty')
  return pretty({ destination: stdout, sync: true, translateTime: 'SYS:HH:MM:ss', singleLine: true })
}

function openFile(folder: string): DestinationStream[] {
  const path = join(folder, 'printwarden-agent.log')
  try {
    return [new LogFile(path)]
  } catch (error) {
    // The standard output is still there; the agent runs without the file.
    console.error(`printwarden-agent: cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`)
    return []
  }
}

/** A file that is set aside as `.1` when it is full. */
class LogFile implements DestinationStream {
  private file: number
  private size: number

  constructor(private readonly path: string) {
    this.file = openSync(path, 'a')
    this.size = fstatSync(this.file).size
  }

  write(line: string): void {
    try {
      if (this.size > MAX_FILE_BYTES) this.rotate()
      this.size += writeSync(this.file, line)
    } catch {
      // A full disk must not stop the agent; the standard output has the line.
    }
  }

  private rotate(): void {
    closeSync(this.file)
    renameSync(this.path, `${this.path}.1`)
    this.file = openSync(this.path, 'a')
    this.size = 0
  }
}

/**
 * An error as a field of the log. Only what is named here: some libraries hang the whole request onto their errors, headers
 * and all. Expected errors, which have a class and a message of their own, need no stack.
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  const isExpected = ['HostError', 'CameraError', 'DownloadError', 'ConfigError', 'ZodError'].includes(error.name)
  const cause = error.cause instanceof Error ? { cause: error.cause.message } : {}
  return { type: error.name, ...code, message: error.message, ...cause, ...(isExpected ? {} : { stack: error.stack }) }
}
