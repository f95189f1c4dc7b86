import { expect, test } from 'vitest'
import { isFresh, versionHeaders, versionOf } from './freshness.js'

const AT = Date.UTC(2026, 10, 21, 9, 1, 44, 86)
const version = versionOf(12, AT)
const date = 'Sat, 21 Nov 2026 09:01:44 GMT'

test('the headers name the version and the second', () => {
  expect(versionHeaders(version)).toMatchObject({ etag: version.etag, 'last-modified': date })
})

test('an empty list has a version but no date', () => {
  expect(Object.keys(versionHeaders(versionOf(0, null)))).toEqual(['etag', 'cache-control'])
})

test.each([
  { name: 'nothing asked', headers: {}, fresh: false },
  { name: 'the same tag', headers: { 'if-none-match': version.etag }, fresh: true },
  { name: 'a weak one', headers: { 'if-none-match': `W/${version.etag}` }, fresh: true },
  { name: 'one of several', headers: { 'if-none-match': `"x", ${version.etag}` }, fresh: true },
  { name: 'any', headers: { 'if-none-match': '*' }, fresh: true },
  { name: 'another tag', headers: { 'if-none-match': versionOf(11, AT).etag }, fresh: false },
  { name: 'the tag decides', headers: { 'if-none-match': '"x"', 'if-modified-since': date }, fresh: false },
  { name: 'the same second', headers: { 'if-modified-since': date }, fresh: true },
  { name: 'the second before', headers: { 'if-modified-since': 'Sat, 21 Nov 2026 09:01:43 GMT' }, fresh: false },
  { name: 'no date', headers: { 'if-modified-since': 'yesterday' }, fresh: false },
])('$name', ({ headers, fresh }) => {
  expect(isFresh(version, headers)).toBe(fresh)
})
