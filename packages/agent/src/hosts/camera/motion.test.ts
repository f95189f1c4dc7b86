import { expect, test } from 'vitest'
import { compareSamples, SAMPLE_HEIGHT, SAMPLE_WIDTH } from './motion.js'

type Pixel = (x: number, y: number) => number

function sample(pixel: Pixel): Uint8Array {
  const values = Array.from({ length: SAMPLE_WIDTH * SAMPLE_HEIGHT }, (_, index) =>
    pixel(index % SAMPLE_WIDTH, Math.floor(index / SAMPLE_WIDTH)),
  )
  return Uint8Array.from(values.map((value) => Math.min(255, Math.max(0, Math.round(value)))))
}

/** A room with a bright bed in front of a darker wall, with some contrast in both. */
const room: Pixel = (x, y) => (y > 20 ? 140 : 60) + 20 * Math.sin(x / 5) + 10 * Math.cos(y / 3)

/** The room with a dark thing of `size` at a place. */
const thing =
  (left: number, top: number, size: number): Pixel =>
  (x, y) =>
    x >= left && x < left + size && y >= top && y < top + size ? 10 : room(x, y)

/** Grain that is another one each time, up to `most` either way. */
const grain = (pixel: Pixel, most: number, seed: number): Pixel => {
  let state = seed
  return (x, y) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return pixel(x, y) + ((state / 2_147_483_648) * 2 - 1) * most
  }
}

test.each<{ name: string; before: Pixel; after: Pixel; sight: string }>([
  { name: 'nothing happens', before: room, after: room, sight: 'still' },
  { name: 'the grain of a cheap sensor', before: grain(room, 5, 1), after: grain(room, 5, 2), sight: 'still' },
  { name: 'a head that moves', before: thing(20, 10, 6), after: thing(30, 10, 6), sight: 'moving' },
  { name: 'a head that moves a little', before: thing(20, 10, 6), after: thing(22, 10, 6), sight: 'moving' },
  { name: 'a head that comes into the picture', before: room, after: thing(30, 10, 5), sight: 'moving' },
  { name: 'a lamp brighter by a half', before: room, after: (x, y) => room(x, y) * 1.5, sight: 'still' },
  { name: 'a lamp that is dimmed', before: room, after: (x, y) => room(x, y) * 0.4, sight: 'still' },
  { name: 'a second lamp', before: room, after: (x, y) => room(x, y) + 40, sight: 'still' },
  { name: 'a lamp that is turned off', before: room, after: () => 4, sight: 'unclear' },
  { name: 'a lamp that is turned on', before: () => 4, after: room, sight: 'unclear' },
  {
    name: 'the sun, with grain',
    before: grain(room, 4, 3),
    after: grain((x, y) => room(x, y) * 1.1 + 6, 4, 4),
    sight: 'still',
  },
  {
    name: 'a head that moves while a lamp is dimmed',
    before: thing(20, 10, 7),
    after: (x, y) => thing(40, 10, 7)(x, y) * 0.7,
    sight: 'moving',
  },
  { name: 'a lamp so bright that the bed is white', before: room, after: (x, y) => room(x, y) * 2.2, sight: 'still' },
  {
    name: 'the digits of a clock in the corner',
    before: room,
    after: (x, y) => (x > 60 && y > 34 ? 200 : room(x, y)),
    sight: 'still',
  },
  {
    name: 'a camera that was turned round',
    before: room,
    after: (x, y) => (((x >> 2) + (y >> 2)) % 2 ? 220 : 20),
    sight: 'unclear',
  },
])('$name: $sight', ({ before, after, sight }) => {
  expect(compareSamples(sample(before), sample(after))).toBe(sight)
})

test('pictures that cannot be compared say nothing', () => {
  expect(compareSamples(new Uint8Array(0), new Uint8Array(0))).toBe('unclear')
  expect(compareSamples(new Uint8Array(4), new Uint8Array(9))).toBe('unclear')
})
