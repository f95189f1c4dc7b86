import { expect, test } from 'vitest'
import { ApiError } from './errors.js'
import { type FakeStatsQuery, statsOf } from './fake-stats.js'
import { createFakeServer } from './testing.js'

const query = (changes: Partial<FakeStatsQuery>): FakeStatsQuery => ({
  timezone: 'UTC',
  from_date: '2026-01-01',
  to_date: '2026-12-31',
  group_by: 'day',
  ...changes,
})

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
    name: 'a day whose midnight comes twice begins with the second one',
    asked: query({ timezone: 'America/Sao_Paulo', from_date: '2018-02-18', to_date: '2018-02-18' }),
    keys: ['2018-02-18T00:00:00-03:00'],
  },
  {
    name: 'a day that the country left out is not there',
    asked: query({ timezone: 'Pacific/Apia', from_date: '2011-12-29', to_date: '2011-12-31' }),
    keys: ['2011-12-29T00:00:00-10:00', '2011-12-31T00:00:00+14:00'],
  },
])('$name', ({ asked, keys }) => {
  expect(statsOf(asked, []).print_count_groups.map(({ key }) => key)).toEqual(keys)
})

const DECEMBER = { timezone: 'Europe/Berlin', from_date: '2026-12-01', to_date: '2026-12-31' } as const

function december() {
  const server = createFakeServer()
  const { id: printerId } = server.addPrinter()
  const at = (time: string) => ({ printerId, started_at: new Date(`2026-${time}:00+01:00`).toISOString() })
  server.addPrint({ ...at('11-30T23:59'), print_time: 9, filament_used: 9 })
  server.addPrint({ ...at('12-01T00:00'), print_time: 100, filament_used: 5 })
  server.addPrint({ ...at('12-05T12:00'), how: 'failed', print_time: 300 })
  server.addPrint(at('12-31T23:59'))
  return server
}

test('statistics of a month', async () => {
  const key = '2026-12-01T00:00:00+01:00'
  expect(
    await december()
      .client()
      .getPrintStats({ ...DECEMBER, group_by: 'month' }),
  ).toEqual({
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

test('statistics by day and by filter, and of nobody else', async () => {
  const server = december()
  const client = server.client()
  const { print_count_groups } = await client.getPrintStats({ ...DECEMBER, group_by: 'day', filter: 'failed' })
  expect(print_count_groups).toHaveLength(31)
  const busy = print_count_groups.filter(({ value }) => value > 0)
  expect(busy).toEqual([{ key: '2026-12-05T00:00:00+01:00', value: 1 }])
  const none = await client.getPrintStats({ ...DECEMBER, group_by: 'year', 'filter_by_printer_ids[]': [999] })
  expect(none).toMatchObject({ total_print_count: 0, average_print_time: 0, longest_print_time: 0 })
  const other = server.client({ userId: server.addUser() })
  expect(await other.getPrintStats({ ...DECEMBER, group_by: 'year' })).toMatchObject({ total_print_count: 0 })
})

test.each([
  { changes: { from_date: '2000-01-01' }, path: 'group_by' },
  { changes: { from_date: '1900-01-01', group_by: 'year' as const }, path: 'to_date' },
  { changes: { timezone: 'Europe/Atlantis' }, path: 'timezone' },
])('asking for too much, or for nonsense: $path', async ({ changes, path }) => {
  const asked = { ...DECEMBER, group_by: 'day' as const, ...changes }
  const error = await december()
    .client()
    .getPrintStats(asked)
    .catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({ status: 400, issues: [{ path }] })
})
