import { expect, test } from 'vitest'
import { ago, duration, moment, percent, temperature, withLocalTimes } from './format.js'

test.each([
  [0, '0 s'],
  [-5, '0 s'],
  [59.4, '59 s'],
  [60, '1 min'],
  [3599, '59 min'],
  [3600, '1 h 00 min'],
  [11_100, '3 h 05 min'],
  [86_400, '1 d 0 h'],
  [187_200, '2 d 4 h'],
])('%d seconds is "%s"', (seconds, text) => {
  expect(duration(seconds)).toBe(text)
})

test.each([
  [-30, 'just now'],
  [2.9, 'just now'],
  [3, '3 s ago'],
  [59.9, '59 s ago'],
  [60, '1 min ago'],
  [7199, '1 h ago'],
  [86_399, '23 h ago'],
  [100_000, 'yesterday'],
  [432_000, '5 days ago'],
])('%d seconds past is "%s"', (age, text) => {
  expect(ago(1000, 1000 + age)).toBe(text)
})

test.each([
  [0, '0%'],
  [41.9, '41%'],
  [99.99, '99%'],
  [100, '100%'],
  [-3, '0%'],
])('%d percent is "%s"', (value, text) => {
  expect(percent(value)).toBe(text)
})

test.each([
  { heater: { actual: 214.6, target: 220 }, text: '215 / 220 °C' },
  { heater: { actual: 24.2, target: 0 }, text: '24 °C' },
  { heater: { actual: 30, target: null }, text: '30 °C' },
  { heater: { actual: null, target: 60 }, text: undefined },
  { heater: undefined, text: undefined },
])('$heater is "$text"', ({ heater, text }) => {
  expect(temperature(heater)).toBe(text)
})

test('times in a text are told as the reader knows them', () => {
  const ts = Date.parse('2026-03-01T14:02:10.500Z') / 1000
  expect(withLocalTimes('Left, 2026-03-01T14:02:10.500Z', ts + 60)).toBe(`Left, ${moment(ts, ts + 60)}`)
  expect(withLocalTimes('cube-2026-03-01.gcode, 2026-99-99T99:99:99Z', ts)).toBe(
    'cube-2026-03-01.gcode, 2026-99-99T99:99:99Z',
  )
})
