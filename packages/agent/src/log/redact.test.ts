import { expect, test } from 'vitest'
import { makeRedact } from './redact.js'

const redact = makeRedact(['0123456789abcdef', 'KEY-5', ''])

test.each([
  { name: 'a token anywhere', line: '{"a":"x0123456789abcdefy"}', clean: '{"a":"x[redacted]y"}' },
  { name: 'every one of several', line: 'KEY-5 and KEY-5', clean: '[redacted] and [redacted]' },
  { name: 'user and password of a URL', line: 'at http://me:pw@cam:80/x?y', clean: 'at http://[redacted]@cam:80/x?y' },
  { name: 'an address without them stays', line: 'http://cam/a@b', clean: 'http://cam/a@b' },
  { name: 'other text stays', line: 'nothing here', clean: 'nothing here' },
])('$name', ({ line, clean }) => {
  expect(redact(line)).toBe(clean)
})
