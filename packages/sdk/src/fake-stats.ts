import type { PrintStats } from '@printwarden/protocol'
import type { Handlers } from './fake-handlers.js'
import { callerOf } from './fake-handlers.js'
import { isWanted } from './fake-print-filter.js'
import { invalid } from './fake-refusal.js'
import type { FakePrintRecord, FakeState } from './fake-state.js'
import { DAY_MS, dayOfDate, zoneClock } from './fake-time.js'

const MAX_YEARS = 100
const MAX_PERIODS = 4000

/** What statistics are asked for. Dates are `YYYY-MM-DD`, both inclusive. */
export interface FakeStatsQuery {
  readonly timezone: string
  readonly from_date: string
  readonly to_date: string
  readonly group_by: 'day' | 'week' | 'month' | 'year'
}

/** The first days of the periods: the first one where it was asked to, then Sundays, firsts of a month or of January. */
function periodsOf({ from_date, to_date, group_by }: FakeStatsQuery): number[] {
  const last = dayOfDate(to_date)
  const periods: number[] = []
  for (let day = dayOfDate(from_date); day <= last; day = nextPeriod(day, group_by)) periods.push(day)
  return periods
}

function nextPeriod(day: number, group: FakeStatsQuery['group_by']): number {
  const date = new Date(day * DAY_MS)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  switch (group) {
    case 'day':
      return day + 1
    case 'week':
      return day + 7 - date.getUTCDay()
    case 'month':
      return Date.UTC(year, month + 1) / DAY_MS
    case 'year':
      return Date.UTC(year + 1, 0) / DAY_MS
  }
}

/** Statistics of these prints. Failed prints count as cancelled, running ones as succeeded; what is not known counts as 0. */
export function statsOf(query: FakeStatsQuery, prints: readonly FakePrintRecord[]): PrintStats {
  const clock = zoneClock(query.timezone)
  const days = periodsOf(query)
  const end = dayOfDate(query.to_date) + 1
  const starts = [...days, end].map((day) => clock.startOf(day))
  // A period of a single day that the country left out has no time in which anything could be printed.
  const periods = days
    .map((day, index) => ({ from: starts[index] ?? 0, to: starts[index + 1] ?? 0, day }))
    .filter(({ from, to }) => to > from)
    .map((period) => ({ ...period, key: clock.iso(period.from), count: 0, time: 0, filament: 0 }))
  let [cancelled, longest] = [0, 0]
  for (const { summary } of prints) {
    const at = Date.parse(summary.started_at ?? '')
    const period = periods.find(({ from, to }) => at >= from && at < to)
    if (period === undefined) continue
    period.count += 1
    period.time += summary.print_time ?? 0
    period.filament += summary.filament_used ?? 0
    longest = Math.max(longest, summary.print_time ?? 0)
    if (summary.cancelled_at !== null || summary.failed_at !== null) cancelled += 1
  }
  const groups = (name: 'count' | 'time' | 'filament') => periods.map((one) => ({ key: one.key, value: one[name] }))
  const total = (name: 'count' | 'time' | 'filament') => periods.reduce((sum, one) => sum + one[name], 0)
  return {
    print_count_groups: groups('count'),
    print_time_groups: groups('time'),
    filament_used_groups: groups('filament'),
    total_print_count: total('count'),
    total_cancelled_print_count: cancelled,
    total_succeeded_print_count: total('count') - cancelled,
    total_print_time: total('time'),
    longest_print_time: longest,
    average_print_time: total('count') === 0 ? 0 : total('time') / total('count'),
    total_filament_used: total('filament'),
  }
}

function checkAmount(query: FakeStatsQuery): void {
  if (dayOfDate(query.to_date) - dayOfDate(query.from_date) > MAX_YEARS * 366) {
    throw invalid('to_date', `must be at most ${MAX_YEARS} years after "from_date"`)
  }
  if (periodsOf(query).length > MAX_PERIODS) {
    throw invalid('group_by', `would give more than ${MAX_PERIODS} periods`)
  }
}

/** The statistics of prints. */
export function statsHandlers(state: FakeState): Handlers {
  return {
    getPrintStats(call) {
      checkAmount(call.query)
      const own = [...state.prints.values()].filter(({ userId }) => userId === callerOf(call).id)
      return statsOf(
        call.query,
        own.filter((print) => isWanted(state, print, call.query)),
      )
    },
  }
}
