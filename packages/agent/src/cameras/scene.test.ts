import sharp from 'sharp'
import { expect, test } from 'vitest'
import { PART_FAMILIES } from './scene-parts.js'
import { makeSetting } from './scene-setting.js'
import { renderScene, type SceneInput } from './scene.js'

function input(changes: Partial<SceneInput> = {}): SceneInput {
  return { seed: 7, progress: 0.6, failure: 0, frame: 3, printing: true, ...changes }
}

const SEEDS = Array.from({ length: 40 }, (_, i) => i + 1)

function seedOf(family: string): number {
  const seed = SEEDS.find((one) => makeSetting(one).part.family === family)
  if (seed === undefined) throw new Error(`no seed up to ${SEEDS.length} makes a ${family}`)
  return seed
}

test('the same input gives the same picture', () => {
  const changes = { failure: 0.4, caption: '12:30' }
  expect(renderScene(input(changes))).toEqual(renderScene(input(changes)))
})

test.each([
  { name: 'another seed', changes: { seed: 8 } },
  { name: 'another frame', changes: { frame: 4 } },
  { name: 'more progress', changes: { progress: 0.7 } },
  { name: 'a caption', changes: { caption: '12:30' } },
  { name: 'a cold nozzle', changes: { nozzleTemp: 22 } },
  { name: 'a parked head', changes: { printing: false } },
])('$name changes the picture', ({ changes }) => {
  expect(renderScene(input(changes)).svg).not.toBe(renderScene(input()).svg)
})

test('a part that failed stays as it was while the print goes on', () => {
  const wallsOf = (changes: Partial<SceneInput>): number => {
    const failing = renderScene(input({ seed: seedOf('vase'), failure: 0.2, ...changes })).svg
    return failing.match(/stroke-width="\.7"/g)?.length ?? 0
  }
  expect(wallsOf({ progress: 0.9, failedAt: 0.4 })).toBe(wallsOf({ progress: 0.4 }))
  expect(wallsOf({ progress: 0.9 })).toBeGreaterThan(wallsOf({ progress: 0.4 }))
})

test('there is no failure box without a failure', () => {
  for (const seed of SEEDS) expect(renderScene(input({ seed })).failureBox).toBeNull()
})

test.each([
  { width: 640, height: 480 },
  { width: 320, height: 240 },
  { width: 1280, height: 720 },
])('the failure box lies within a picture of $width x $height and grows', ({ width, height }) => {
  for (const seed of SEEDS) {
    let area = 0
    for (const failure of [0.01, 0.15, 0.4, 0.7, 1]) {
      const box = renderScene(input({ seed, failure, width, height })).failureBox
      if (!box) throw new Error(`no box for seed ${seed}`)
      expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0)
      expect(box.x + box.width).toBeLessThanOrEqual(width)
      expect(box.y + box.height).toBeLessThanOrEqual(height)
      expect(box.width * box.height).toBeGreaterThan(0)
      expect(box.width * box.height).toBeGreaterThanOrEqual(area)
      area = box.width * box.height
    }
    expect(area).toBeGreaterThan(width * height * 0.01)
  }
})

test('the failure box scales with the picture', () => {
  const small = renderScene(input({ failure: 0.5, width: 320, height: 240 })).failureBox
  const large = renderScene(input({ failure: 0.5 })).failureBox
  expect(large?.width).toBeCloseTo((small?.width ?? 0) * 2)
  expect(large?.y).toBeCloseTo((small?.y ?? 0) * 2)
})

test('out-of-range progress and failure are taken as their bounds', () => {
  expect(renderScene(input({ progress: 1.4 })).svg).toBe(renderScene(input({ progress: 1 })).svg)
  expect(renderScene(input({ failure: -1 })).failureBox).toBeNull()
  expect(renderScene(input({ failure: 3 })).svg).toBe(renderScene(input({ failure: 1 })).svg)
})

test.each(
  PART_FAMILIES.flatMap((family) => [
    { family, width: 640, height: 480 },
    { family, width: 320, height: 180 },
  ]),
)('a $family is a picture of $width x $height', async ({ family, width, height }) => {
  const seed = seedOf(family)
  for (const progress of [0, 0.5, 1]) {
    const { svg } = renderScene(input({ seed, progress, failure: progress === 0.5 ? 0.6 : 0, width, height }))
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
    const { data, info } = await sharp(Buffer.from(svg)).jpeg({ quality: 80 }).toBuffer({ resolveWithObject: true })
    expect([info.width, info.height]).toEqual([width, height])
    const { entropy } = await sharp(data).stats()
    expect(entropy).toBeGreaterThan(4)
  }
})
