// Days and clocks of time zones, by Intl alone. A day is a whole number, counted from 1 January 1970.

export const DAY_MS = 24 * 3_600_000

/** A time zone's clock. Instants are milliseconds. */
export interface ZoneClock {
  /** The day that it shows at an instant. */
  dayAt(instant: number): number
  /** The first instant of a day, which is not midnight where the clock is put forward then. */
  startOf(day: number): number
  /** ISO 8601 with the zone's offset, to the second. */
  iso(instant: number): string
}

/** The day of a date such as `2026-11-21`. */
export const dayOfDate = (date: string): number => Date.parse(`${date}T00:00:00Z`) / DAY_MS

export function zoneClock(timeZone: string): ZoneClock {
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...fields, second: 'numeric' })

  /** What the clock shows, as if it were UTC. */
  function shownAt(instant: number): number {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
    const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0
    return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  }

  const dayAt = (instant: number): number => Math.floor(shownAt(instant) / DAY_MS)

  return {
    dayAt,
    startOf(day) {
      // Clocks are at most 14 hours from UTC; to the second.
      let [low, high] = [day * 86_400 - 54_000, day * 86_400 + 54_000]
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2)
        if (dayAt(middle * 1000) < day) low = middle
        else high = middle
      }
      return high * 1000
    },
    iso(instant) {
      const shown = shownAt(instant)
      const minutes = Math.round((shown - Math.floor(instant / 1000) * 1000) / 60_000)
      const two = (value: number): string => String(value).padStart(2, '0')
      const size = Math.abs(minutes)
      const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
      return `${new Date(shown).toISOString().slice(0, 19)}${offset}`
    },
  }
}
