import { parseIni } from '../config/ini.js'
import { LinkError } from './link-error.js'

/** What is to stand in one section. Keys that are not named stay as they are, and so does every comment. */
export interface SectionChange {
  readonly section: string
  readonly set: Readonly<Record<string, string>>
  readonly unset?: readonly string[]
}

/**
 * The text of an INI file with one section changed, or added at the end when it is not there.
 *
 * @throws {LinkError} `refused` when a value would not be read as it is: what a host or a server answered may hold a line end, and
 * behind it settings that nobody asked for
 */
export function changeSection(text: string, { section: name, set, unset = [] }: SectionChange): string {
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const section = parseIni(text).sections.find((one) => one.name === name)
  const wanted = new Map(Object.entries(set))
  for (const [key, value] of wanted) checkReadable(key, value)
  if (section === undefined) return withSection(text, name, wanted, lineEnd)

  const lines = text.split(/\r?\n/)
  const removed = new Set<number>()
  let last = section.line
  for (const { key, line } of section.entries) {
    if (unset.includes(key)) removed.add(line)
    const value = wanted.get(key)
    if (value !== undefined) {
      lines[line - 1] = withValue(lines[line - 1] ?? '', value)
      wanted.delete(key)
    }
    last = Math.max(last, line)
  }
  const added = [...wanted].map(([key, value]) => `${key}: ${value}`)
  const before = lines.slice(0, last).filter((_, index) => !removed.has(index + 1))
  return [...before, ...added, ...lines.slice(last)].join(lineEnd)
}

function checkReadable(key: string, value: string): void {
  const { sections, problems } = parseIni(`[a]\n${key}: ${value}`)
  const [entry, ...others] = sections.flatMap(({ entries }) => entries)
  if (problems.length === 0 && sections.length === 1 && others.length === 0 && entry?.value === value) return
  throw new LinkError(
    'refused',
    `${key} cannot be written into the configuration: it has characters that mean something there`,
  )
}

function withSection(text: string, name: string, entries: ReadonlyMap<string, string>, lineEnd: string): string {
  const own = [`[${name}]`, ...[...entries].map(([key, value]) => `${key}: ${value}`), ''].join(lineEnd)
  if (text.trim() === '') return text + own
  const gap = text.endsWith('\n') ? lineEnd : lineEnd + lineEnd
  return text + gap + own
}

/** The line of an entry with another value: how it is written, and the comment behind it, stay. */
function withValue(line: string, value: string): string {
  const [, head = '', rest = ''] = /^(\s*[A-Za-z][\w-]*\s*[:=]\s*)(.*)$/.exec(line) ?? []
  const comment = /(^|\s+)[#;].*$/.exec(rest)?.[0] ?? ''
  const gap = comment !== '' && !/^\s/.test(comment) ? ' ' : ''
  return `${/\s$/.test(head) ? head : `${head} `}${value}${gap}${comment}`
}
