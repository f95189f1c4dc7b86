import { expect, test } from 'vitest'
import { listHeaders } from './links.js'

const url = new URL('http://127.0.0.1:3334/api/v1/prints/?sorting=date_asc&filter=finished&start=9')

/** The relations of a Link header, each with its start and limit. */
function pages(link: string | undefined): Record<string, string> {
  const links = [...(link ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)]
  return Object.fromEntries(
    links.map(([, target = '', rel = '']) => {
      const { searchParams } = new URL(target)
      return [rel, `${searchParams.get('start')}+${searchParams.get('limit')}`]
    }),
  )
}

test.each([
  { name: 'everything on one page', part: { start: 0, limit: 10, total: 10 }, links: {} },
  { name: 'nothing at all', part: { start: 0, limit: 10, total: 0 }, links: {} },
  { name: 'the first page', part: { start: 0, limit: 10, total: 11 }, links: { next: '10+10' } },
  { name: 'a page in the middle', part: { start: 10, limit: 10, total: 30 }, links: { next: '20+10', prev: '0+10' } },
  { name: 'the page before is cut at the beginning', part: { start: 4, limit: 10, total: 9 }, links: { prev: '0+4' } },
  {
    name: 'far beyond the end, back to the last page',
    part: { start: 900, limit: 10, total: 25 },
    links: { prev: '15+10' },
  },
  { name: 'no limit, no pages', part: { start: 5, limit: 0, total: 25 }, links: {} },
])('$name', ({ part, links }) => {
  const headers = listHeaders(url, part)
  expect(headers['x-total-count']).toBe(String(part.total))
  expect(pages(headers['link'])).toEqual(links)
})

test('links keep the rest of the query', () => {
  const { link } = listHeaders(url, { start: 0, limit: 5, total: 6 })
  expect(link).toBe(
    '<http://127.0.0.1:3334/api/v1/prints/?sorting=date_asc&filter=finished&start=5&limit=5>; rel="next"',
  )
})
