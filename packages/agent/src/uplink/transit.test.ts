import { expect, test } from 'vitest'
import { Transit } from './transit.js'

const MINUTE = 60_000

test.each<{ name: string; messages: [sent: number, arrived: number][]; late: number[] }>([
  { name: 'the first message is taken for punctual', messages: [[5, 900_000]], late: [0] },
  {
    name: 'a steady network',
    messages: [
      [0, 100],
      [1000, 1100],
      [2000, 2110],
    ],
    late: [0, 0, 10],
  },
  {
    name: 'a message that was held up for a minute',
    messages: [
      [0, 100],
      [1000, 1100 + MINUTE],
    ],
    late: [0, MINUTE],
  },
  {
    name: 'a slow beginning is forgotten with the first fast one',
    messages: [
      [0, 5000],
      [1000, 1100],
      [2000, 3100],
    ],
    late: [0, 0, 1000],
  },
  {
    name: 'clocks that part slowly are not taken for delays',
    messages: Array.from({ length: 10 }, (_, index) => [index * 5 * MINUTE, index * 5 * MINUTE + 100 + index * 30]),
    late: [0, 30, 30, 30, 30, 30, 30, 30, 30, 30],
  },
])('$name', ({ messages, late }) => {
  const transit = new Transit()
  expect(messages.map(([sent, arrived]) => transit.arrived(sent, arrived))).toEqual(late)
})

test('another connection knows nothing of the one before', () => {
  const transit = new Transit()
  transit.arrived(0, 100)
  transit.reset()
  expect(transit.arrived(0, 90_000)).toBe(0)
})
