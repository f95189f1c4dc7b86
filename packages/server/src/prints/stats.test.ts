import { PrintStats } from '@printwarden/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PrinterRow } from '../printers/store.js'
import { addPrint } from '../printers/testing.js'
import { startTestServer, type TestServer } from '../testing.js'
import { excessOf, planOf, runsOf, type StatsQuery } from './stats.js'

const query = (changes: Partial<StatsQuery>): StatsQuery => ({
  timezone: 'UTC',
  from_date: '2026-01-01',
  to_date: '2026-12-31',
  group_by: 'day',
  ...changes,
})

const keysOf = (asked: StatsQuery): string[] => {
  const { starts, periods, keyOf } = planOf(asked)
  return periods.map((day) => keyOf(starts[day] ?? Number.NaN))
}

test.each([
  {
    name: 'days, one of them with 23 hours',
    asked: query({ timezone: 'Europe/Berlin', from_date: '2026-03-28', to_date: '2026-03-30' }),
    keys: ['2026-03-28T00:00:00+01:00', '2026-03-29T00:00:00+01:00', '2026-03-30T00:00:00+02:00'],
  },
  {
    name: 'weeks begin on Sunday, the first one where it was asked to',
    asked: query({ group_by: 'week', from_date: '2026-11-18', to_date: '2026-11-29' }),
    keys: ['2026-11-18T00:00:00+00:00', '2026-11-22T00:00:00+00:00', '2026-11-29T00:00:00+00:00'],
  },
  {
    name: 'months',
    asked: query({ group_by: 'month', from_date: '2026-11-18', to_date: '2027-01-01', timezone: 'America/New_York' }),
    keys: ['2026-11-18T00:00:00-05:00', '2026-12-01T00:00:00-05:00', '2027-01-01T00:00:00-05:00'],
  },
  {
    name: 'years',
    asked: query({ group_by: 'year', from_date: '2025-06-01', to_date: '2026-12-31' }),
    keys: ['2025-06-01T00:00:00+00:00', '2026-01-01T00:00:00+00:00'],
  },
  {
    name: 'a day that begins at one o’clock',
    asked: query({ timezone: 'America/Sao_Paulo', from_date: '2018-11-04', to_date: '2018-11-04' }),
    keys: ['2018-11-04T01:00:00-02:00'],
  },
  {
    name: 'a day that the country left out is not there',
    asked: query({ timezone: 'Pacific/Apia', from_date: '2011-12-29', to_date: '2011-12-31' }),
    keys: ['2011-12-29T00:00:00-10:00', '2011-12-31T00:00:00+14:00'],
  },
])('$name', ({ asked, keys }) => {
  expect(keysOf(asked)).toEqual(keys)
})

test('a year is a few runs of days: only the days of a changed clock stand alone', () => {
  const runs = runsOf(planOf(query({ timezone: 'Europe/Berlin' })))
  expect(runs.map(({ dayMs }) => dayMs / 3_600_000)).toEqual([24, 23, 24, 25, 24])
  expect(runs.map(({ first }) => first)).toEqual([0, 87, 88, 297, 298])
})

test('asking for too much', () => {
  expect(excessOf(query({}))).toBeUndefined()
  expect(excessOf(query({ from_date: '2000-01-01' }))).toMatchObject({ path: 'group_by' })
  expect(excessOf(query({ from_date: '2000-01-01', group_by: 'week' }))).toBeUndefined()
  expect(excessOf(query({ from_date: '1900-01-01', group_by: 'year' }))).toMatchObject({ path: 'to_date' })
})

let server: TestServer
let printer: PrinterRow

const STATS = '/api/v1/prints/stats/'
const DECEMBER = 'timezone=Europe/Berlin&from_date=2026-12-01&to_date=2026-12-31'

