import { expect, test } from 'vitest'
import { isPrivateAddress, networkOf } from './linking-address.js'

test.each([
  ...['192.168.1.20', '10.0.0.1', '172.16.0.1', '172.31.255.255', '127.0.0.1', '169.254.7.7', ' 10.1.2.3 '],
  ...['::1', 'fd12:3456::1', 'fe80::1%eth0', 'FE80::1'],
])('%s is private', (host) => {
  expect(isPrivateAddress(host)).toBe(true)
})

test.each([
  ...[
    '',
    '8.8.8.8',
    '172.32.0.1',
    '172.15.0.1',
    '192.169.1.1',
    '10.0.0',
    '10.0.0.256',
    '10.evil.example',
    '010.0.0.1x',
  ],
  ...['printer.local', 'localhost', '2001:db8::1', '::', 'fd.example', '10.0.0.1@evil.example', '10.0.0.1/evil'],
])('%s is not', (host) => {
  expect(isPrivateAddress(host)).toBe(false)
})

test.each([
  { name: 'a plain request', sender: { ip: '203.0.113.7', headers: {} }, network: '203.0.113.7' },
  {
    name: 'an IPv6 customer, by the first half of the address',
    sender: { ip: '2001:db8:1:2:3:4:5:6', headers: {} },
    network: '2001:db8:1:2::/64',
  },
  {
    name: 'a trusted proxy: the address that it tells',
    sender: { ip: '203.0.113.7', ips: ['10.0.0.1', '203.0.113.7'], headers: { 'x-forwarded-for': '203.0.113.7' } },
    network: '203.0.113.7',
  },
  {
    name: 'a proxy while none is trusted: nobody knows',
    sender: { ip: '10.0.0.1', headers: { 'x-forwarded-for': '203.0.113.7' } },
    network: undefined,
  },
  {
    name: 'a proxy that is not among those trusted: nobody knows',
    sender: { ip: '10.0.0.1', ips: ['10.0.0.1'], headers: { 'x-forwarded-for': '203.0.113.7' } },
    network: undefined,
  },
  {
    name: 'the same by the standard header',
    sender: { ip: '10.0.0.1', headers: { forwarded: 'for=203.0.113.7' } },
    network: undefined,
  },
])('$name', ({ sender, network }) => {
  expect(networkOf(sender)).toBe(network)
})
