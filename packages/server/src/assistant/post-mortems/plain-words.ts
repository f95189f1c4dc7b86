// Texts from files and printers as a moment may hold them, and durations in words. Pure.

/** Control characters, and those that turn or hide what stands around them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu
const BLANKS = /\s+/g

/** On one line, without what cannot be seen, and no longer than `most` characters. */
export function onOneLine(text: string, most: number): string {
  const plain = Array.from(text.replace(UNSEEN, ' ').replace(BLANKS, ' ').trim())
  return plain.length <= most ? plain.join('') : `${plain.slice(0, most - 1).join('')}…`
}

/** On its lines, without what else cannot be seen. */
export function onItsLines(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.replace(UNSEEN, ' '))
    .join('\n')
}

/** As `45 s`, `12 min` or `3 h 20 min`. */
export function durationWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  const rest = minutes % 60
  return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`
}
