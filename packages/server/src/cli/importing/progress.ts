import { progressLine } from './progress-line.js'

const TERMINAL_EVERY_MS = 100
const PLAIN_EVERY_MS = 15_000
const ERASE = '\r\u001B[K'

/** Shows how far a long command is: one line that moves on a terminal, now and then a line elsewhere. */
export interface ProgressShow {
  start(title: string, total: number | undefined): void
  step(count?: number): void
  bytes(count: number): void
  /** Ends the step's line. */
  end(): void
}

/** Some terminals do not know how wide they are, and say 0. */
const widthOf = ({ columns }: NodeJS.WriteStream): number => (columns > 0 ? columns : 120)

export function showProgress(stream: NodeJS.WriteStream): ProgressShow {
  let [title, done, bytes, startedAt, shownAt] = ['', 0, 0, 0, 0]
  let total: number | undefined

  function line(): string {
    return progressLine({ title, done, total, bytes, elapsedMs: Date.now() - startedAt }, widthOf(stream))
  }

  function show(isLast: boolean): void {
    const now = Date.now()
    if (!isLast && now - shownAt < (stream.isTTY ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS)) return
    shownAt = now
    stream.write(stream.isTTY ? `${ERASE}${line()}${isLast ? '\n' : ''}` : `${line()}\n`)
  }

  return {
    start(newTitle, newTotal) {
      title = newTitle
      total = newTotal
      done = 0
      bytes = 0
      startedAt = Date.now()
      shownAt = stream.isTTY ? 0 : startedAt
      show(false)
    },
    step(count = 1) {
      done += count
      show(false)
    },
    bytes(count) {
      bytes += count
      show(false)
    },
    end: () => show(true),
  }
}
