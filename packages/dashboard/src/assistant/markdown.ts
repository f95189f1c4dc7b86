// What a model writes, as a tree of text. Nothing here becomes HTML: whatever is not one of these few forms stays the text that it is, and
// nothing is ever loaded from an address that a model wrote, since its address could carry away what the model has read.

/** A piece of a line. */
export type Inline =
  | { readonly type: 'text' | 'bold' | 'italic' | 'code'; readonly text: string }
  /** `url` is http or https, and is only followed by a click. */
  | { readonly type: 'link'; readonly text: string; readonly url: string; readonly host: string }

/** One line of a list, with how deep it lies (0–3). */
export interface ListItem {
  readonly depth: number
  readonly inlines: readonly Inline[]
}

/** A part of an answer. */
export type Block =
  | { readonly type: 'paragraph' | 'heading'; readonly lines: readonly (readonly Inline[])[] }
  | { readonly type: 'list'; readonly isOrdered: boolean; readonly start: number; readonly items: readonly ListItem[] }
  | { readonly type: 'code'; readonly text: string }

const FENCE = /^\s*(```|~~~)/
const HEADING = /^\s{0,3}#{1,6}\s+(\S.*)$/
const ITEM = /^(\s*)(?:[-*+•]|(\d{1,9})[.)])\s+(\S.*)$/
const MOST_DEPTH = 3

/** The parts of an answer: paragraphs, headings, lists and code. */
export function parseMarkdown(text: string): Block[] {
  const lines = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const fence = FENCE.exec(line)?.[1]
    const heading = HEADING.exec(line)?.[1]
    if (fence !== undefined) {
      const end = lines.findIndex((other, index) => index > at && other.trim() === fence)
      // A fence that is not closed yet, while the answer is coming, is code to the end.
      const until = end === -1 ? lines.length : end
      blocks.push({ type: 'code', text: lines.slice(at + 1, until).join('\n') })
      at = until + 1
    } else if (heading !== undefined) {
      blocks.push({ type: 'heading', lines: [parseInline(heading.replace(/(?<!#)#{1,9}$/, '').trimEnd())] })
      at += 1
    } else if (ITEM.test(line)) {
      const { list, next } = takeList(lines, at)
      blocks.push(list)
      at = next
    } else if (line.trim() === '') {
      at += 1
    } else {
      const start = at
      while (at < lines.length && (at === start || isParagraphLine(lines[at] ?? ''))) at += 1
      blocks.push({ type: 'paragraph', lines: lines.slice(start, at).map((one) => parseInline(one.trim())) })
    }
  }
  return blocks
}

const isParagraphLine = (line: string): boolean =>
  line.trim() !== '' && !FENCE.test(line) && !HEADING.test(line) && !ITEM.test(line)

/** The list that begins at a line. Empty lines between its items do not end it; another kind of marks at its own depth does. */
function takeList(lines: readonly string[], start: number): { list: Block; next: number } {
  const [, firstIndent = '', number] = ITEM.exec(lines[start] ?? '') ?? []
  const isOrdered = number !== undefined
  const items: { depth: number; text: string }[] = []
  let at = start
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? ''
    const item = ITEM.exec(line)
    const last = items.at(-1)
    if (item !== null) {
      const indent = (item[1] ?? '').length - firstIndent.length
      if (indent < 2 && (item[2] !== undefined) !== isOrdered) break
      items.push({ depth: Math.max(0, Math.min(MOST_DEPTH, Math.floor(indent / 2))), text: item[3] ?? '' })
    } else if (line.trim() === '') {
      const following = nextWords(lines, at)
      if (!ITEM.test(lines[following] ?? '')) break
      at = following - 1
    } else if (/^\s{2,}\S/.test(line) && last !== undefined && !FENCE.test(line)) {
      last.text += ` ${line.trim()}`
    } else break
  }
  const list: Block = {
    type: 'list',
    isOrdered,
    start: number === undefined ? 1 : Number(number),
    items: items.map(({ depth, text }) => ({ depth, inlines: parseInline(text) })),
  }
  return { list, next: at }
}

/** The number of the next line that is not empty. */
function nextWords(lines: readonly string[], from: number): number {
  let at = from
  while (at < lines.length && lines[at]?.trim() === '') at += 1
  return at
}

// Code comes first: what stands in it is taken as it is. No form reaches over a line, none is nested, and none is
// longer than it may be, so that nothing takes long.
const FORMS = [
  /`([^`]{1,1000})`/,
  /!\[([^[\]]{0,300})\]\([^)]{0,2000}\)/,
  /(?<!!)\[([^[\]]{1,300})\]\(([^()\s]{0,1000})[^()]{0,300}\)/,
  /\*\*([^*]{1,1000})\*\*/,
  /__([^_]{1,1000})__/,
  /(?<![\w*])\*([^*\s][^*]{0,1000})\*(?![\w*])/,
]
const ANY_FORM = new RegExp(FORMS.map(({ source }) => source).join('|'), 'g')

/** The pieces of one line. A picture is only named, and a link to anything but the web is only its words. */
export function parseInline(line: string): Inline[] {
  const pieces: Inline[] = []
  const add = (piece: Inline): void => {
    const last = pieces.at(-1)
    if (piece.type === 'text' && last?.type === 'text')
      pieces[pieces.length - 1] = { type: 'text', text: last.text + piece.text }
    else if (piece.text !== '') pieces.push(piece)
  }
  let end = 0
  for (const match of line.matchAll(ANY_FORM)) {
    const [, code, picture, words, target, stars, underscores, italic] = match
    add({ type: 'text', text: line.slice(end, match.index) })
    end = match.index + match[0].length
    if (code !== undefined) add({ type: 'code', text: code })
    else if (picture !== undefined) add({ type: 'text', text: picture === '' ? '[picture]' : `[picture: ${picture}]` })
    else if (words !== undefined) add(linkOf(words, target ?? ''))
    else if (italic !== undefined) add({ type: 'italic', text: italic })
    else add({ type: 'bold', text: stars ?? underscores ?? '' })
  }
  add({ type: 'text', text: line.slice(end) })
  return pieces
}

function linkOf(text: string, target: string): Inline {
  const url = /^https?:\/\//i.test(target) && URL.canParse(target) ? new URL(target) : undefined
  // An address with a name in front of its host is made to deceive.
  if (url === undefined || url.username !== '' || url.password !== '') return { type: 'text', text }
  return { type: 'link', text, url: url.href, host: url.host }
}
