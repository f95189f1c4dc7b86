import { expect, test } from 'vitest'
import { changeSection } from './ini-edit.js'
import { LinkError } from './link-error.js'

const FILE = `# my printers
[server]
url: http://old:3334   # in the cellar

[printer mk3]  # the left one
auth_token = aaaa
host: octoprint
; a note
url: http://127.0.0.1:5000

[camera mk3 bed]
snapshot_url: http://127.0.0.1/webcam/?action=snapshot
`

test.each([
  {
    name: 'a value is replaced, its comment stays',
    text: FILE,
    change: { section: 'server', set: { url: 'http://new:3334' } },
    result: FILE.replace('http://old:3334   #', 'http://new:3334   #'),
  },
  {
    name: 'the way an entry is written stays',
    text: FILE,
    change: { section: 'printer mk3', set: { auth_token: 'bbbb' } },
    result: FILE.replace('aaaa', 'bbbb'),
  },
  {
    name: 'what is new comes behind the last entry, before the next section',
    text: FILE,
    change: { section: 'printer mk3', set: { api_key: 'k' } },
    result: FILE.replace('url: http://127.0.0.1:5000\n', 'url: http://127.0.0.1:5000\napi_key: k\n'),
  },
  {
    name: 'what is no longer wanted goes, whatever stands beside it stays',
    text: FILE,
    change: { section: 'printer mk3', set: { auth_token_file: 'x' }, unset: ['auth_token'] },
    result: FILE.replace('auth_token = aaaa\n', '').replace(':5000\n', ':5000\nauth_token_file: x\n'),
  },
  {
    name: 'a new section comes at the end, after an empty line',
    text: FILE,
    change: { section: 'printer mini', set: { host: 'virtual' } },
    result: `${FILE}\n[printer mini]\nhost: virtual\n`,
  },
  {
    name: 'a last line without an end gets one',
    text: '[server]\nurl: http://a',
    change: { section: 'printer x', set: { host: 'virtual' } },
    result: '[server]\nurl: http://a\n\n[printer x]\nhost: virtual\n',
  },
  {
    name: 'an empty file begins with the section',
    text: '',
    change: { section: 'server', set: { url: 'http://a' } },
    result: '[server]\nurl: http://a\n',
  },
  {
    name: 'the line ends of other systems stay',
    text: '[server]\r\nurl: http://a\r\n',
    change: { section: 'server', set: { url: 'http://b' } },
    result: '[server]\r\nurl: http://b\r\n',
  },
  {
    name: 'an empty section is filled',
    text: '[server]\n',
    change: { section: 'server', set: { url: 'http://b' } },
    result: '[server]\nurl: http://b\n',
  },
  {
    name: 'a # inside a value is no comment',
    text: '[server]\nurl: http://a/#x\n',
    change: { section: 'server', set: { url: 'http://b' } },
    result: '[server]\nurl: http://b\n',
  },
])('$name', ({ text, change, result }) => {
  expect(changeSection(text, change)).toBe(result)
})

test.each([
  'x\n[camera mk3 bed]\nsnapshot_url: http://other',
  'x\rurl: http://other',
  'abc #def',
  '"quoted"',
  ' x',
  'x ',
])('a value that would be read as something else is refused: %j', (api_key) => {
  expect(() => changeSection(FILE, { section: 'printer mk3', set: { api_key } })).toThrow(LinkError)
})
