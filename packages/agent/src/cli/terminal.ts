import { setMaxListeners } from 'node:events'
import { createInterface, type Interface } from 'node:readline/promises'
import { wantsColours } from './config.js'
import { makeStyle, type Style } from './style.js'

/** Where a command talks with the person who called it. */
export interface Terminal {
  /** Whether there is somebody to ask. */
  readonly isInteractive: boolean
  /** Aborted by Ctrl-C, and by SIGTERM. */
  readonly signal: AbortSignal
  readonly style: Style
  say(text?: string): void
  /** A line that the next one replaces; only where lines can be replaced. */
  status(text: string): void
  /** What was typed; the fallback for an empty line and where nobody can be asked. */
  ask(question: string, fallback?: string): Promise<string>
  confirm(question: string, fallback: boolean): Promise<boolean>
  /** The number of the chosen one, counted from 0. */
  choose(question: string, options: readonly string[]): Promise<number>
  close(): void
}

/** Ctrl-C while something was asked or waited for. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** `assumeYes`: nobody is asked, every question gets its fallback, and `confirm` a yes. */
export function openTerminal({ assumeYes }: { assumeYes: boolean }): Terminal {
  const { stdin, stdout } = process
  const isInteractive = !assumeYes && stdin.isTTY && stdout.isTTY
  const style = makeStyle(wantsColours(stdout))
  const aborter = new AbortController()
  // Every request that is under way listens, and a search has many at once.
  setMaxListeners(200, aborter.signal)
  const abort = (): void => aborter.abort()
  process.on('SIGINT', abort)
  process.on('SIGTERM', abort)
  let lines: Interface | undefined
  let hasStatus = false

  function clearStatus(): void {
    if (hasStatus) stdout.write('\r\u001b[K')
    hasStatus = false
  }

  async function ask(question: string, fallback = ''): Promise<string> {
    if (!isInteractive) return fallback
    clearStatus()
    // Opened only now: an open reader keeps the terminal from telling Ctrl-C to the program.
    lines = createInterface({ input: stdin, output: stdout })
    lines.on('SIGINT', abort)
    const hint = fallback === '' ? '' : style.dim(` [${fallback}]`)
    try {
      const typed = await lines.question(`${question}${hint} `, { signal: aborter.signal })
      return typed.trim() === '' ? fallback : typed.trim()
    } catch (error) {
      if (aborter.signal.aborted) throw new Interrupted('stopped', { cause: error })
      throw error
    } finally {
      lines.close()
    }
  }

  return {
    isInteractive,
    signal: aborter.signal,
    style,
    say: (text = '') => {
      clearStatus()
      stdout.write(`${text}\n`)
    },
    status: (text) => {
      if (!stdout.isTTY) return
      stdout.write(`\r\u001b[K${text}`)
      hasStatus = true
    },
    ask,
    confirm: async (question, fallback) => {
      if (assumeYes) return true
      const answer = await ask(`${question} (${fallback ? 'Y/n' : 'y/N'})`, '')
      return answer === '' ? fallback : /^y(es)?$/i.test(answer)
    },
    choose: async (question, options) => {
      for (const [index, option] of options.entries()) stdout.write(`  ${style.bold(String(index + 1))}  ${option}\n`)
      for (;;) {
        const number = Number(await ask(question, '1'))
        if (Number.isInteger(number) && number >= 1 && number <= options.length) return number - 1
        stdout.write(`  a number from 1 to ${options.length}\n`)
      }
    },
    close: () => {
      clearStatus()
      lines?.close()
      process.off('SIGINT', abort)
      process.off('SIGTERM', abort)
    },
  }
}