beforeAll(async () => {
  server = await startTestServer()
  printer = (await server.addPrinter(server.owner.id)).printer
  const at = (time: string): number => Date.parse(`2026-${time}:00+01:00`)
  const add = (started: string, changes: object) =>
    addPrint(server.database.db, printer, { state: 'finished', started_at: at(started), ...changes })
  await add('11-30T23:59', { finished_at: 1, print_time: 9, filament_used: 9 })
  await add('12-01T00:00', { finished_at: 1, print_time: 100, filament_used: 5 })
  await add('12-05T12:00', { cancelled_at: 1, failed_at: 1, print_time: 300 })
  await add('12-31T23:59', { state: 'running' })
})

afterAll(async () => {
  await server.close()
})

test('statistics of a month', async () => {
  const { status, json } = await server.call('GET', `${STATS}?${DECEMBER}&group_by=month`)
  expect(status).toBe(200)
  const key = '2026-12-01T00:00:00+01:00'
  expect(json).toEqual({
    print_count_groups: [{ key, value: 3 }],
    print_time_groups: [{ key, value: 400 }],
    filament_used_groups: [{ key, value: 5 }],
    total_print_count: 3,
    total_cancelled_print_count: 1,
    total_succeeded_print_count: 2,
    total_print_time: 400,
    longest_print_time: 300,
    average_print_time: 400 / 3,
    total_filament_used: 5,
  })
})

test('by day and by filter', async () => {
  const { json } = await server.call('GET', `${STATS}?${DECEMBER}&group_by=day&filter=failed`)
  const stats = PrintStats.parse(json)
  expect(stats.print_count_groups).toHaveLength(31)
  const busy = stats.print_count_groups.filter(({ value }) => value > 0)
  expect(busy).toEqual([{ key: '2026-12-05T00:00:00+01:00', value: 1 }])
  const none = await server.call('GET', `${STATS}?${DECEMBER}&group_by=year&filter_by_printer_ids[]=999`)
  expect(none.json).toMatchObject({ total_print_count: 0, average_print_time: 0, longest_print_time: 0 })
  const theirs = await server.call('GET', `${STATS}?${DECEMBER}&group_by=year`, { token: server.other.token })
  expect(theirs.json).toMatchObject({ total_print_count: 0 })
})

test.each(['timezone', 'from_date', 'to_date', 'group_by'])('without %s one is told what is missing', async (name) => {
  const asked = new URLSearchParams(`${DECEMBER}&group_by=day`)
  asked.delete(name)
  const { status, json } = await server.call('GET', `${STATS}?${asked.toString()}`)
  expect([status, json]).toMatchObject([400, { code: 'invalid_request', issues: [{ path: name }] }])
})

test.each([
  { rest: 'timezone=Europe/Atlantis', path: 'timezone' },
  { rest: 'timezone=%2B01:00', path: 'timezone' },
  { rest: 'from_date=2026-02-30', path: 'from_date' },
  { rest: 'from_date=1.12.2026', path: 'from_date' },
  { rest: 'from_date=0001-01-01', path: 'from_date' },
  { rest: 'from_date=2027-01-01', path: 'to_date' },
  { rest: 'group_by=hour', path: 'group_by' },
  { rest: 'from_date=2000-01-01', path: 'group_by' },
  { rest: 'filter=x', path: 'filter' },
  { rest: 'filter_by_printer_ids[]=x', path: 'filter_by_printer_ids[].0' },
])('?$rest is refused', async ({ rest, path }) => {
  const asked = new URLSearchParams(`${DECEMBER}&group_by=day`)
  for (const [name, value] of new URLSearchParams(rest)) asked.set(name, value)
  const { status, json } = await server.call('GET', `${STATS}?${asked.toString()}`)
  expect([status, json]).toMatchObject([400, { code: 'invalid_request', issues: [{ path }] }])
})

test('scopes', async () => {
  const path = `${STATS}?${DECEMBER}&group_by=day`
  expect((await server.call('GET', path, { token: null })).status).toBe(401)
  expect((await server.call('GET', path, { token: await server.addToken(server.owner.id, 'write') })).status).toBe(403)
})
