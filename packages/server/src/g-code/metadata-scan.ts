import { MAX_VALUE_LENGTH, numberOf } from './metadata-values.js'

// One pass over a piece of G-code. Bytes are characters here (Latin-1), so that positions are byte positions.

/** More are more than any slicer writes; a file that floods us loses only its own metadata. */
const MAX_KEYS = 4096
const MAX_VALUES = 16
const MAX_COMMAND_LENGTH = 128
/** Enough for every line that begins or ends something. */
export const MAX_COMMENT_LINE = 100

/** What comments say as `key = value` or `key: value`, under the key in lower case. */
export type Comments = Map<string, string[]>

/** What was seen in a piece of G-code. Positions are in the whole file. */
export interface Scan {
  readonly comments: Comments
  /** The first line that names the program that made the file. */
  generator: string | undefined
  first_command: number | undefined
  after_last_command: number | undefined
  /** Marks of new layers, and the number that the last one bore. */
  layer_marks: number
  last_layer: number | undefined
  /** As a command for the printer's display tells it. */
  total_layers: number | undefined
  /** Highest `;Z:` comment. */
  marked_height: number | undefined
  /** Highest position at which filament was laid. */
  laid_height: number | undefined
  /** Seconds into the print, as the last mark of it tells. */
  elapsed: number | undefined
  /** The last temperatures that were set before the first layer. */
  readonly heat: Map<Heater, number>
}

/** The pieces of a file, the first and the last one. */
export interface ScannedText {
  readonly first: Scan
  readonly last: Scan
  /** Whether there is no more to the file. */
  readonly isWhole: boolean
}

export type Heater = 'extruder' | 'bed' | 'chamber'

const HEATER_OF = new Map<string, Heater>([
  ['104', 'extruder'],
  ['109', 'extruder'],
  ['140', 'bed'],
  ['190', 'bed'],
  ['141', 'chamber'],
  ['191', 'chamber'],
])

const LAYER_MARK = /^(?:layer_change|change_layer|layer:\s*(\d{1,7}))$/i
const MAX_LAYER_MARK_LENGTH = 20
const GENERATOR = /^(?:(?:g-?code )?(?:generated|sliced) (?:by|with)|bambustudio \d|orcaslicer \d)/i
const COMMAND = /^(?:[GMTN]\d|[a-z_][a-z0-9_]*(?:\s|$))/i
const MAX_KEY_LENGTH = 100

export function newScan(): Scan {
  return {
    comments: new Map(),
    generator: undefined,
    first_command: undefined,
    after_last_command: undefined,
    layer_marks: 0,
    last_layer: undefined,
    total_layers: undefined,
    marked_height: undefined,
    laid_height: undefined,
    elapsed: undefined,
    heat: new Map(),
  }
}

/** Keeps what a setting says. The first ones of a key stay. */
export function addComment(comments: Comments, key: string, value: string): void {
  const name = key.trim().toLowerCase()
  const values = comments.get(name)
  if (values === undefined) {
    if (comments.size < MAX_KEYS) comments.set(name, [value.trim()])
  } else if (values.length < MAX_VALUES) values.push(value.trim())
}

/** Calls `visit` for each line with its positions, without its end. `next` is where the next line begins. */
export function forEachLine(text: string, visit: (start: number, end: number, next: number) => void): void {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf('\n', start)
    const next = found < 0 ? text.length : found + 1
    let end = found < 0 ? text.length : found
    if (end > start && text[end - 1] === '\r') end -= 1
    visit(start, end, next)
    start = next
  }
}

