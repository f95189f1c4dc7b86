import { expect, test } from 'vitest'
import { candidatesOf, mayFetch, maySendToken, originAt } from './address-rules.js'

const origin = (base: string, ...addresses: string[]) => originAt(new URL(base), addresses)
const outside = origin('https://old.example', '93.184.216.34')
const inside = origin('http://nas.local', '10.0.0.5')
const both = origin('https://home.example', '93.184.216.34', '10.0.0.5')

test.each([
  { host: 'old.example', address: '93.184.216.34', from: outside, may: true },
  { host: 'old.example', address: '93.184.216.99', from: outside, may: true },
  { host: 'old.example', address: '10.0.0.5', from: outside, may: false },
  { host: 'old.example', address: '127.0.0.1', from: outside, may: false },
  { host: 'cdn.example', address: '93.184.216.34', from: outside, may: true },
  { host: 'cdn.example', address: '10.0.0.5', from: outside, may: false },
  { host: '169.254.169.254', address: '169.254.169.254', from: outside, may: false },
  { host: 'localhost', address: '::1', from: outside, may: false },
  { host: 'nas.local', address: '10.0.0.5', from: inside, may: true },
  { host: 'nas.local', address: '93.184.216.34', from: inside, may: false },
  { host: 'camera.local', address: '10.0.0.9', from: inside, may: true },
  { host: 'home.example', address: '10.0.0.5', from: both, may: true },
  { host: 'home.example', address: '10.0.0.9', from: both, may: false },
  { host: 'other.example', address: '10.0.0.9', from: both, may: false },
  { host: '[::1]', address: '::1', from: origin('http://[::1]:3334', '::1'), may: true },
])('$host at $address, from $from.base.href: $may', ({ host, address, from, may }) => {
  expect(mayFetch(host, address, from)).toBe(may)
})

test.each([
  { url: 'https://old.example/media/a?digest=1', urls: ['https://old.example/media/a?digest=1'] },
  { url: '/media/a', urls: ['https://old.example/media/a'] },
  {
    url: 'http://localhost:3334/media/a?d=1',
    urls: ['http://localhost:3334/media/a?d=1', 'https://old.example/media/a?d=1'],
  },
  { url: 'https://cdn.example/x.mp4', urls: ['https://cdn.example/x.mp4'] },
  { url: 'file:///etc/passwd', urls: [] },
  { url: 'http://[', urls: [] },
])('$url is looked for at $urls', ({ url, urls }) => {
  expect(candidatesOf(url, outside).map(String)).toEqual(urls)
})

test.each([
  { base: 'https://old.example', url: 'https://old.example/api/', may: true },
  { base: 'https://old.example', url: 'http://old.example/api/', may: false },
  { base: 'http://old.example', url: 'https://old.example/api/', may: true },
  { base: 'http://old.example', url: 'http://old.example:81/api/', may: false },
  { base: 'https://old.example', url: 'https://evil.example/api/', may: false },
])('the token of $base goes to $url: $may', ({ base, url, may }) => {
  expect(maySendToken(new URL(url), origin(base))).toBe(may)
})
