import type { CaseInfo } from './case.js'
import type { Report } from './report.js'
import type { CaseResult } from './run.js'

/** Where progress is shown. */
export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Tells people how the run goes. */
export interface Progress {
  started(one: CaseInfo): void
  ended(result: CaseResult): void
  /** Something to do or to know, between cases. */
  say(text: string): void
  finished(report: Report): void
}

/**
 * On a terminal: one line that moves, and each failure where it happened. Elsewhere one line for each case, so that a log tells
 * which one it was in when it broke off.
 */
export function openProgress(output: Output, total: number): Progress {
  const moves = output.isTTY === true
  let done = 0
  let failed = 0
  const clear = (): void => void (moves && output.write('\r\x1b[K'))
  const line = (text: string): void => {
    clear()
    output.write(`${text}\n`)
  }
  return {
    started({ id }) {
      if (!moves) return
      clear()
      const counts = `[${done}/${total}]${failed > 0 ? ` ${failed} failed` : ''}`
      output.write(`${counts} ${id}`.slice(0, (output.columns ?? 80) - 1))
    },
    ended(result) {
      done += 1
      if (result.error !== undefined) failed += 1
      if (!moves || result.error !== undefined) line(lineOf(result))
    },
    say: line,
    finished({ groups, passed, failed: failures, duration_ms }) {
      for (const [name, counts] of Object.entries(groups)) {
        line(`${name}: ${counts.passed} passed, ${counts.failed} failed`)
      }
      line(`${passed} passed, ${failures} failed${moves ? ` in ${(duration_ms / 1000).toFixed(1)} s` : ''}`)
    },
  }
}

/** One line for people; the reason of a failure stands below it. */
export function lineOf({ case: { id, section, title }, durationMs, error }: CaseResult): string {
  const line = `${error === undefined ? '✓' : '✗'} ${id} (${section}): ${title} [${Math.round(durationMs)} ms]`
  return error === undefined ? line : `${line}\n${error.message.replaceAll(/^/gm, '    ')}`
}
