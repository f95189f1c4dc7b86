import { expect, test } from 'vitest'
import { DEFAULT_LIMITS, limitText, parseLimits } from './settings.js'

test.each([
  { text: '', limits: {} },
  { text: 'user_requests=50/100', limits: { user_requests: { perSecond: 50, burst: 100 } } },
  {
    text: ' address_sockets = 7 , agent_sockets_opened=0.5/3,',
    limits: { address_sockets: 7, agent_sockets_opened: { perSecond: 0.5, burst: 3 } },
  },
])('"$text" is read', ({ text, limits }) => {
  expect(parseLimits(text)).toEqual({ limits, problems: [] })
})

test.each([
  { text: 'requests=1/2', problem: '"requests=1/2" names no limit; docs/limits.md lists them' },
  { text: 'constructor=1', problem: '"constructor=1" names no limit; docs/limits.md lists them' },
  { text: 'address_sockets=0', problem: 'address_sockets must be a whole number from 1' },
  { text: 'address_sockets=1/2', problem: 'address_sockets must be a whole number from 1' },
  {
    text: 'user_requests=5',
    problem: 'user_requests must be two numbers above 0, as 50/1000: per second, and at once',
  },
  {
    text: 'user_requests=0/5',
    problem: 'user_requests must be two numbers above 0, as 50/1000: per second, and at once',
  },
])('"$text" is refused', ({ text, problem }) => {
  expect(parseLimits(`user_sockets=3,${text}`)).toEqual({ problems: [problem] })
})

test('each default can be written as it is read', () => {
  const all = Object.entries(DEFAULT_LIMITS).map(([name, value]) => `${name}=${limitText(value)}`)
  expect(parseLimits(all.join(','))).toEqual({ limits: DEFAULT_LIMITS, problems: [] })
})
