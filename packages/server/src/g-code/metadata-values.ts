// The values that slicers write into comments. All of it is user input: bounded, and read in linear time.

/** Longer values are cut before they are looked at. */
export const MAX_VALUE_LENGTH = 1024

const MAX_TEXT_LENGTH = 256
const MAX_EXTRUDERS = 64
/** Ten years, and as many kilometres as fit in it: larger numbers are mistakes. */
const MAX_NUMBER = 315_360_000

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i

/** One number that can be meant: finite, not negative, not absurd. */
export function numberOf(text: string | undefined): number | undefined {
  const trimmed = text?.trim().replace(/^"|"$/g, '') ?? ''
  if (!NUMBER.test(trimmed)) return undefined
  const value = Number(trimmed)
  return value >= 0 && value <= MAX_NUMBER ? rounded(value) : undefined
}

/** The numbers of a list, one an extruder: `1.2, 3.4`. Undefined where one cannot be read. */
export function numbersOf(text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined
  const numbers = text.split(/[,;]/, MAX_EXTRUDERS).map(numberOf)
  return numbers.every((value) => value !== undefined) ? numbers : undefined
}

/** The first number of a list: what the first extruder has. */
export const firstNumberOf = (text: string | undefined): number | undefined => numberOf(text?.split(/[,;]/, 1)[0])

export function sumOf(numbers: readonly number[] | undefined): number | undefined {
  if (numbers === undefined) return undefined
  return rounded(numbers.reduce((sum, value) => sum + value, 0))
}

const SECONDS_OF = new Map([
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
])

/** Seconds of `1d 2h 3m 4s`, or of a bare number of seconds. */
export function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const bare = numberOf(text)
  if (bare !== undefined) return bare
  const parts = text.trim().split(/\s+/, 8)
  let total = 0
  for (const part of parts) {
    const value = numberOf(part.slice(0, -1))
    const unit = SECONDS_OF.get(part.slice(-1).toLowerCase())
    if (value === undefined || unit === undefined) return undefined
    total += value * unit
  }
  return total <= MAX_NUMBER ? rounded(total) : undefined
}

const MILLIMETRES_OF = new Map([
  ['mm', 1],
  ['cm', 10],
  ['m', 1000],
])

/** Millimetres of `1.2m, 3.4m`, `12.3mm (0.1cm3)` or `12.3`. */
export function lengthOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const lengths = text.split(',', MAX_EXTRUDERS).map((part) => {
    const [, digits, unit = 'mm'] = /^\s*([\d.]+)\s*([a-z]\w*)?/i.exec(part) ?? []
    const value = numberOf(digits)
    const factor = MILLIMETRES_OF.get(unit.toLowerCase())
    return value === undefined || factor === undefined ? undefined : value * factor
  })
  return lengths.every((value) => value !== undefined) ? sumOf(lengths) : undefined
}

/** Millimetres of `0.2`, or of `75%` of `whole`. */
export function shareOf(text: string | undefined, whole: number | undefined): number | undefined {
  const first = text?.split(/[,;]/, 1)[0]?.trim()
  if (!first?.endsWith('%')) return numberOf(first)
  const percent = numberOf(first.slice(0, -1))
  return percent === undefined || whole === undefined ? undefined : rounded((whole * percent) / 100)
}

/** A text to show: valid, on one line, not endless. Bytes were read as Latin-1, so they are put together here. */
export function textOf(bytes: string | undefined): string | undefined {
  if (bytes === undefined) return undefined
  const text = Buffer.from(bytes, 'latin1')
    .toString('utf8')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
  if (text === '') return undefined
  // A pair cut in two is no character.
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()
}

/** A text of a list: bare, or in quotation marks with `\\"` for one within. */
const LISTED_TEXT = /"((?:[^"\\]|\\.)*)"|[^;"]+/g

/** The texts of a list, one an extruder, each once: `PLA;PLA;PETG` is `PLA;PETG`. */
export function textsOf(bytes: string | undefined): string | undefined {
  if (bytes === undefined) return undefined
  const parts = [...bytes.matchAll(LISTED_TEXT)]
    .slice(0, MAX_EXTRUDERS)
    .map(([bare, quoted]) => (quoted === undefined ? bare : quoted.replace(/\\(.)/g, '$1')).trim())
  return textOf([...new Set(parts)].filter((part) => part !== '').join(';'))
}

/** Sums of decimal fractions come out as they would on paper. */
function rounded(value: number): number {
  return Math.round(value * 1e5) / 1e5
}
