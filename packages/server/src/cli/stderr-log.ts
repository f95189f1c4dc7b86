import type { Log } from '../ports.js'

/** What an adapter has to say besides its errors, while a command uses it. */
export const stderrLog: Log = {
  error: (_, text) => void process.stderr.write(`${text}\n`),
  warn: (_, text) => void process.stderr.write(`${text}\n`),
  info() {},
  debug() {},
}
