import { type ChildProcess, spawn } from 'node:child_process'
import type { Watch } from './watch.js'

const KEPT_CHARACTERS = 4000

/** The agent as a program that the kit starts, and starts again when it has ended. */
export class AgentProgram {
  /** What the last run ended with; undefined while it runs, and before the first. */
  exitCode: number | null | undefined
  #child: ChildProcess | undefined
  #output = ''

  constructor(
    private readonly command: string,
    private readonly env: Readonly<Record<string, string>>,
    private readonly watch: Watch,
  ) {}

  get isRunning(): boolean {
    return this.#child !== undefined && this.exitCode === undefined
  }

  /** The end of what it printed. */
  get output(): string {
    return this.#output.slice(-KEPT_CHARACTERS)
  }

  start(): void {
    this.exitCode = undefined
    this.#output = ''
    // A group of its own, so that stopping reaches what the shell has started.
    const child = spawn(this.command, {
      shell: true,
      detached: process.platform !== 'win32',
      env: { ...process.env, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString()).slice(-2 * KEPT_CHARACTERS)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    const ended = (code: number | null): void => {
      if (this.#child !== child) return
      this.exitCode = code
      this.watch.changed()
    }
    child.on('error', () => ended(null))
    child.on('exit', (code) => ended(code))
  }

  stop(): void {
    const pid = this.#child?.pid
    if (pid === undefined || !this.isRunning) return
    try {
      if (process.platform === 'win32') this.#child?.kill()
      else process.kill(-pid, 'SIGTERM')
    } catch {
      // It has ended in this very moment.
    }
  }
}
