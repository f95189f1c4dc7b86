import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Detector } from '../detection/detector.js'
import type { Crop, Polygon } from '../detection/cameras/look-options.js'
import { openOnnxDetector } from './detector-onnx.js'
import { blank } from './detector-onnx-blank.js'
import { colourModel } from './detector-onnx-fixture.js'
import { pixelsOf, THUMB_SIDE, tilesOf } from './detector-onnx-views.js'

// A model that answers with the means of red, green and blue tells what of a picture reached it.

const log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} }
const LEFT: Polygon = [
  [0, 0],
  [0.51, 0],
  [0.51, 1],
  [0, 1],
]

let folder = ''
let detector: Detector
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'printwarden-look-'))
  await writeFile(join(folder, 'colours.onnx'), colourModel(32))
  detector = openOnnxDetector(join(folder, 'colours.onnx'), log)
  await vi.waitFor(() => expect(detector.ready()).toBe(true), { timeout: 15_000, interval: 20 })
})
afterAll(async () => {
  await detector.close()
  await rm(folder, { recursive: true, force: true })
})

/** Left half red, right half blue, but for a green square in the lower right corner. */
function halves(): Promise<Buffer> {
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200"><rect width="200" height="200" fill="#f00"/>
       <rect x="200" width="200" height="200" fill="#00f"/><rect x="300" y="100" width="100" height="100" fill="#0f0"/></svg>`,
    ),
  )
    .png()
    .toBuffer()
}

test('of a crop only the crop is seen, and boxes come in pixels of the whole picture', async () => {
  const crop: Crop = { x: 0.5, y: 0, width: 0.5, height: 1 }
  const { detections, score } = await detector.detect(await halves(), { crop })
  expect(score).toBeCloseTo(0.75, 1)
  const places = detections.map(([, , [x, y]]) => [Math.round(x), Math.round(y)])
  // Blue is at (0.8, 0.75) of the crop, green at (0.5, 0.45); there is no red in it.
  expect(places).toEqual([
    [360, 150],
    [300, 90],
  ])
})

test('tiles see what is small, and must be surer than the whole', async () => {
  const green = await detector.detect(await halves(), {})
  const tiled = await detector.detect(await halves(), { tiles: true })
  expect(tiled.untiledScore).toBeCloseTo(green.score, 1)
  // The lower left tile is 5/6 red: 0.83 less one and a half logits, where the whole picture is half red.
  expect(tiled.score).toBeGreaterThan(green.score + 0.015)
  expect(tiled.score).toBeLessThan(0.56)
  expect(green.untiledScore).toBeUndefined()
})

test('an ignored region is blanked, and boxes with their centre in it are left out and counted', async () => {
  const { detections, score, leftOut } = await detector.detect(await halves(), { ignore: [LEFT] })
  // The place of red (0.2, 0.15) and that of green (0.5, 0.45) lie in it; the hidden red is not seen at all.
  expect(leftOut).toBeGreaterThanOrEqual(1)
  expect(detections.every(([, , [x]]) => x > 200)).toBe(true)
  expect(score).toBeGreaterThan(0.7)
})

test('the thumbnail is small and grey, and shows what was looked at', async () => {
  const { thumb } = await detector.detect(await halves())
  expect(thumb).toHaveLength(THUMB_SIDE * THUMB_SIDE)
  expect(thumb?.[0]).toBe(76)
  expect(thumb?.at(-1)).toBe(150)
})

test('what is put in place of an ignored region has no edge', () => {
  const width = 40
  const rgb = new Uint8Array(width * width * 3)
  // Brightness rises from left to right; a white square stands in the middle.
  for (let i = 0; i < rgb.length; i++) rgb[i] = 40 + (Math.floor(i / 3) % width) * 3
  for (let y = 15; y < 25; y++) rgb.fill(255, (y * width + 15) * 3, (y * width + 25) * 3)
  const square: Polygon = [
    [14 / 40, 14 / 40],
    [26 / 40, 14 / 40],
    [26 / 40, 26 / 40],
    [14 / 40, 26 / 40],
  ]
  expect(blank(rgb, width, width, [square])).toBe(144)
  for (let y = 0; y < width; y++) {
    for (let x = 1; x < width; x++) {
      const step = Math.abs((rgb[(y * width + x) * 3] ?? 0) - (rgb[(y * width + x - 1) * 3] ?? 0))
      expect(step).toBeLessThan(16)
    }
  }
})

test('four tiles cover the part, overlap, and lie inside of it', () => {
  const tiles = tilesOf({ x: 0.2, y: 0.4, width: 0.5, height: 0.6 })
  expect(tiles).toHaveLength(4)
  expect(Math.min(...tiles.map(({ x }) => x))).toBeCloseTo(0.2)
  expect(Math.max(...tiles.map(({ x, width }) => x + width))).toBeCloseTo(0.7)
  expect(Math.max(...tiles.map(({ y, height }) => y + height))).toBeCloseTo(1)
  expect(pixelsOf({ x: 0.999, y: 0, width: 0.5, height: 1 }, 10, 10)).toEqual({ left: 9, top: 0, width: 1, height: 10 })
})
