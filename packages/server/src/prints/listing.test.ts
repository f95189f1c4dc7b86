import { expect, test } from 'vitest'
import { pageOf, type PrintQuery, selectionOf } from './listing.js'

test.each<{ name: string; query: PrintQuery; page: object }>([
  { name: 'without sorting: newest first, the first 500', query: {}, page: { order: 'desc', start: 0, limit: 500 } },
  { name: 'oldest first', query: { sorting: 'date_asc' }, page: { order: 'asc', start: 0, limit: 500 } },
  {
    name: 'a page',
    query: { sorting: 'date_desc', start: 20, limit: 10 },
    page: { order: 'desc', start: 20, limit: 10 },
  },
  {
    name: 'a limit of nothing',
    query: { sorting: 'date_desc', limit: 0 },
    page: { order: 'desc', start: 0, limit: 0 },
  },
])('$name', ({ query, page }) => {
  expect(pageOf(query)).toEqual(page)
})

const EVERYTHING = { filters: [], printerIds: undefined, startedFrom: undefined, startedBefore: undefined }

test.each<{ name: string; query: PrintQuery; selection: object }>([
  { name: 'everything', query: {}, selection: EVERYTHING },
  { name: 'printers', query: { 'filter_by_printer_ids[]': [3, 4] }, selection: { ...EVERYTHING, printerIds: [3, 4] } },
  {
    name: 'a filter and a need',
    query: { filter: 'failed', feedback_needed: 'need_alert_overwrite' },
    selection: { ...EVERYTHING, filters: ['failed', 'need_alert_overwrite'] },
  },
  {
    name: 'the same need twice',
    query: { filter: 'need_alert_overwrite', feedback_needed: 'need_alert_overwrite' },
    selection: { ...EVERYTHING, filters: ['need_alert_overwrite'] },
  },
  {
    name: 'a day of the time zone, with both its ends',
    query: { from_date: '2026-10-25', to_date: '2026-10-25', timezone: 'Europe/Berlin' },
    selection: {
      ...EVERYTHING,
      startedFrom: Date.parse('2026-10-24T22:00:00Z'),
      startedBefore: Date.parse('2026-10-25T23:00:00Z'),
    },
  },
  {
    name: 'from a day in UTC on',
    query: { from_date: '2026-10-25' },
    selection: { ...EVERYTHING, startedFrom: Date.parse('2026-10-25T00:00:00Z') },
  },
])('the selection: $name', ({ query, selection }) => {
  expect(selectionOf(query)).toEqual(selection)
})
