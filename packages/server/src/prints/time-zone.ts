// Days of a time zone as instants. A day is a whole number, counted from 1 January 1970; it begins at its first instant, which is
// not midnight where the clock is put forward at midnight. Days last 23, 24 or 25 hours, and one that a country left out lasts none.

export const DAY_MS = 24 * 3_600_000

/** No zone changes its offset and back within this time, so a look every so often misses no change. */
const SAMPLE_MS = 7 * DAY_MS

/** So much time is looked through at once: ten years. */
const PIECE_MS = 522 * SAMPLE_MS

/** The offset from UTC that holds from `from` on, in milliseconds. */
interface Span {
  readonly from: number
  readonly offset: number
}

/** The day of a date such as `2026-11-21`. */
export const dayOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS

/** The first instant of a day. */
export function startOfDay(timeZone: string, day: number): number {
  return dayStarts(timeZone, day, day)[0] ?? Number.NaN
}

/** The first instants of the days from `first` to `last`, both inclusive. */
export function dayStarts(timeZone: string, first: number, last: number): number[] {
  // A clock shows at most 14 hours more or less than UTC, so that a day begins within two days of its name in UTC.
  const spans = spansOf(zoneOf(timeZone), (first - 2) * DAY_MS, (last + 2) * DAY_MS)
  const starts: number[] = []
  let index = 0
  for (let day = first; day <= last; day += 1) {
    while (endOf(spans, index) <= startIn(spans, index, day)) index += 1
    starts.push(startIn(spans, index, day))
  }
  return starts
}

/** Writes instants as ISO 8601 with the offset of the zone, to the second. */
export function localIso(timeZone: string): (instant: number) => string {
  const zone = zoneOf(timeZone)
  const texts = new Map<number, string>()
  return (instant) => {
    const offset = offsetAt(zone, instant)
    const text = texts.get(offset) ?? offsetText(offset)
    texts.set(offset, text)
    return `${new Date(instant + offset).toISOString().slice(0, 19)}${text}`
  }
}

function offsetText(offset: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const minutes = Math.round(Math.abs(offset) / 60_000)
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

const endOf = (spans: readonly Span[], index: number): number => spans[index + 1]?.from ?? Number.POSITIVE_INFINITY

/** When the clocks of this span reach the day, if the span lasts that long. */
function startIn(spans: readonly Span[], index: number, day: number): number {
  const span = spans[index] ?? { from: 0, offset: 0 }
  return Math.max(span.from, day * DAY_MS - span.offset)
}

/** The offsets between two instants, in order; the first one may hold from earlier on. */
function spansOf(zone: Zone, from: number, to: number): Span[] {
  const spans: Span[] = []
  for (let index = Math.floor(from / PIECE_MS); index * PIECE_MS < to; index += 1) {
    for (const span of pieceOf(zone, index)) if (span.offset !== spans.at(-1)?.offset) spans.push(span)
  }
  return spans
}

function offsetAt(zone: Zone, instant: number): number {
  const piece = pieceOf(zone, Math.floor(instant / PIECE_MS))
  return (piece.findLast(({ from }) => from <= instant) ?? piece[0])?.offset ?? 0
}

/** The offsets of one piece of time, each from when on. */
function pieceOf({ pieces, read }: Zone, index: number): readonly Span[] {
  const known = pieces.get(index)
  if (known !== undefined) return known
  const start = index * PIECE_MS
  const spans: Span[] = [{ from: start, offset: read(start) }]
  for (let before = start; before < start + PIECE_MS; before += SAMPLE_MS) {
    const after = before + SAMPLE_MS
    const offset = read(after)
    if (offset !== spans.at(-1)?.offset) spans.push({ from: changeBetween(read, before, after), offset })
  }
  pieces.set(index, spans)
  return spans
}

/** The instant at which the offset changes, to the second. */
function changeBetween(read: Zone['read'], before: number, after: number): number {
  const old = read(before)
  let [low, high] = [before / 1000, after / 1000]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (read(middle * 1000) === old) low = middle
    else high = middle
  }
  return high * 1000
}

const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/

/** A time zone, with what was found out about it. */
interface Zone {
  /** By number, counted from 1 January 1970. */
  readonly pieces: Map<number, readonly Span[]>
  /** Tells the offset at an instant, in milliseconds: so slowly that what it told is kept. */
  readonly read: (instant: number) => number
}

/** All that there are, however they are written. */
const zones = new Map<string, Zone>()

function zoneOf(timeZone: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  const name = format.resolvedOptions().timeZone
  const known = zones.get(name)
  if (known !== undefined) return known
  const zone: Zone = { pieces: new Map(), read: (instant) => offsetOf(format.format(instant)) }
  zones.set(name, zone)
  return zone
}

function offsetOf(text: string): number {
  const [, sign, hours, minutes, seconds = '0'] = OFFSET.exec(text) ?? []
  if (sign === undefined) return 0
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -size : size
}
