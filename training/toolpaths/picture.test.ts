import { describe, expect, test } from 'vitest'
import { Canvas, makePaint, SHOWN } from './canvas.js'
import { asYolo, contrastOf, labelsOf } from './labels.js'
import { makeRandom } from './random.js'
import { renderPicture } from './picture.js'
import { kindsNamed, renderSingle } from './single.js'
import { makeStory, progressAt } from './story.js'

const SIZE = [160, 120] as const

describe('a canvas', () => {
  test('hides what is behind, in whichever order it is drawn', () => {
    const draw = (first: number, second: number): number[] => {
      const canvas = new Canvas(20, 20)
      for (const depth of [first, second]) {
        const paint = { ...makePaint(), red: depth, shows: depth === 50 ? SHOWN.part : SHOWN.machine }
        canvas.line({ x: 2, y: 10, depth }, 3, { x: 18, y: 10, depth }, 3, 0, paint)
      }
      return [canvas.light[(10 * 20 + 10) * 3] ?? 0, canvas.shows[10 * 20 + 10] ?? 0]
    }
    expect(draw(50, 80)).toEqual([50, SHOWN.part])
    expect(draw(80, 50)).toEqual([50, SHOWN.part])
  })

  test('lets the background through a line thinner than a pixel', () => {
    const canvas = new Canvas(20, 20)
    canvas.line({ x: 0, y: 10.5, depth: 9 }, 0.15, { x: 20, y: 10.5, depth: 9 }, 0.15, 0, makePaint())
    const light = canvas.light[(10 * 20 + 10) * 3] ?? 0
    expect(light).toBeGreaterThan(0.1)
    expect(light).toBeLessThan(0.4)
  })
})

describe('labels', () => {
  const shown = (fill: (x: number, y: number) => number) => {
    const shows = Uint8Array.from({ length: 100 * 80 }, (_, i) => fill(i % 100, Math.floor(i / 100)))
    return { width: 100, height: 80, shows }
  }

  test('are tight around what can be seen, one for each place', () => {
    const two = shown((x, y) =>
      (x >= 10 && x < 20 && y >= 5 && y < 25) || (x >= 70 && x < 90 && y >= 40 && y < 60) ? SHOWN.tangle : SHOWN.bed,
    )
    expect(asYolo(labelsOf(two))).toBe('0 0.150000 0.187500 0.100000 0.250000\n0 0.800000 0.625000 0.200000 0.250000\n')
  })

  test('leave specks out', () => {
    expect(labelsOf(shown((x, y) => (x < 4 && y < 4 ? SHOWN.tangle : SHOWN.bed)))).toEqual([])
  })

  test('come with how far the failure stands out: black on black does not', () => {
    const stripes = shown((x) => (x % 4 < 2 ? SHOWN.tangle : SHOWN.bed))
    const lit = (tangle: number): number =>
      contrastOf(
        stripes,
        Uint8Array.from({ length: 24_000 }, (_, i) => ((Math.floor(i / 3) % 100) % 4 < 2 ? tangle : 30)),
        [SHOWN.tangle, SHOWN.strings],
      )
    expect(lit(130)).toBeCloseTo(100, 0)
    expect(lit(30)).toBe(0)
  })
})

describe('pictures', () => {
  test('are the same for the same seed and number, whichever were rendered before', () => {
    const mixture = { seed: 4, kinds: kindsNamed('none,tangle'), size: SIZE }
    const alone = renderSingle(mixture, 3)
    renderSingle(mixture, 0)
    const again = renderSingle(mixture, 3)
    expect(again.picture.rgb).toEqual(alone.picture.rgb)
    expect(again.picture.yolo).toBe(alone.picture.yolo)
    expect(renderSingle({ ...mixture, seed: 5 }, 3).picture.rgb).not.toEqual(alone.picture.rgb)
  })

  test('of good prints have nothing to find, those of tangles have', () => {
    for (let i = 0; i < 4; i++) {
      expect(renderSingle({ seed: 9, kinds: ['none'], size: SIZE }, i).picture.yolo).toBe('')
      const { picture } = renderSingle({ seed: 9, kinds: ['tangle'], size: SIZE }, i)
      expect(picture.yolo).toMatch(/^0 0\.\d+ /)
      expect(picture.failingShare).toBeGreaterThan(0.001)
    }
  })

  test('of a print that fails show nothing before and more and more after', () => {
    const story = makeStory({ seed: 7, kind: 'tangle', hours: 1, failAt: 0.4 })
    const from = story.failure?.from ?? 0
    const shareAt = (now: number): number =>
      renderPicture(story.setup, progressAt(story, now), makeRandom(1), [320, 240]).failingShare
    expect(from).toBeCloseTo(1440, 0)
    expect(shareAt(from - 5)).toBe(0)
    const [early, later] = [shareAt(from + 60), shareAt(from + 900)]
    expect(early).toBeGreaterThan(0)
    expect(later).toBeGreaterThan(early)
  })
})

test('kinds that are none are refused', () => {
  expect(kindsNamed('none,blob')).toEqual(['none', 'blob'])
  expect(() => kindsNamed('none,fire')).toThrow('"fire" is no kind')
})
