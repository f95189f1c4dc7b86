import { expect, test } from 'vitest'
import { parseIni } from './ini.js'

test.each([
  { name: 'a colon', text: '[a]\nkey: value', entries: { key: 'value' } },
  { name: 'an equals sign', text: '[a]\nkey = value', entries: { key: 'value' } },
  {
    name: 'a URL keeps its colons and equals signs',
    text: '[a]\nurl: http://h:80/?a=b',
    entries: { url: 'http://h:80/?a=b' },
  },
  { name: 'the first separator decides', text: '[a]\nurl = http://h', entries: { url: 'http://h' } },
  { name: 'a fragment is no comment', text: '[a]\nurl: http://h/#top', entries: { url: 'http://h/#top' } },
  { name: 'a comment after a space', text: '[a]\nkey: v   # why', entries: { key: 'v' } },
  { name: 'semicolon comments', text: '; top\n[a] ; of a\nkey: v ; why', entries: { key: 'v' } },
  { name: 'an empty value', text: '[a]\nkey:', entries: { key: '' } },
  { name: 'quotes are taken off', text: '[a]\nkey: " v "', entries: { key: ' v ' } },
  { name: 'Windows line ends and a byte order mark', text: '\uFEFF[a]\r\nKey: v\r\n', entries: { key: 'v' } },
  { name: 'indented lines', text: '[a]\n   key: v', entries: { key: 'v' } },
])('$name', ({ text, entries }) => {
  const file = parseIni(text)
  expect(file.problems).toEqual([])
  expect(Object.fromEntries(file.sections[0]?.entries.map(({ key, value }) => [key, value]) ?? [])).toEqual(entries)
})

test('sections keep their names and lines', () => {
  const { sections } = parseIni('[server]\nurl: x\n\n[ camera  mk3 bed ]\nprimary: true')
  expect(sections.map(({ name, line }) => ({ name, line }))).toEqual([
    { name: 'server', line: 1 },
    { name: 'camera mk3 bed', line: 4 },
  ])
  expect(sections[1]?.entries[0]?.line).toBe(5)
})

test.each([
  { name: 'a line that is nothing', text: '[a]\nwhat is this', line: 2, says: 'neither' },
  { name: 'a key before any section', text: 'key: v', line: 1, says: 'before the first' },
  { name: 'a key twice', text: '[a]\nk: 1\nk: 2', line: 3, says: 'already set at line 2' },
  { name: 'a section twice', text: '[a]\n[b]\n[a]', line: 3, says: 'already at line 1' },
  { name: 'an unclosed section', text: '[a\nk: 1', line: 1, says: 'not a section' },
  { name: 'an empty section name', text: '[ ]', line: 1, says: 'not a section' },
])('$name is a problem with its line', ({ text, line, says }) => {
  const { problems } = parseIni(text)
  expect(problems).toHaveLength(1)
  expect(problems[0]?.line).toBe(line)
  expect(problems[0]?.message).toContain(says)
})

test('every problem is found, not only the first', () => {
  expect(parseIni('x\n[a]\ny\n[b').problems.map(({ line }) => line)).toEqual([1, 3, 4])
})
