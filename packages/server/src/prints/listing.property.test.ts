import { endpoints, type PrintStats } from '@printwarden/protocol'
import type { Insertable } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PrinterRow } from '../printers/store.js'
import { openTestWorld, type TestWorld } from '../printers/testing.js'
import type { PrintsTable } from '../tables.js'
import { addFeedbackShots } from './feedback-store.js'
import { pageOf, selectionOf } from './listing.js'
import { countPrints, listPrints } from './listing-store.js'
import { planOf, runsOf, statsView } from './stats.js'
import { listDayTotals } from './stats-store.js'

// Lists and statistics of 2,000 random prints in a real database, beside a model that goes through all of them one by one. The
// model knows nothing of intervals and offsets: it asks the calendar which day a print started on, and compares names of days.

const SEED = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)
const PRINTS = 2000
const LISTS = 400
const STATISTICS = 80

/** Zones whose clocks do odd things, and two that are plain. */
const ZONES = [
  ...['UTC', 'Asia/Kolkata', 'Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'America/Havana', 'Asia/Beirut'],
  ...['Africa/Cairo', 'Africa/Casablanca', 'Australia/Lord_Howe', 'Pacific/Apia', 'Pacific/Kiritimati'],
]

/** Mulberry32: small, and the same everywhere. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const random = randomOf(SEED)
const below = (limit: number): number => Math.floor(random() * limit)
const chance = (share: number): boolean => random() < share
function pick<Item>(items: readonly Item[]): Item {
  const item = items[below(items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}

const HOUR = 3_600_000
const FIRST = Date.parse('2017-01-01T00:00:00Z')
const DAYS = 5 * 365
/** Around these, days are longer, shorter, or begin at another hour than midnight. */
const ODD_INSTANTS = ['2018-11-04T03:00Z', '2019-03-31T01:00Z', '2019-10-27T01:00Z', '2018-04-08T04:00Z'].map(
  Date.parse,
)

interface ModelPrint {
  readonly id: number
  readonly user_id: number
  readonly printer_id: number
  readonly started_at: number
  readonly finished_at: number | null
  readonly cancelled_at: number | null
  readonly failed_at: number | null
  readonly alert_overwrite: string | null
  readonly print_time: number | null
  readonly filament_used: number | null
  readonly answers: (string | null)[]
}

/** Many start at the same instant, many at the ends of days, many around odd hours, the rest at any time. */
function randomStart(): number {
  if (chance(0.2)) return FIRST + below(20) * 24 * HOUR
  if (chance(0.3)) return FIRST + below(DAYS * 48) * (HOUR / 2) - below(2)
  if (chance(0.3)) return pick(ODD_INSTANTS) + (below(96) - 48) * (HOUR / 2) - below(2)
  return FIRST + below(DAYS * 24 * HOUR)
}

function randomPrint(userId: number, printerId: number, ts: number): Insertable<PrintsTable> {
  const started_at = randomStart()
  const end = started_at + below(48) * HOUR
  const state = pick(['finished', 'finished', 'cancelled', 'failed'])
  return {
    user_id: userId,
    printer_id: printerId,
    current_print_ts: ts,
    state,
    filename: `${ts}.gcode`,
    started_at,
    finished_at: state === 'finished' && chance(0.95) ? end : null,
    cancelled_at: state === 'finished' ? null : end,
    failed_at: state === 'failed' ? end : null,
    alert_overwrite: pick([null, null, 'FAILED', 'NOT_FAILED']),
    // Halves add up exactly, in any order.
    print_time: chance(0.2) ? null : below(100_000) / 2,
    filament_used: chance(0.2) ? null : below(50_000) / 2,
  }
}

let world: TestWorld
let userId: number
let printerIds: number[]
let model: ModelPrint[]

beforeAll(async () => {
  world = await openTestWorld()
  const [mine, other] = [await world.addUser(), await world.addUser()]
  userId = mine
  const printers: PrinterRow[] = []
  for (let index = 0; index < 6; index += 1) printers.push(await world.addPrinter(index < 4 ? mine : other))
  printerIds = printers.map(({ id }) => id)
  const rows = Array.from({ length: PRINTS }, (_, index) => {
    const printer = pick(printers)
    return randomPrint(printer.user_id, printer.id, index)
  })
  model = []
  for (let start = 0; start < rows.length; start += 500) {
    const inserted = await world.db
      .insertInto('prints')
      .values(rows.slice(start, start + 500))
      .returningAll()
      .execute()
    model.push(...inserted.map((row) => ({ ...row, answers: chance(0.2) ? randomAnswers() : [] })))
  }
  const shots = model.flatMap(({ id, user_id, answers }) =>
    answers.map((answer, index) => ({
      ...{ print_id: id, user_id, image_key: `prints/${id}/shots/${index}.jpg`, answer, created_at: 0 },
      answered_at: answer === null ? null : 1,
    })),
  )
  await addFeedbackShots(world.db, shots)
}, 60_000)

const randomAnswers = (): (string | null)[] =>
  Array.from({ length: 1 + below(4) }, () => pick([null, null, 'LOOKS_BAD', 'UNDECIDED']))

afterAll(async () => {
  await world.close()
})

type Query = Record<string, string | string[]>

/** The name of the day on which an instant lies. */
const formats = new Map(
  ZONES.map((zone) => [
    zone,
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }),
  ]),
)
const localOf = (zone: string, instant: number): string => formats.get(zone)?.format(instant) ?? ''
const dateOf = (zone: string, instant: number): string => localOf(zone, instant).slice(0, 10)

