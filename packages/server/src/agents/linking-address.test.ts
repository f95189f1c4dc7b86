import { expect, test } from 'vitest'
import { homeAt, homeOf } from './linking-address.js'

test.each([
  { host: '192.168.1.20', network: '192.168.1.0/24', address: '192.168.1.20' },
  { host: ' 10.1.2.3 ', network: '10.1.2.0/24', address: '10.1.2.3' },
  { host: '172.16.0.1', network: '172.16.0.0/24', address: '172.16.0.1' },
  { host: '172.31.255.255', network: '172.31.255.0/24', address: '172.31.255.255' },
  { host: '169.254.7.7', network: '169.254.7.0/24', address: '169.254.7.7' },
  { host: '::ffff:192.168.1.20', network: '192.168.1.0/24', address: '192.168.1.20' },
  { host: 'FD12:3456::1', network: 'fd12:3456:0:0::/64', address: 'fd12:3456::1' },
  { host: 'fe80::1%eth0', network: 'fe80:0:0:0::/64', address: 'fe80::1' },
])('$host is in the private network $network', ({ host, network, address }) => {
  expect(homeAt(host)).toEqual({ network, address })
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
  // Carriers' networks are shared by strangers, and this machine may speak for anybody.
  ...['100.64.0.1', '127.0.0.1', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', 'fd12:::1'],
])('%s is in none', (host) => {
  expect(homeAt(host)).toBeUndefined()
})

const HOME = { network: '192.168.1.0/24', address: '192.168.1.20' }

test.each([
  { name: 'a plain request', sender: { ip: '192.168.1.20', headers: {} }, home: HOME },
  {
    name: 'a plain request to a socket of both families',
    sender: { ip: '::ffff:192.168.1.20', headers: {} },
    home: HOME,
  },
  { name: 'a request over the internet', sender: { ip: '203.0.113.7', headers: {} }, home: undefined },
  { name: 'a request of this machine', sender: { ip: '127.0.0.1', headers: {} }, home: undefined },
  {
    name: 'a trusted proxy: the address that it tells',
    sender: { ip: '192.168.1.20', ips: ['10.0.0.1', '192.168.1.20'], headers: { 'x-forwarded-for': '192.168.1.20' } },
    home: HOME,
  },
  {
    name: 'a proxy while none is trusted: nobody knows',
    sender: { ip: '10.0.0.1', headers: { 'x-forwarded-for': '192.168.1.20' } },
    home: undefined,
  },
  {
    name: 'a proxy that is not among those trusted: nobody knows',
    sender: { ip: '10.0.0.1', ips: ['10.0.0.1'], headers: { 'x-forwarded-for': '192.168.1.20' } },
    home: undefined,
  },
  {
    name: 'the same by the standard header',
    sender: { ip: '10.0.0.1', headers: { forwarded: 'for=192.168.1.20' } },
    home: undefined,
  },
])('$name', ({ sender, home }) => {
  expect(homeOf(sender)).toEqual(home)
})
