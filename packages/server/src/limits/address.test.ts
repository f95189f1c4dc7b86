import { expect, test } from 'vitest'
import { addressGroup } from './address.js'

test.each([
  { ip: '192.0.2.7', group: '192.0.2.7' },
  { ip: '::ffff:192.0.2.7', group: '192.0.2.7' },
  { ip: '2001:db8:1:2:3:4:5:6', group: '2001:db8:1:2::/64' },
  { ip: '2001:DB8:0001::9', group: '2001:db8:1:0::/64' },
  { ip: '::1', group: '0:0:0:0::/64' },
  { ip: 'fe80::1%eth0', group: 'fe80:0:0:0::/64' },
])('$ip counts as $group', ({ ip, group }) => {
  expect(addressGroup(ip)).toBe(group)
})
