import { bytesText, timeText } from './amounts.js'

/** How far one step of a long command is. */
export interface Progress {
  readonly title: string
  readonly done: number
  /** Undefined while nobody knows. */
  readonly total: number | undefined
  readonly bytes: number
  readonly elapsedMs: number
}

const BAR = 20

/** Before, nobody can say how long the rest will take. */
const GUESS_AFTER_MS = 5_000

/** One line, never wider than the terminal. */
export function progressLine({ title, done, total, bytes, elapsedMs }: Progress, width: number): string {
  const share = total === undefined || total === 0 ? undefined : Math.min(1, done / total)
  const filled = Math.round((share ?? 0) * BAR)
  const bar = share === undefined ? '' : `[${'#'.repeat(filled)}${'-'.repeat(BAR - filled)}] `
  const count = total === undefined ? String(done) : `${done}/${total}`
  const rate = elapsedMs > 1000 ? `  ${bytesText(Math.round((bytes / elapsedMs) * 1000))}/s` : ''
  const pace = elapsedMs > 1000 && done > 0 ? `  ${Math.round((done / elapsedMs) * 1000)}/s` : ''
  const amount = bytes === 0 ? pace : `  ${bytesText(bytes)}${rate}`
  const isGuessed = share !== undefined && share > 0 && share < 1 && elapsedMs >= GUESS_AFTER_MS
  const rest = isGuessed ? `  ${timeText((elapsedMs / share - elapsedMs) / 1000)} to go` : ''
  return `${title.padEnd(10)} ${bar}${count}${amount}${rest}`.slice(0, Math.max(20, width - 1))
}
