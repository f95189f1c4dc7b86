import type { Temperature } from '@printwarden/sdk'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A length of time in its two largest units: "45 s", "12 min", "3 h 05 min", "2 d 4 h". */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < MINUTE) return `${whole} s`
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min`
  if (whole < DAY) return `${Math.floor(whole / HOUR)} h ${two(Math.floor((whole % HOUR) / MINUTE))} min`
  return `${Math.floor(whole / DAY)} d ${Math.floor((whole % DAY) / HOUR)} h`
}

/** How long ago something was: "just now", "12 s ago", "3 min ago", "2 h ago", "5 days ago". */
export function ago(tsSeconds: number, nowSeconds: number): string {
  const age = nowSeconds - tsSeconds
  if (age < 3) return 'just now'
  if (age < MINUTE) return `${Math.floor(age)} s ago`
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`
  const days = Math.floor(age / DAY)
  return days === 1 ? 'yesterday' : `${days} days ago`
}

/** An ISO timestamp in Unix seconds. */
export const secondsOf = (timestamp: string): number => Date.parse(timestamp) / 1000

const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric', month: 'short' })
const timeFormat = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' })
const timeWithSecondsFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

/** The full date and time, in the reader's language and time zone. */
export const exact = (tsSeconds: number): string => exactFormat.format(tsSeconds * 1000)

/** The day in short: "Tue, 3 Mar". */
export const day = (tsSeconds: number): string => dayFormat.format(tsSeconds * 1000)

/** The time of day: "14:02". */
export const timeOfDay = (tsSeconds: number): string => timeFormat.format(tsSeconds * 1000)

/** The time of day with seconds: "14:02:10". */
export const timeWithSeconds = (tsSeconds: number): string => timeWithSecondsFormat.format(tsSeconds * 1000)

/** The time of day, with the day when it is not today: "14:02", "Tue, 3 Mar, 14:02". */
export function moment(tsSeconds: number, nowSeconds: number): string {
  const isToday = day(tsSeconds) === day(nowSeconds) && Math.abs(nowSeconds - tsSeconds) < DAY
  return isToday ? timeOfDay(tsSeconds) : `${day(tsSeconds)}, ${timeOfDay(tsSeconds)}`
}

/** A text with the UTC times in it (`2026-03-01T14:02:10.123Z`) as the reader's own. */
export function withLocalTimes(text: string, nowSeconds: number): string {
  return text.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (time) => {
    const ts = secondsOf(time)
    return Number.isNaN(ts) ? time : moment(ts, nowSeconds)
  })
}

/** A percentage, 0–100, without decimals. It says 100 only when all is done. */
export function percent(value: number): string {
  const shown = value < 100 ? Math.min(99, Math.floor(value)) : 100
  return `${Math.max(0, shown)}%`
}

/** What a heater measures and aims at: "215 / 220 °C"; just what it measures when it is off. Undefined when it measures nothing. */
export function temperature(heater: Temperature | undefined): string | undefined {
  if (heater?.actual === null || heater?.actual === undefined) return undefined
  const actual = Math.round(heater.actual)
  return heater.target ? `${actual} / ${Math.round(heater.target)} °C` : `${actual} °C`
}

const two = (value: number): string => String(value).padStart(2, '0')