/** The same for the starts of prints, which are asked for again and again. */
const startDates = new Map<string, ReadonlyMap<number, string>>()
function startDatesIn(zone: string): ReadonlyMap<number, string> {
  const known = startDates.get(zone)
  if (known !== undefined) return known
  const dates = new Map(model.map(({ started_at }) => [started_at, dateOf(zone, started_at)]))
  startDates.set(zone, dates)
  return dates
}

function passes(print: ModelPrint, filter: string): boolean {
  if (filter === 'cancelled') return print.cancelled_at !== null
  if (filter === 'finished') return print.finished_at !== null
  if (filter === 'failed') return print.failed_at !== null
  if (filter === 'need_alert_overwrite') return print.alert_overwrite === null
  return print.answers.length > 0 && print.answers.every((answer) => answer === null)
}

/** The selected prints by start and id, as one would find them by hand. */
function selectedBy(query: Query): ModelPrint[] {
  const { filter, feedback_needed, from_date = '', to_date = '9999', timezone = 'UTC' } = query
  const wanted = query['filter_by_printer_ids[]']
  const hasDates = 'from_date' in query || 'to_date' in query
  return model
    .filter((print) => print.user_id === userId)
    .filter((print) => wanted === undefined || [wanted].flat().includes(String(print.printer_id)))
    .filter((print) => [filter, feedback_needed].every((one) => one === undefined || passes(print, String(one))))
    .filter(({ started_at }) => {
      if (!hasDates) return true
      const date = startDatesIn(String(timezone)).get(started_at) ?? ''
      return date >= String(from_date) && date <= String(to_date)
    })
    .toSorted((a, b) => a.started_at - b.started_at || a.id - b.id)
}

const FILTERS = ['cancelled', 'finished', 'failed', 'need_alert_overwrite', 'need_print_shot_feedback']

const randomDate = (): string => new Date(randomStart()).toISOString().slice(0, 10)

function randomFilters(): Query {
  return {
    ...(chance(0.5) ? { filter: pick(FILTERS) } : {}),
    ...(chance(0.2) ? { feedback_needed: pick(FILTERS.slice(3)) } : {}),
    ...(chance(0.4) ? { 'filter_by_printer_ids[]': randomPrinters() } : {}),
  }
}

/** One id as a text, several as a list, as they come from the address; some are foreign or nobody's. */
function randomPrinters(): string | string[] {
  const ids = Array.from({ length: 1 + below(4) }, () => String(pick([...printerIds, 999])))
  return ids.length === 1 ? (ids[0] ?? '') : ids
}

function randomListQuery(): Query {
  const [one, two] = [randomDate(), randomDate()].toSorted()
  return {
    ...randomFilters(),
    ...(chance(0.4) ? { from_date: one ?? '' } : {}),
    ...(chance(0.4) ? { to_date: two ?? '' } : {}),
    ...(chance(0.6) ? { timezone: pick(ZONES) } : {}),
    ...(chance(0.8)
      ? {
          sorting: pick(['date_desc', 'date_asc']),
          ...(chance(0.6) ? { start: String(chance(0.5) ? below(10) : below(2500)) } : {}),
          ...(chance(0.6) ? { limit: String(chance(0.5) ? below(10) : below(501)) } : {}),
        }
      : {}),
  }
}

