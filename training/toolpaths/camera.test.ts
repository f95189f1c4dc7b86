import { describe, expect, test } from 'vitest'
import { makeCamera, type Pose } from './camera.js'

const pose: Pose = { at: { x: 0, y: -300, z: 0 }, towards: { x: 0, y: 0, z: 0 }, view: 90, barrel: 0, roll: 0 }

function seen(camera: ReturnType<typeof makeCamera>, x: number, y: number, z: number): number[] {
  const into = new Float64Array(3)
  expect(camera.project(x, y, z, into)).toBe(true)
  return [...into]
}

describe('a camera', () => {
  const camera = makeCamera(pose, 640, 480)

  test('sees what it looks at in the middle, at its distance', () => {
    expect(seen(camera, 0, 0, 0)).toEqual([320, 240, 300])
  })

  test('sees right on the right and high above', () => {
    const [column, row] = seen(camera, 100, 0, 50)
    // Half the picture is as wide as the distance at 90 degrees: 100 of 300 mm are 100 of 300 times 320 pixels.
    expect(column).toBeCloseTo(320 + 320 / 3, 6)
    expect(row).toBeCloseTo(240 - 320 / 6, 6)
  })

  test('does not see what is behind it', () => {
    expect(camera.project(0, -310, 0, new Float64Array(3))).toBe(false)
  })
})

test.each([
  { name: 'a plain lens', more: {} },
  { name: 'a wide lens', more: { barrel: 0.2, view: 110 } },
  { name: 'a camera that hangs upside down', more: { roll: 180 } },
  { name: 'a camera that looks straight down', more: { at: { x: 5, y: 5, z: 400 }, towards: { x: 5, y: 5, z: 0 } } },
])('through $name a pixel looks where its point is seen', ({ more }) => {
  const camera = makeCamera({ ...pose, at: { x: 120, y: -260, z: 190 }, ...more }, 640, 480)
  const ray = new Float64Array(3)
  for (const [column, row] of [
    [320, 240],
    [100, 400],
    [600, 30],
  ] as const) {
    camera.ray(column - 0.5, row - 0.5, ray)
    const [dx = 0, dy = 0, dz = 0] = ray
    const { x, y, z } = camera.at
    const [backColumn = 0, backRow = 0] = seen(camera, x + dx * 250, y + dy * 250, z + dz * 250)
    expect(Math.hypot(backColumn - column, backRow - row)).toBeLessThan(1.5)
  }
})

test('a wide lens draws the outside nearer to the middle', () => {
  const bent = makeCamera({ ...pose, barrel: 0.2 }, 640, 480)
  const [plain = 0] = seen(makeCamera(pose, 640, 480), 200, 0, 0)
  expect(seen(bent, 200, 0, 0)[0]).toBeLessThan(plain - 10)
})
