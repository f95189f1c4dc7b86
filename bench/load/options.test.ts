import { expect, test } from 'vitest'
import { addressOf, NotLoopbackError, requireLoopback } from './loopback.js'
import { readRequest, UsageError } from './options.js'
import { summarize } from './report.js'

test('what is not said has its default', () => {
  expect(readRequest(['status'])).toEqual({
    names: ['status'],
    isHelp: false,
    options: {
      ...{ runs: 3, seconds: 5, agents: undefined, nodes: [1, 2, 4] },
      ...{ engine: 'embedded', json: false, cpuProf: undefined },
    },
  })
})

test.each(['--help', '-h'])('%s asks for the list', (option) => {
  expect(readRequest([option])).toMatchObject({ names: [], isHelp: true })
})

test('options are read', () => {
  const args = ['rest', 'start', '--runs', '1', '--nodes=1,3', '--engine', 'fleet', '--agents', '50', '--json']
  expect(readRequest(args)).toMatchObject({
    names: ['rest', 'start'],
    options: { runs: 1, nodes: [1, 3], engine: 'fleet', agents: 50, json: true },
  })
})

test.each([
  ['--runs', '0'],
  ['--runs', '21'],
  ['--seconds', '301'],
  ['--agents', '10001'],
  ['--agents', '1.5'],
  ['--agents', 'many'],
  ['--nodes', '1,9'],
  ['--nodes', ''],
  ['--engine', 'mysql'],
  ['--url', 'http://127.0.0.1:1'],
])('%s %s is refused', (option, value) => {
  expect(() => readRequest(['status', option, value])).toThrow(UsageError)
})

test.each(['http://127.0.0.1:3334', 'http://localhost:1', 'ws://[::1]:80', 'http://127.9.8.7'])(
  '%s is loaded',
  (url) => {
    expect(requireLoopback(url).href).toBe(new URL(url).href)
  },
)

test.each(['http://192.168.1.2', 'https://farm.example', 'http://127.0.0.1.example', 'http://0.0.0.0:3334'])(
  '%s is not loaded',
  (url) => {
    expect(() => requireLoopback(url)).toThrow(NotLoopbackError)
  },
)

test('no two clients share an address', () => {
  const addresses = new Set(Array.from({ length: 62_500 }, (_, index) => addressOf(index)))
  expect(addresses.size).toBe(62_500)
  expect([...addresses].filter((address) => address.split('.').some((part) => Number(part) > 254))).toEqual([])
})

test('runs become spreads, and ratios are of the same run', () => {
  const run = (ours: number, floor: number) => [{ key: 'a', label: 'A', ours, floor }]
  const [summary] = summarize([run(4, 2), run(9, 3), run(1, 1)])
  expect(summary).toMatchObject({
    ours: { min: 1, median: 4, max: 9 },
    floor: { min: 1, median: 2, max: 3 },
    ratio: { min: 1, median: 2, max: 3 },
  })
})