test(`${LISTS} lists are what one finds by hand (seed ${SEED})`, async () => {
  for (let count = 0; count < LISTS; count += 1) {
    const query = randomListQuery()
    const parsed = endpoints.listPrints.query?.parse(query) ?? {}
    const selection = selectionOf(parsed)
    const listed = await listPrints(world.db, userId, selection, pageOf(parsed))
    const total = await countPrints(world.db, userId, selection)
    const all = selectedBy(query)
    const ordered = query['sorting'] === 'date_asc' ? all : all.toReversed()
    const start = Number(query['start'] ?? 0)
    const expected = ordered.slice(start, start + Number(query['limit'] ?? 500))
    const open = (answers: readonly (string | null)[]): number => answers.filter((answer) => answer === null).length
    expect(
      { total, prints: listed.map((print) => [print.id, print.shots, print.open_shots]) },
      `seed ${SEED}, ${JSON.stringify(query)}`,
    ).toEqual({
      total: all.length,
      prints: expected.map(({ id, answers }) => [id, answers.length, open(answers)]),
    })
  }
}, 60_000)

const UNITS = { day: 40, week: 400, month: 1500, year: 1500 } as const

function randomStatsQuery(): Query {
  const group_by = pick(Object.keys(UNITS) as (keyof typeof UNITS)[])
  const from = Date.parse(randomDate())
  const to = from + below(UNITS[group_by]) * 24 * HOUR
  const [from_date, to_date] = [from, to].map((day) => new Date(day).toISOString().slice(0, 10))
  return { ...randomFilters(), group_by, from_date: from_date ?? '', to_date: to_date ?? '', timezone: pick(ZONES) }
}

/** The days on which periods begin, day by day through the calendar. */
function periodsOf(query: Query): string[] {
  const begins = {
    day: () => true,
    week: (day: Date) => day.getUTCDay() === 0,
    month: (day: Date) => day.getUTCDate() === 1,
    year: (day: Date) => day.getUTCDate() === 1 && day.getUTCMonth() === 0,
  }[String(query['group_by']) as keyof typeof UNITS]
  const periods = [String(query['from_date'])]
  for (
    let at = Date.parse(String(query['from_date'])) + 24 * HOUR;
    at <= Date.parse(String(query['to_date']));
    at += 24 * HOUR
  ) {
    const day = new Date(at)
    if (begins(day)) periods.push(day.toISOString().slice(0, 10))
  }
  return periods
}

const keys = new Map<string, string>()

/** The first quarter of an hour that the zone's calendar counts to the day, with its offset. */
function keyOf(zone: string, date: string): string {
  const known = keys.get(`${zone} ${date}`)
  if (known !== undefined) return known
  let at = Date.parse(date) - 15 * HOUR
  while (dateOf(zone, at) < date) at += HOUR / 4
  const local = localOf(zone, at).replace(' ', 'T')
  const minutes = (Date.parse(`${local}Z`) - at) / 60_000
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`
  keys.set(`${zone} ${date}`, `${local}${offset}`)
  return `${local}${offset}`
}

function statsByHand(query: Query): PrintStats {
  const zone = String(query['timezone'])
  const prints = selectedBy(query)
  const periods = periodsOf(query)
  const sum = (some: readonly ModelPrint[], name: 'print_time' | 'filament_used'): number =>
    some.reduce((total, print) => total + (print[name] ?? 0), 0)
  const groups = (valueOf: (some: readonly ModelPrint[]) => number) =>
    periods.map((first, index) => {
      const next = periods[index + 1] ?? '9999'
      const some = prints.filter(({ started_at }) => {
        const date = startDatesIn(zone).get(started_at) ?? ''
        return date >= first && date < next
      })
      return { key: keyOf(zone, first), value: valueOf(some) }
    })
  const cancelled = prints.filter(({ cancelled_at }) => cancelled_at !== null).length
  return {
    print_count_groups: groups((some) => some.length),
    print_time_groups: groups((some) => sum(some, 'print_time')),
    filament_used_groups: groups((some) => sum(some, 'filament_used')),
    total_print_count: prints.length,
    total_cancelled_print_count: cancelled,
    total_succeeded_print_count: prints.length - cancelled,
    total_print_time: sum(prints, 'print_time'),
    longest_print_time: Math.max(0, ...prints.map(({ print_time }) => print_time ?? 0)),
    average_print_time: prints.length === 0 ? 0 : sum(prints, 'print_time') / prints.length,
    total_filament_used: sum(prints, 'filament_used'),
  }
}

test(`${STATISTICS} statistics are what one adds up by hand (seed ${SEED})`, async () => {
  for (let count = 0; count < STATISTICS; count += 1) {
    const query = randomStatsQuery()
    const parsed = endpoints.getPrintStats.query?.parse(query)
    if (parsed === undefined) throw new Error('the statistics have no query')
    const plan = planOf(parsed)
    const stats = statsView(plan, await listDayTotals(world.db, userId, selectionOf(parsed), runsOf(plan)))
    expect(stats, `seed ${SEED}, ${JSON.stringify(query)}`).toEqual(statsByHand(query))
  }
}, 60_000)
