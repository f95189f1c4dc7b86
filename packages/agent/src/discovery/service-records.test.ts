import { expect, test } from 'vitest'
import { servicesOf, urlOfService, type ServiceRecord } from './service-records.js'

const OCTOPRINT = '_octoprint._tcp'
const INSTANCE = 'OctoPrint on pi._octoprint._tcp.local'
const pointer: ServiceRecord = { type: 'PTR', name: '_octoprint._tcp.local', data: INSTANCE }
const place: ServiceRecord = { type: 'SRV', name: INSTANCE, data: { target: 'pi.local', port: 80 } }
const address: ServiceRecord = { type: 'A', name: 'pi.local', data: '192.168.1.7' }
const text: ServiceRecord = { type: 'TXT', name: INSTANCE, data: [Buffer.from('path=/octo/'), Buffer.from('flag')] }

test('a service is put together from its records, in any order', () => {
  const [found] = servicesOf([OCTOPRINT], [text, address, place, pointer])
  expect(found).toEqual({
    type: OCTOPRINT,
    name: 'OctoPrint on pi',
    address: '192.168.1.7',
    port: 80,
    text: { path: '/octo/', flag: '' },
  })
  expect(found && urlOfService(found)).toBe('http://192.168.1.7/octo')
})

test.each([
  { name: 'no place', records: [pointer, address] },
  { name: 'no address', records: [pointer, place] },
  { name: 'nobody asked for its type', records: [{ ...pointer, name: '_http._tcp.local' }, place, address] },
  { name: 'a name outside the type', records: [{ ...pointer, data: 'evil.local' }, place, address] },
  {
    name: 'a port that is none',
    records: [pointer, { ...place, data: { target: 'pi.local', port: 70_000 } }, address],
  },
  { name: 'records of another shape', records: [{ ...pointer, data: 5 }, { ...place, data: null }, address] },
])('half a description counts for nothing: $name', ({ records }) => {
  expect(servicesOf([OCTOPRINT], records)).toEqual([])
})

test('an address of the network is preferred to one of the machine itself, and IPv4 to IPv6', () => {
  const loopback: ServiceRecord = { type: 'A', name: 'pi.local', data: '127.0.0.1' }
  const v6: ServiceRecord = { type: 'AAAA', name: 'PI.local', data: 'fd00::7' }
  expect(servicesOf([OCTOPRINT], [pointer, place, loopback, v6, address])[0]?.address).toBe('192.168.1.7')
  expect(servicesOf([OCTOPRINT], [pointer, place, v6])[0]?.address).toBe('[fd00::7]')
})

test.each([
  [{ port: 3334, text: {} }, 'http://a:3334'],
  [{ port: 443, text: {} }, 'https://a'],
  [{ port: 3334, text: { scheme: 'https' } }, 'https://a:3334'],
  [{ port: 80, text: { path: '/x?y' } }, 'http://a'],
])('%j is at %s', (part, url) => {
  expect(urlOfService({ type: '_x._tcp', name: 'x', address: 'a', ...part })).toBe(url)
})
