import { expect, test } from 'vitest'
import { DAY_MS, dayOf, dayStarts, localIso, startOfDay } from './time-zone.js'

const iso = (instant: number): string => new Date(instant).toISOString()

test.each([
  { name: 'UTC', zone: 'UTC', date: '2026-11-21', start: '2026-11-21T00:00:00.000Z' },
  { name: 'east of it', zone: 'Asia/Kolkata', date: '2026-11-21', start: '2026-11-20T18:30:00.000Z' },
  { name: 'west of it', zone: 'America/New_York', date: '2026-11-21', start: '2026-11-21T05:00:00.000Z' },
  { name: 'summer time', zone: 'Europe/Berlin', date: '2026-07-01', start: '2026-06-30T22:00:00.000Z' },
  {
    name: 'as far east as there is',
    zone: 'Pacific/Kiritimati',
    date: '2026-01-01',
    start: '2025-12-31T10:00:00.000Z',
  },
  { name: 'as far west as there is', zone: 'Etc/GMT+12', date: '2026-01-01', start: '2026-01-01T12:00:00.000Z' },
  {
    name: 'a midnight that is skipped: the day begins at one o’clock',
    zone: 'America/Sao_Paulo',
    date: '2018-11-04',
    start: '2018-11-04T03:00:00.000Z',
  },
  {
    name: 'a midnight that comes twice: the first one',
    zone: 'America/Havana',
    date: '2026-11-01',
    start: '2026-11-01T04:00:00.000Z',
  },
  {
    name: 'a day that was left out begins where the next one does',
    zone: 'Pacific/Apia',
    date: '2011-12-30',
    start: '2011-12-30T10:00:00.000Z',
  },
  { name: 'an offset with seconds', zone: 'Africa/Monrovia', date: '1970-01-01', start: '1970-01-01T00:44:30.000Z' },
])('$name: $date in $zone', ({ zone, date, start }) => {
  expect(iso(startOfDay(zone, dayOf(date)))).toBe(start)
})

test.each([
  { zone: 'Europe/Berlin', date: '2026-03-29', hours: 23 },
  { zone: 'Europe/Berlin', date: '2026-10-25', hours: 25 },
  { zone: 'Europe/Berlin', date: '2026-10-26', hours: 24 },
  { zone: 'Australia/Lord_Howe', date: '2026-04-05', hours: 24.5 },
  { zone: 'Pacific/Apia', date: '2011-12-30', hours: 0 },
])('$date in $zone has $hours hours', ({ zone, date, hours }) => {
  const [start = 0, end = 0] = dayStarts(zone, dayOf(date), dayOf(date) + 1)
  expect((end - start) / 3_600_000).toBe(hours)
})

test.each([
  'Europe/Berlin',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Gaza',
  'America/Goose_Bay',
])('the days of 20 years in %s agree with its calendar', (zone) => {
  const first = dayOf('2006-01-01')
  const starts = dayStarts(zone, first, dayOf('2026-12-31'))
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' })
  for (const [index, start] of starts.entries()) {
    const name = iso((first + index) * DAY_MS).slice(0, 10)
    expect(date.format(start)).toBe(name)
    expect(date.format(start - 1) < name).toBe(true)
  }
})

test('an instant with its offset', () => {
  const instant = Date.parse('2026-11-21T23:30:05.500Z')
  expect(localIso('UTC')(instant)).toBe('2026-11-21T23:30:05+00:00')
  expect(localIso('Asia/Kolkata')(instant)).toBe('2026-11-22T05:00:05+05:30')
  expect(localIso('America/St_Johns')(instant)).toBe('2026-11-21T20:00:05-03:30')
})