/** Looks through `text`, which begins at `offset` in the file. */
export function scanText(text: string, offset: number): Scan {
  const scan = newScan()
  const head: Head = { z: undefined, isRelative: false, isLaid: false }
  let nextZ = -1
  forEachLine(text, (start, end, next) => {
    while (start < end && (text[start] === ' ' || text[start] === '\t')) start += 1
    if (start === end) return
    if (text[start] === ';') {
      scanComment(scan, text.slice(start + 1, Math.min(end, start + MAX_VALUE_LENGTH)))
      return
    }
    if (nextZ < start) nextZ = indexOrEnd(text, 'Z', start)
    // Nearly every line is a move within a layer, which says nothing new: it is not even copied.
    const isKnownMove = head.isLaid && nextZ >= end && isShortMove(text, start)
    const line = isKnownMove ? '' : text.slice(start, Math.min(end, start + MAX_COMMAND_LENGTH))
    if (!isKnownMove && !COMMAND.test(line)) return
    scan.first_command ??= offset + start
    scan.after_last_command = offset + next
    if (!isKnownMove) scanCommand(scan, head, line.split(';', 1)[0] ?? '')
  })
  return scan
}

/** Where `part` is next; the end of `text` where it is no more. */
export function indexOrEnd(text: string, part: string, from: number): number {
  const found = text.indexOf(part, from)
  return found < 0 ? text.length : found
}

/** `G0 …` to `G3 …`. */
function isShortMove(text: string, start: number): boolean {
  const digit = text.charCodeAt(start + 1) - 48
  return text[start] === 'G' && digit >= 0 && digit <= 3 && text[start + 2] === ' '
}

function scanComment(scan: Scan, comment: string): void {
  const text = comment.replace(/^[;\s]+/, '').trimEnd()
  if (text.length <= MAX_LAYER_MARK_LENGTH) {
    const mark = LAYER_MARK.exec(text)
    if (mark !== null) {
      scan.layer_marks += 1
      if (mark[1] !== undefined) scan.last_layer = Number(mark[1])
      return
    }
  }
  if (scan.generator === undefined && GENERATOR.test(text)) {
    scan.generator = text
    return
  }
  const at = text.search(/[=:]/)
  if (at <= 0 || at > MAX_KEY_LENGTH) return
  const [key, value] = [text.slice(0, at), text.slice(at + 1)]
  if (key === 'Z') scan.marked_height = highest(scan.marked_height, numberOf(value))
  else if (key === 'TIME_ELAPSED') scan.elapsed = numberOf(value)
  else addComment(scan.comments, key, value)
}

/** Where the print head is, as far as it matters here. */
interface Head {
  z: number | undefined
  isRelative: boolean
  /** Whether filament was laid at this height. */
  isLaid: boolean
}

const MOVE = /^G0*[0-3](?!\d)/
const HEAT = /^M(\d{3})(?!\d)[^S]*S(\d+(?:\.\d+)?)/

function scanCommand(scan: Scan, head: Head, command: string): void {
  if (MOVE.test(command)) scanMove(scan, head, command)
  else if (/^G9[01](?!\d)/.test(command)) head.isRelative = command[2] === '1'
  else if (command.startsWith('M')) {
    const [, code = '', degrees] = HEAT.exec(command) ?? []
    const heater = HEATER_OF.get(code)
    const value = numberOf(degrees)
    // A heater that is switched off before the print says nothing about the print.
    if (heater !== undefined && value !== undefined && value > 0 && scan.layer_marks === 0) scan.heat.set(heater, value)
  } else if (/^SET_PRINT_STATS_INFO\s/i.test(command)) {
    scan.total_layers ??= numberOf(/\sTOTAL_LAYER=(\d{1,7})(?!\d)/i.exec(command)?.[1])
  }
}

/** Lifts between extrusions, and the last one at the end, are no part of the object. */
function scanMove(scan: Scan, head: Head, command: string): void {
  const z = /\sZ([+-]?[\d.]+)/.exec(command)?.[1]
  // Moves by a distance are for lifting: slicers write layers as positions.
  if (z !== undefined && !head.isRelative) {
    head.z = numberOf(z)
    head.isLaid = false
  }
  if (!/\s[XY]/.test(command) || !/\sE\+?[\d.]/.test(command)) return
  head.isLaid = true
  scan.laid_height = highest(scan.laid_height, head.z)
}

function highest(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.max(one, other)
}
