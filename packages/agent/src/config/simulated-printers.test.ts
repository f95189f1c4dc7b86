import { expect, test } from 'vitest'
import { simulatedPrinters } from './simulated-printers.js'

const base = { tokens: ['a', 'b', 'c'], fail: true, duration: 300, interval: 2, pictures: true }
const hosts = (change: object) => simulatedPrinters({ ...base, ...change }).map(({ host }) => host)

test('one printer for each token, and only the first one fails', () => {
  const printers = simulatedPrinters(base)
  expect(printers.map(({ authToken }) => authToken)).toEqual(['a', 'b', 'c'])
  expect(printers.map(({ host }) => 'fail_at' in host)).toEqual([true, false, false])
  expect(printers.map(({ cameras }) => cameras[0]?.intervalMs)).toEqual([2000, 2000, 2000])
})

test('all look different, also from the failing one of another process', () => {
  const seeds = [...hosts({}), ...hosts({ fail: false })].map((host) => host.host === 'virtual' && host.seed)
  expect(new Set(seeds.slice(0, 3)).size).toBe(3)
  expect(seeds[0]).not.toBe(seeds[3])
})

test('for load they go without cameras', () => {
  expect(simulatedPrinters({ ...base, pictures: false }).flatMap(({ cameras }) => cameras)).toEqual([])
})
