import { expect, test } from 'vitest'
import { type Orientation, orientationOf, turnedSize, UPRIGHT, videoSize } from './orientation.js'

const settings = (...webcams: object[]): string => JSON.stringify({ webcams })

test.each([
  { name: 'no settings', text: '{}', to: UPRIGHT },
  { name: 'no JSON', text: 'x', to: UPRIGHT },
  {
    name: 'the first camera',
    text: settings({ rotation: 90, flipH: true }, {}),
    to: { rotation: 90, flipV: false, flipH: true },
  },
  {
    name: 'the primary camera',
    text: settings({ rotation: 90 }, { is_primary_camera: true, rotation: 270, flipV: true }),
    to: { rotation: 270, flipV: true, flipH: false },
  },
  { name: 'an angle that cannot be', text: settings({ rotation: 45, flipV: 'yes' }), to: UPRIGHT },
])('$name', ({ text, to }) => {
  expect(orientationOf(text)).toEqual(to)
})

test.each([
  { from: [640, 480], to: [640, 480] },
  { from: [641, 479], to: [642, 480] },
  { from: [1, 1], to: [16, 16] },
  { from: [3840, 2160], to: [1920, 1080] },
  { from: [3000, 4000], to: [1440, 1920] },
])('a picture of $from pixels makes a video of $to', ({ from, to }) => {
  const [width = 0, height = 0] = from
  expect(Object.values(videoSize({ width, height }))).toEqual(to)
})

test('a quarter turn exchanges the sides', () => {
  const turn = (rotation: Orientation['rotation']) => turnedSize({ width: 4, height: 2 }, { ...UPRIGHT, rotation })
  expect(turn(90)).toEqual({ width: 2, height: 4 })
  expect(turn(180)).toEqual({ width: 4, height: 2 })
})
