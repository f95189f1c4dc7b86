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

test('the selection is the filter and the printers', () => {
  expect(selectionOf({ filter: 'failed', 'filter_by_printer_ids[]': [3, 4] })).toEqual({
    filter: 'failed',
    printerIds: [3, 4],
  })
  expect(selectionOf({})).toEqual({ filter: undefined, printerIds: undefined })
})
