import { expect, test } from 'vitest'
import { PRIMARY, readGauge, withCamera } from './gauge.js'

const NOW = 1_795_000_000_000

test('the gauge is that of the worst camera', () => {
  const one = withCamera(readGauge(undefined), PRIMARY, 0.2, NOW)
  const two = withCamera(one, 7, 0.6, NOW + 1000)
  expect(two.normalized_p).toBe(0.6)
  expect(withCamera(two, 7, 0.1, NOW + 2000).normalized_p).toBe(0.2)
})

test('a camera that is no longer looked at does not hold the gauge up', () => {
  const two = withCamera(withCamera(readGauge(undefined), PRIMARY, 0.2, NOW), 7, 0.6, NOW)
  expect(withCamera(two, 7, null, NOW + 1000).normalized_p).toBe(0.2)
})

test('a camera that fell silent long ago does not hold the gauge up', () => {
  const two = withCamera(withCamera(readGauge(undefined), PRIMARY, 0.2, NOW), 7, 0.6, NOW)
  expect(withCamera(two, PRIMARY, 0.1, NOW + 11 * 60_000).normalized_p).toBe(0.1)
})

test('what cannot be read counts as nothing seen', () => {
  expect(readGauge({ normalized_p: 'high' })).toEqual({ normalized_p: 0, cameras: {} })
})
