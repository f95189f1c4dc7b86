import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import type { Tables } from '../tables.js'
import type { PrintSelection } from './listing.js'
import { isSelected } from './listing-store.js'
import type { DayRun, DayTotals } from './stats.js'

/**
 * Adds up the selected prints by day, in one pass: for each run of equally long days the prints that started in it are read from
 * the index `prints_user_started`, which holds every column that is needed, and the day follows from the start by a division. So
 * the cost is that of the prints in the range and not of the days, the engine needs no time zones, and no print is looked at twice.
 */
export function dayTotalsQuery(db: Kysely<Tables>, userId: number, selection: PrintSelection, runs: readonly DayRun[]) {
  // The columns of a VALUES list are called column1, column2 … by both engines. PostgreSQL takes the types from the first row.
  const rows = runs.map(({ first, startAt, endAt, dayMs }) => {
    const [a, b, c, d] = [first, startAt, endAt, dayMs].map((value) => sql`cast(${value} as bigint)`)
    return sql`(${a}, ${b}, ${c}, ${d})`
  })
  const list = sql<{ column1: number; column2: number; column3: number; column4: number }>`(values ${sql.join(rows)})`
  const day = sql<number | string>`runs.column1 + (prints.started_at - runs.column2) / runs.column4`
  return (
    db
      .selectFrom(list.as('runs'))
      // A cross join keeps this order in SQLite: the runs first, then the prints of each.
      .crossJoin('prints')
      .whereRef('prints.started_at', '>=', 'runs.column2')
      .whereRef('prints.started_at', '<', 'runs.column3')
      // The runs take the place of the dates.
      .where((eb) => {
        const undated = { ...selection, startedFrom: undefined, startedBefore: undefined }
        return isSelected(eb, userId, undated)
      })
      .select((eb) => [
        day.as('day'),
        eb.fn.countAll<number | string>().as('prints'),
        eb.fn.count<number | string>('prints.cancelled_at').as('cancelled'),
        eb.fn.sum<number | null>('prints.print_time').as('print_time'),
        eb.fn.max<number | null>('prints.print_time').as('longest'),
        eb.fn.sum<number | null>('prints.filament_used').as('filament_used'),
      ])
      .groupBy(sql`1`)
  )
}

/** The days on which prints of the selection started. */
export async function listDayTotals(
  db: Kysely<Tables>,
  userId: number,
  selection: PrintSelection,
  runs: readonly DayRun[],
): Promise<DayTotals[]> {
  if (runs.length === 0) return []
  const rows = await dayTotalsQuery(db, userId, selection, runs).execute()
  return rows.map((row) => ({
    day: Number(row.day),
    prints: Number(row.prints),
    cancelled: Number(row.cancelled),
    print_time: row.print_time ?? 0,
    longest: row.longest ?? 0,
    filament_used: row.filament_used ?? 0,
  }))
}
