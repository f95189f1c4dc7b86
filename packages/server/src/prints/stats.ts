import type { PrintStats } from '@printwarden/protocol'
import { DAY_MS, dayOf, dayStarts, localIso } from './time-zone.js'

export type StatsGrouping = 'day' | 'week' | 'month' | 'year'

/** The query of `GET /api/v1/prints/stats/`, as far as time is concerned. */
export interface StatsQuery {
  readonly timezone: string
  readonly from_date: string
  readonly to_date: string
  readonly group_by: StatsGrouping
}

/** More time than that is nobody's history. */
export const MAX_STATS_YEARS = 100
/** More periods than that are no chart. */
export const MAX_STATS_PERIODS = 4000

/** Days one after another that last equally long, so that arithmetic alone tells to which of them an instant belongs. */
export interface DayRun {
  /** Counted from the first day of the statistics. */
  readonly first: number
  readonly startAt: number
  readonly endAt: number
  readonly dayMs: number
}

/** What the database adds up for one day on which something was printed. */
export interface DayTotals {
  /** Counted from the first day of the statistics. */
  readonly day: number
  readonly prints: number
  readonly cancelled: number
  readonly print_time: number
  readonly longest: number
  readonly filament_used: number
}

/** What stands between the query and the answer: which days there are, and where periods begin. */
export interface StatsPlan {
  /** The first instants of the days, and then the end of the last one. */
  readonly starts: readonly number[]
  /** The first day of each period, counted from the first day of the statistics. */
  readonly periods: readonly number[]
  readonly keyOf: (instant: number) => string
}

/** Which parameter asks for too much, if one does. */
export function excessOf(query: StatsQuery): { readonly path: keyof StatsQuery; readonly message: string } | undefined {
  const [first, last] = [dayOf(query.from_date), dayOf(query.to_date)]
  if (last - first > MAX_STATS_YEARS * 366) {
    return { path: 'to_date', message: `must be at most ${MAX_STATS_YEARS} years after "from_date"` }
  }
  if (periodsOf(first, last, query.group_by).length <= MAX_STATS_PERIODS) return undefined
  return { path: 'group_by', message: `would give more than ${MAX_STATS_PERIODS} periods` }
}

export function planOf({ timezone, from_date, to_date, group_by }: StatsQuery): StatsPlan {
  const [first, last] = [dayOf(from_date), dayOf(to_date)]
  const starts = dayStarts(timezone, first, last + 1)
  const periods = periodsOf(first, last, group_by).map((day) => day - first)
  // A period of a single day that the country left out has no time in which anything could be printed.
  const hasTime = (day: number, index: number): boolean =>
    starts[day] !== starts[periods[index + 1] ?? last + 1 - first]
  return { starts, periods: periods.filter(hasTime), keyOf: localIso(timezone) }
}

/** The first days of the periods from `first` to `last`, both inclusive. */
function periodsOf(first: number, last: number, grouping: StatsGrouping): number[] {
  const periods: number[] = []
  for (let day = first; day <= last; day = nextPeriod(day, grouping)) periods.push(day)
  return periods
}

/** The day on which the next period begins: weeks on Sunday. */
function nextPeriod(day: number, grouping: StatsGrouping): number {
  if (grouping === 'day') return day + 1
  // Day 0, 1 January 1970, was a Thursday, so that day 3 was a Sunday.
  if (grouping === 'week') return day + 7 - ((((day - 3) % 7) + 7) % 7)
  const date = new Date(day * DAY_MS)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return (grouping === 'month' ? Date.UTC(year, month + 1) : Date.UTC(year + 1, 0)) / DAY_MS
}

/** The days in runs: few of them, since only a change of the clock makes a day longer or shorter. */
export function runsOf({ starts }: StatsPlan): DayRun[] {
  const runs: DayRun[] = []
  let run: { first: number; startAt: number; endAt: number; dayMs: number } | undefined
  for (const [first, startAt] of starts.entries()) {
    const endAt = starts[first + 1]
    if (endAt === undefined || endAt === startAt) continue
    // There are tens of thousands of days, so that each run is made longer in place.
    if (run?.dayMs === endAt - startAt && run.endAt === startAt) run.endAt = endAt
    else runs.push((run = { first, startAt, endAt, dayMs: endAt - startAt }))
  }
  return runs
}

/** The answer. Failed prints count as cancelled, and whatever is not cancelled as succeeded (wire facts, section 1.5). */
export function statsView({ starts, periods, keyOf }: StatsPlan, days: readonly DayTotals[]): PrintStats {
  const sums = periods.map(() => ({ prints: 0, print_time: 0, filament_used: 0 }))
  const total = { prints: 0, cancelled: 0, print_time: 0, filament_used: 0, longest: 0 }
  let index = 0
  for (const day of days.toSorted((a, b) => a.day - b.day)) {
    while (day.day >= (periods[index + 1] ?? Number.POSITIVE_INFINITY)) index += 1
    const sum = sums[index]
    if (sum === undefined) continue
    for (const name of ['prints', 'print_time', 'filament_used'] as const) {
      sum[name] += day[name]
      total[name] += day[name]
    }
    total.cancelled += day.cancelled
    total.longest = Math.max(total.longest, day.longest)
  }
  const keys = periods.map((day) => keyOf(starts[day] ?? Number.NaN))
  const groups = (name: 'prints' | 'print_time' | 'filament_used') =>
    sums.map((sum, at) => ({ key: keys[at] ?? '', value: sum[name] }))
  return {
    print_count_groups: groups('prints'),
    print_time_groups: groups('print_time'),
    filament_used_groups: groups('filament_used'),
    total_print_count: total.prints,
    total_cancelled_print_count: total.cancelled,
    total_succeeded_print_count: total.prints - total.cancelled,
    total_print_time: total.print_time,
    longest_print_time: total.longest,
    average_print_time: total.prints === 0 ? 0 : total.print_time / total.prints,
    total_filament_used: total.filament_used,
  }
}
