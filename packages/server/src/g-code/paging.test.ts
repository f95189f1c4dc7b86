import { expect, test } from 'vitest'
import { offsetOf, pageHeaders, pageOf } from './paging.js'

const url = new URL('http://farm.example/api/v1/g_code_files/?q=a&page_size=10')
const link = (page: number, rel: string) =>
  `<http://farm.example/api/v1/g_code_files/?q=a&page_size=10&page=${page}>; rel="${rel}"`

test.each([
  { page: 1, total: 0, links: undefined },
  { page: 1, total: 10, links: undefined },
  { page: 1, total: 11, links: link(2, 'next') },
  { page: 2, total: 11, links: link(1, 'prev') },
  { page: 2, total: 25, links: `${link(3, 'next')}, ${link(1, 'prev')}` },
  { page: 9, total: 25, links: link(3, 'prev') },
  { page: 9, total: 0, links: link(1, 'prev') },
])('page $page of $total', ({ page, total, links }) => {
  const headers = pageHeaders(url, { page, page_size: 10 }, total)
  expect(headers).toEqual({ 'x-total-count': String(total), ...(links === undefined ? {} : { link: links }) })
})

test('without a query it is the first page of the usual size', () => {
  expect(pageOf({})).toEqual({ page: 1, page_size: 20 })
  expect(offsetOf({ page: 3, page_size: 20 })).toBe(40)
})
