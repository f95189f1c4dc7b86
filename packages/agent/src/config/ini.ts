/** One `key: value` line. */
export interface IniEntry {
  readonly key: string
  readonly value: string
  readonly line: number
}

/** One `[name]` and the entries below it. */
export interface IniSection {
  readonly name: string
  readonly line: number
  readonly entries: readonly IniEntry[]
}

/** Something that is wrong at one line of the file. */
export interface IniProblem {
  readonly line: number
  readonly message: string
}

export interface IniFile {
  readonly sections: readonly IniSection[]
  readonly problems: readonly IniProblem[]
}

interface OpenSection extends IniSection {
  readonly entries: IniEntry[]
}

/**
 * Reads the INI dialect that Klipper users know: `key: value` or `key = value`, comments after `#` or `;` at the start of a
 * line or after a space. Keys are lower-cased. Reading goes on after a bad line, so that all problems are found at once.
 */
export function parseIni(text: string): IniFile {
  const sections: OpenSection[] = []
  const problems: IniProblem[] = []
  let section: OpenSection | undefined

  for (const [index, raw] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    const line = index + 1
    const content = withoutComment(raw).trim()
    if (content === '') continue

    if (content.startsWith('[')) {
      const name = sectionName(content)
      if (name === undefined) {
        problems.push({ line, message: `"${content}" is not a section: it should look like [printer mk3]` })
        // Its entries belong nowhere, and complaining about each of them would hide the cause.
        section = { name: '', line, entries: [] }
        continue
      }
      const earlier = sections.find((other) => other.name === name)
      if (earlier) problems.push({ line, message: `[${name}] is already at line ${earlier.line}` })
      section = { name, line, entries: [] }
      sections.push(section)
      continue
    }

    const entry = readEntry(content, line)
    if (entry === undefined) {
      problems.push({ line, message: `"${content}" is neither "key: value" nor a [section]` })
    } else if (section === undefined) {
      problems.push({ line, message: `${entry.key} stands before the first [section]` })
    } else {
      const earlier = section.entries.find((other) => other.key === entry.key)
      if (earlier) problems.push({ line, message: `${entry.key} is already set at line ${earlier.line}` })
      else section.entries.push(entry)
    }
  }
  return { sections, problems }
}

/** A `#` inside a word stays, since URLs have fragments. */
function withoutComment(line: string): string {
  return line.replace(/(^|\s)[#;].*$/, '')
}

function sectionName(content: string): string | undefined {
  const name = /^\[([^[\]]+)\]$/.exec(content)?.[1]?.trim().replace(/\s+/g, ' ')
  return name === '' ? undefined : name
}

function readEntry(content: string, line: number): IniEntry | undefined {
  const match = /^([A-Za-z][\w-]*)\s*[:=]\s*(.*)$/.exec(content)
  if (!match?.[1] || match[2] === undefined) return undefined
  return { key: match[1].toLowerCase(), value: withoutQuotes(match[2]), line }
}

function withoutQuotes(value: string): string {
  return /^"(.*)"$/.exec(value)?.[1] ?? value
}
