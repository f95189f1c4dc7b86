import { expect, test } from 'vitest'
import { pathToLog } from './logged-path.js'

test.each([
  { path: '/ws/token/web/0123abc/', logged: '/ws/token/web/[redacted]/' },
  { path: '/ws/token/janus/0123abc', logged: '/ws/token/janus/[redacted]' },
  { path: '/ws/share_token/web/0123abc/', logged: '/ws/share_token/web/[redacted]/' },
  { path: '/ws/token/anything/0123abc/more', logged: '/ws/token/anything/[redacted]/more' },
  { path: '/ws/web/7/', logged: '/ws/web/7/' },
  { path: '/api/v1/printers/7/', logged: '/api/v1/printers/7/' },
])('$path is logged as $logged', ({ path, logged }) => {
  expect(pathToLog(path)).toBe(logged)
})
