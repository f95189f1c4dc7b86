import type { Log } from './log.js'

/** One line of the log. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly fields: object
  readonly text: string
}

/** A log that keeps its lines for the test. */
export interface FakeLog extends Log {
  readonly lines: LogLine[]
  /** The texts of one level. */
  texts(level: LogLine['level']): string[]
}

export function fakeLog(): FakeLog {
  const lines: LogLine[] = []
  const log: FakeLog = {
    lines,
    debug: (fields, text) => lines.push({ level: 'debug', fields, text }),
    info: (fields, text) => lines.push({ level: 'info', fields, text }),
    warn: (fields, text) => lines.push({ level: 'warn', fields, text }),
    error: (fields, text) => lines.push({ level: 'error', fields, text }),
    child: () => log,
    texts: (level) => lines.filter((line) => line.level === level).map(({ text }) => text),
  }
  return log
}
