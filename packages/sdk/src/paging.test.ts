import { expect, test } from 'vitest'
import { allItems, nextOf } from './paging.js'

const PLACE = { by: 'start', count: 20, number: 1, isEmpty: false } as const

test.each([
  {
    name: 'the link says',
    headers: { link: '<https://h/p?sorting=date_desc&start=20&limit=20>; rel="next"' },
    next: { sorting: 'date_desc', start: '20', limit: '20' },
  },
  {
    name: 'the link to the next page is not the first',
    headers: { link: '<https://h/p?start=0>; rel="prev", <https://h/p?start=40>; rel="next"' },
    next: { start: '40' },
  },
  {
    name: 'a list in the query stays one',
    headers: { link: '</p?x[]=1&x[]=2>; rel=next' },
    next: { 'x[]': ['1', '2'] },
  },
  {
    name: 'only a page before',
    headers: { link: '<https://h/p?start=0>; rel="prev"', 'x-total-count': '99' },
    next: undefined,
  },
  { name: 'no link, but more to come', headers: { 'x-total-count': '21' }, next: { start: 20 } },
  { name: 'no link, and all is there', headers: { 'x-total-count': '20' }, next: undefined },
  { name: 'nothing is said', headers: {}, next: undefined },
])('$name', ({ headers, next }) => {
  expect(nextOf(new Headers(headers), PLACE)).toEqual(next)
})

test('pages are counted from 1', () => {
  expect(nextOf(new Headers({ 'x-total-count': '21' }), { ...PLACE, by: 'page' })).toEqual({ page: 2 })
})

test('an empty page is the last, whatever is said', () => {
  expect(
    nextOf(new Headers({ link: '<https://h/p?start=40>; rel="next"' }), { ...PLACE, isEmpty: true }),
  ).toBeUndefined()
})

/** A list in pages of two, into whose front something is put while it is read. */
function growingList() {
  const ids = [5, 4, 3, 2, 1]
  const asked: unknown[] = []
  const list: Parameters<typeof allItems>[0] = async (input, options) => {
    asked.push(input)
    const start = Number(input['start'] ?? 0)
    const headers = new Headers(start + 2 < ids.length ? { link: `</p?start=${start + 2}&limit=2>; rel="next"` } : {})
    options.onResponse?.({ status: 200, headers })
    const page = ids.slice(start, start + 2).map((id) => ({ id }))
    if (start === 0) ids.unshift(6)
    return page
  }
  return { list, asked }
}

test('what slides onto the next page is not given twice, and no page is asked for that nobody wants', async () => {
  const { list, asked } = growingList()
  const items = allItems(list, 'start', { filter: 'x' }, {})
  expect(asked).toEqual([])
  const given = []
  for await (const item of items) given.push(item)
  expect(given).toEqual([{ id: 5 }, { id: 4 }, { id: 3 }, { id: 2 }, { id: 1 }])
  expect(asked).toEqual([
    { filter: 'x' },
    { filter: 'x', start: '2', limit: '2' },
    { filter: 'x', start: '4', limit: '2' },
  ])

  const second = growingList()
  for await (const _first of allItems(second.list, 'start', {}, {})) break
  expect(second.asked).toHaveLength(1)
})
