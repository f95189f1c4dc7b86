/** A longer line is noise: what a firmware says fits many times. */
export const MAX_LINE_CHARS = 1024

/** Firmwares cut what is longer than 96 characters with number and checksum, and then ask for the line again for ever. */
const MAX_MESSAGE_CHARS = 60

/** What is left of the bytes that have come: the line that has not ended yet, and whether it is given up as too long. */
export interface Unfinished {
  readonly text: string
  readonly tooLong: boolean
}

export const NOTHING_UNFINISHED: Unfinished = { text: '', tooLong: false }

/** Cuts what came into lines. `chunk` holds one character for each byte. */
export function splitLines(before: Unfinished, chunk: string): { lines: string[]; rest: Unfinished } {
  const parts = (before.text + chunk).split(/\r\n|\n|\r/)
  const last = parts.pop() ?? ''
  const finished = before.tooLong ? parts.slice(1) : parts
  const lines = finished.filter((line) => line !== '' && line.length <= MAX_LINE_CHARS)
  const stillTooLong = before.tooLong && parts.length === 0
  if (stillTooLong || last.length > MAX_LINE_CHARS) return { lines, rest: { text: '', tooLong: true } }
  return { lines, rest: { text: last, tooLong: false } }
}

/** The checksum of the protocol: all bytes of the line, exclusive-or. */
export function checksumOf(line: string): number {
  let sum = 0
  for (let index = 0; index < line.length; index += 1) sum ^= line.charCodeAt(index) & 0xff
  return sum
}

/** The line as it goes out: with its number and checksum. */
export function numberedLine(number: number, command: string): string {
  const line = `N${number} ${command}`
  return `${line}*${checksumOf(line)}\n`
}

/** The command of a line of G-code: no comment, no number or checksum of its own, no characters that upset a firmware. */
export function commandOf(line: string): string {
  const comment = line.indexOf(';')
  const code = (comment < 0 ? line : line.slice(0, comment)).trim()
  if (code === '') return ''
  // oxlint-disable-next-line no-control-regex
  const plain = code.replace(/[\x00-\x1f\x7f]/g, '').replace(/^N\d+\s*/i, '')
  if (/^M11[78]\b/i.test(plain)) return plain.replaceAll('*', ' ').slice(0, MAX_MESSAGE_CHARS)
  return plain.replace(/\s*\*.*$/, '')
}
