import { execFile } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { CameraError } from '../camera.js'
import { MAX_PICTURE_BYTES } from './picture.js'

export interface ProgramRun {
  readonly program: string
  readonly args: readonly string[]
  /** What the program reads from its standard input. */
  readonly input: string
}

/** What became of a program that ran to its end. */
export interface ProgramResult {
  readonly output: Buffer
  readonly failed: boolean
  /** The last line it wrote to its standard error. */
  readonly complaint: string
}

/**
 * Runs a program that takes a picture, without a shell and behind everything else on this machine, and ends it when `signal` says so.
 *
 * @throws {CameraError} when it is not there, takes too long, or writes more than any picture
 */
export function runProgram({ program, args, input }: ProgramRun, signal: AbortSignal): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const options = { encoding: 'buffer', signal, killSignal: 'SIGKILL', maxBuffer: MAX_PICTURE_BYTES } as const
    const child = execFile(program, [...args], options, (error, stdout, stderr) => {
      const reason = error && reasonOf(program, error, signal)
      if (reason) return reject(new CameraError(reason))
      resolve({ output: stdout, failed: error !== null, complaint: lastLine(stderr) })
    })
    // A program that ends before it has read everything is no failure of its own.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
    if (child.pid !== undefined) giveWay(child.pid)
  })
}

/** Pictures can wait; what prints cannot. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already.
  }
}

/** Why the program gave nothing that could be looked at; undefined when it ran and only says that it failed. */
function reasonOf(program: string, error: Error & { code?: unknown }, signal: AbortSignal): string | undefined {
  if (signal.aborted) return 'the camera takes too long'
  if (error.code === 'ENOENT') return `${program} is not installed: apt install ${program}`
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'the picture is too large'
  return typeof error.code === 'number'
    ? undefined
    : `${program} does not run (${typeof error.code === 'string' ? error.code : error.message})`
}

/** Programs end their complaints with what matters. */
function lastLine(stderr: Buffer): string {
  const lines = stderr.toString('utf8').split('\n')
  return (lines.findLast((line) => line.trim() !== '') ?? '').trim().slice(0, 200)
}
