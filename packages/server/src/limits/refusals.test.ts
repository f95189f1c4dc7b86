import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { keptLog } from '../testing.js'
import { openRefusals } from './refusals.js'

test('each refusal is counted, and the first of each client is in the log', async () => {
  const [log, metrics] = [keptLog(), new Registry()]
  let now = 0
  const refusals = openRefusals({ log, clock: { now: () => now }, metrics })
  for (let count = 0; count < 100; count += 1) refusals.note('user_requests', 'user 7')
  refusals.note('user_requests', 'user 8')
  refusals.note('address_sockets', 'user 7')
  expect(log.lines.map(({ fields }) => fields)).toEqual([
    { limit: 'user_requests', who: 'user 7' },
    { limit: 'user_requests', who: 'user 8' },
    { limit: 'address_sockets', who: 'user 7' },
  ])
  expect(await metrics.metrics()).toContain('printwarden_limited_total{limit="user_requests"} 101')
  now = 10 * 60_000
  refusals.note('user_requests', 'user 7')
  expect(log.lines).toHaveLength(4)
})
