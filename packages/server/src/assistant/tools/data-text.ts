// What tools tell a model holds texts of strangers: names of files, comments of slicers, messages of printers. Each is made plain and short,
// and written so that it can neither leave the JSON text it stands in nor look like a mark of a conversation.

/** Longer than any honest name. */
const MAX_TEXT = 160
const MAX_NAME = 40
const MAX_DEPTH = 6

/** As much of one answer is told, in characters. */
export const MAX_RESULT_LENGTH = 12_000

/** How long texts and lists may be: what is too much with the first is told with the next, so that nobody hides the rest behind a long name. */
const SIZES = [
  { text: MAX_TEXT, items: 60 },
  { text: 60, items: 20 },
  { text: 30, items: 10 },
] as const

type Size = (typeof SIZES)[number]

/** Control characters, those that are not seen (which can carry a text of their own) or turn the order of writing around, and halves of others. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu

/** A stranger's text on one line, without what is not seen, and cut where it is long. */
export function plainText(text: string, most: number = MAX_TEXT): string {
  // Cut first: what is longer than this is not worth reading through.
  const line = text
    .slice(0, most * 4)
    .replaceAll(UNSEEN, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return line.length > most ? `${line.slice(0, most - 1).replace(HALF_AT_END, '')}…` : line
}

const HALF_AT_END = /[\uD800-\uDBFF]$/

/** Marks by which models tell turns of a conversation apart are made of these: `<|im_start|>`, `[INST]`, `</tool_response>`, ```` ``` ````. */
const MARK = /[<>[\]{}|`]/
/** What matters on the way through JSON: where a text in it begins and ends, and the marks. */
const SIGNS = /\\.|["<>[\]{}|`]/g

/** Data as the JSON text that a model is told. Undefined when it is too much even in short. */
export function dataText(data: unknown): string | undefined {
  for (const size of SIZES) {
    const told = withoutMarks(JSON.stringify(plain(data, size, 0)))
    if (told.length <= MAX_RESULT_LENGTH) return told
  }
  return undefined
}

/** JSON that reads as the same, in whose texts none of the signs stands that models' own marks are made of. */
export function withoutMarks(json: string): string {
  let isInText = false
  return json.replaceAll(SIGNS, (sign) => {
    if (sign === '"') isInText = !isInText
    return isInText && MARK.test(sign) ? escaped(sign) : sign
  })
}

const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

function plain(value: unknown, size: Size, depth: number): unknown {
  if (typeof value === 'string') return plainText(value, size.text)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return null
  if (Array.isArray(value)) return value.slice(0, size.items).map((item) => plain(item, size, depth + 1))
  const entries = Object.entries(value).slice(0, SIZES[0].items)
  return Object.fromEntries(entries.map(([name, item]) => [plainText(name, MAX_NAME), plain(item, size, depth + 1)]))
}
