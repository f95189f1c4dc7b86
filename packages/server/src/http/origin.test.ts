import { expect, test } from 'vitest'
import { isOwnOrigin, originOf } from './origin.js'

test.each([
  { protocol: 'http', host: '192.168.1.20:3334', origin: 'http://192.168.1.20:3334' },
  { protocol: 'https', host: 'Farm.example', origin: 'https://farm.example' },
  { protocol: 'http', host: '[::1]:3334', origin: 'http://[::1]:3334' },
  { protocol: 'http', host: 'evil.example/x?', origin: 'http://localhost' },
  { protocol: 'http', host: 'a"b', origin: 'http://localhost' },
  { protocol: 'http', host: '', origin: 'http://localhost' },
])('$protocol $host → $origin', ({ protocol, host, origin }) => {
  expect(originOf({ protocol, host, headers: {} })).toBe(origin)
})

test.each([
  { name: 'our own page', headers: { origin: 'http://farm.example' }, own: true },
  { name: 'another host', headers: { origin: 'http://evil.example' }, own: false },
  { name: 'another port', headers: { origin: 'http://farm.example:81' }, own: false },
  { name: 'a subdomain', headers: { origin: 'http://x.farm.example' }, own: false },
  { name: 'no origin at all', headers: {}, own: true },
  { name: 'no origin, but the browser says cross-site', headers: { 'sec-fetch-site': 'cross-site' }, own: false },
  { name: 'no origin, same origin', headers: { 'sec-fetch-site': 'same-origin' }, own: true },
  { name: 'a sandboxed page', headers: { origin: 'null' }, own: false },
  { name: 'https in front of a proxy that is not trusted', headers: { origin: 'https://farm.example' }, own: true },
  { name: 'http at an https server', protocol: 'https', headers: { origin: 'http://farm.example' }, own: false },
  {
    name: 'the public address, whatever the proxy made of the host',
    headers: { origin: 'https://public.example' },
    own: true,
  },
])('$name: $own', ({ protocol = 'http', headers, own }) => {
  expect(isOwnOrigin({ protocol, host: 'farm.example', headers }, 'https://public.example')).toBe(own)
})
