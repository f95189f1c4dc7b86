import type { HostError } from '../../host.js'

/** A command on its way to the printer. */
export interface Command {
  readonly text: string
  /** Set on the last of several: what to do when it was answered, or cannot be any more. */
  readonly settle?: (error?: HostError) => void
}

/** Our own commands: those that wait for their turn, and those that are out under a line number. */
export class Commands {
  private waiting: Command[] = []
  private readonly sent = new Map<number, Command>()

  add(commands: readonly Command[]): void {
    this.waiting.push(...commands)
  }

  /** Adds commands, and resolves when the last one was answered. Rejects with what {@link forget} is given. */
  ask(texts: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const last = texts.length - 1
      const settle = (error?: HostError) => (error ? reject(error) : resolve())
      this.add(texts.map((text, index) => (index === last ? { text, settle } : { text })))
    })
  }

  /** The next one, which goes out as line `number`. */
  take(number: number): string | undefined {
    const command = this.waiting.shift()
    if (command) this.sent.set(number, command)
    return command?.text
  }

  /** Line `number` was answered. Being told again changes nothing. */
  answered(number: number): void {
    const command = this.sent.get(number)
    this.sent.delete(number)
    command?.settle?.()
  }

  /** Those that have not gone out yet never will. */
  drop(error: HostError): void {
    const { waiting } = this
    this.waiting = []
    for (const { settle } of waiting) settle?.(error)
  }

  /** Nothing that was asked for will be answered any more. */
  forget(error: HostError): void {
    const out = [...this.sent.values()]
    this.sent.clear()
    for (const { settle } of out) settle?.(error)
    this.drop(error)
  }
}
