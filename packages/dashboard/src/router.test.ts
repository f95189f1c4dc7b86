import { expect, test } from 'vitest'
import { printsPath, routeOf } from './router.js'

test.each([
  ['/', '', { page: 'printers' }],
  ['/printers/', '', { page: 'printers' }],
  ['/printers/3', '', { page: 'printer', id: 3 }],
  ['/printers/3/', '', { page: 'printer', id: 3 }],
  ['/printers/03', '', { page: 'missing' }],
  ['/printers/3/detection', '', { page: 'detection', id: 3 }],
  ['/printers/3/detection/4', '', { page: 'missing' }],
  ['/printers/new', '', { page: 'add', code: undefined, passcode: undefined, printerId: undefined }],
  ['/printers/new', '?code=012345&printer_id=7', { page: 'add', code: '012345', passcode: undefined, printerId: 7 }],
  [
    '/printers/new',
    '?one_time_passcode=AB3de',
    { page: 'add', code: undefined, passcode: 'ab3de', printerId: undefined },
  ],
  [
    '/printers/new',
    '?one_time_passcode=ab3<b',
    { page: 'add', code: undefined, passcode: undefined, printerId: undefined },
  ],
  [
    '/printers/new',
    '?code=<b>&printer_id=-1',
    { page: 'add', code: undefined, passcode: undefined, printerId: undefined },
  ],
  ['/prints', '', { page: 'prints', number: 1, filter: undefined }],
  ['/prints', '?page=4&filter=failed', { page: 'prints', number: 4, filter: 'failed' }],
  ['/prints', '?page=-1&filter=nonsense', { page: 'prints', number: 1, filter: undefined }],
  ['/prints/12', '', { page: 'print', id: 12 }],
  ['/prints/12/video', '', { page: 'missing' }],
  ['/assistant/', '', { page: 'assistant', id: undefined }],
  ['/assistant/12/', '', { page: 'assistant', id: 12 }],
  ['/assistant/api/', '', { page: 'missing' }],
  ['/assistant/api/me/', '', { page: 'missing' }],
  ['/settings', '', { page: 'missing' }],
])('%s%s', (path, search, route) => {
  expect(routeOf(path, search)).toEqual(route)
})

test.each([
  [1, undefined, '/prints'],
  [3, undefined, '/prints?page=3'],
  [2, 'failed', '/prints?filter=failed&page=2'],
] as const)('page %d of %s is at %s', (number, filter, path) => {
  expect(printsPath(number, filter)).toBe(path)
})
