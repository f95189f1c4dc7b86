import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { colourModel } from '../packages/server/src/adapters/detector-onnx-fixture.js'
import { matched, measure, measureSources, overlapOf } from './model-eval-figures.js'
import type { Sample } from './model-eval-statistics.js'
import { labelPathsOf, parseLabels, readFolder } from './model-eval-folder.js'
import { evaluateModel } from './model-eval-run.js'
import { asTable } from './model-eval-table.js'

function sample(score: number, isFailing: boolean, more: Partial<Sample> = {}): Sample {
  const file = `${isFailing ? 'bad' : 'good'}-${score}-${more.group ?? ''}`
  return { file, group: file, source: 'all', isFailing, score, labelled: isFailing ? 1 : 0, found: [], ...more }
}

describe('figures', () => {
  test('are those of a table worked out by hand', () => {
    // Failing 0.9 0.8 0.3, good 0.8 0.2 0.1 0.05: of 12 pairs 10 are in order, and one is a tie.
    const figures = measure(
      [0.9, 0.8, 0.3].map((s) => sample(s, true)).concat([0.8, 0.2, 0.1, 0.05].map((s) => sample(s, false))),
      0.5,
      200,
    )
    expect(figures.auc.value).toBeCloseTo(10.5 / 12, 9)
    expect(figures.thresholdAtFpr1).toBe(0.8)
    expect(figures.recallAtFpr1.value).toBeCloseTo(1 / 3, 9)
    expect(figures.recallAtCut.value).toBeCloseTo(2 / 3, 9)
    expect(figures.fprAtCut.value).toBeCloseTo(1 / 4, 9)
    expect(figures).toMatchObject({ failing: 3, good: 4, groups: 7 })
  })

  test('agree with another program on the same numbers', () => {
    // Worked out by training/metrics.py (NumPy) from the same sines.
    const at = (i: number): number => Math.abs(Math.sin(i * 12.9898) * 43758.5453) % 1
    const samples = Array.from({ length: 200 }, (_, i) => {
      const isFailing = i % 3 === 0
      const found = [1, 2].map((n) => ({ confidence: at(i * 7 + n), isHit: at(i * 11 + n) > 0.5 && isFailing }))
      return sample(Math.min(1, at(i) * (isFailing ? 1.3 : 0.9)), isFailing, {
        group: `g${i}`,
        labelled: isFailing ? 2 : 0,
        found,
      })
    })
    const figures = measure(samples, 0.5, 50)
    expect(figures.auc.value).toBeCloseTo(EXPECTED.auc, 9)
    expect(figures.recallAtFpr1.value).toBeCloseTo(EXPECTED.recallAtFpr1, 9)
    expect(figures.recallAtFpr5.value).toBeCloseTo(EXPECTED.recallAtFpr5, 9)
    expect(figures.thresholdAtFpr5).toBeCloseTo(EXPECTED.thresholdAtFpr5, 9)
    expect(figures.ap50.value).toBeCloseTo(EXPECTED.ap50, 9)
  })

  test('of boxes count each labelled box once', () => {
    const labelled = [[0, 0, 0.4, 0.4]] as const
    const found = [
      { confidence: 0.5, box: [0, 0, 0.4, 0.38] as const },
      { confidence: 0.9, box: [0.02, 0, 0.4, 0.4] as const },
      { confidence: 0.7, box: [0.6, 0.6, 0.9, 0.9] as const },
    ]
    const hits = matched(found, labelled)
    expect(hits.map(({ isHit }) => isHit)).toEqual([true, false, false])
    // Ranked: hit, miss, miss. All of the one box is found at a precision of 1.
    expect(measure([sample(0.9, true, { found: hits }), sample(0.1, false)], 0.5, 10).ap50.value).toBe(1)
    expect(overlapOf([0, 0, 1, 1], [0.5, 0, 1.5, 1])).toBeCloseTo(1 / 3, 9)
  })

  test('without failing pictures are not defined', () => {
    const figures = measure([sample(0.2, false), sample(0.6, false)], 0.5, 20)
    expect(figures.auc).toEqual({ value: null, interval: null })
    expect(figures.ap50.value).toBeNull()
    expect(figures.fprAtCut.value).toBe(0.5)
  })

  test('have wider intervals where pictures of one scene come many times', () => {
    const at = (i: number): number => (i * 0.618) % 1
    const scenes = Array.from({ length: 20 }, (_, i) => sample(at(i) * (i % 2 ? 1 : 0.7), i % 2 === 1))
    const own = scenes.flatMap((one, i) => Array.from({ length: 6 }, (_, n) => ({ ...one, group: `${i}-${n}` })))
    const shared = scenes.flatMap((one, i) => Array.from({ length: 6 }, () => ({ ...one, group: `${i}` })))
    const [narrow = 0, wide = 0] = [own, shared].map((samples) => {
      const [low, high] = measure(samples, 0.5, 400).auc.interval ?? [0, 0]
      return high - low
    })
    expect(narrow).toBeGreaterThan(0)
    expect(wide).toBeGreaterThan(narrow * 1.5)
  })

  test('of a source in which nothing was wrong still say how little that proves', () => {
    const [only] = measureSources([sample(0.1, false, { group: 'a' }), sample(0.2, false, { group: 'b' })], 0.5, 50)
    expect(only?.fprAtCut.value).toBe(0)
    expect(only?.fprAtCut.interval?.[1]).toBeGreaterThan(0.4)
  })
})

test.each([
  { path: '/d/images/val/a.jpg', first: '/d/labels/val/a.txt' },
  { path: '/d/a.jpg', first: '/d/a.txt' },
  { path: '/images/old/images/a.png', first: '/images/old/labels/a.txt' },
])('the labels of $path are looked for at $first', ({ path, first }) => {
  expect(labelPathsOf(path)[0]).toBe(first)
})

test('labels of other classes are no failures, and what is none is refused', () => {
  expect(parseLabels('0 0.5 0.5 0.2 0.4\n2 0.1 0.1 0.1 0.1\n', [0, 1])).toEqual([[0.4, 0.3, 0.6, 0.7]])
  expect(() => parseLabels('0 0.5 0.5\n', [0])).toThrow(/line 1/)
  expect(() => parseLabels('0 320 240 20 20\n', [0])).toThrow(/line 1/)
})

describe('a folder', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'printwarden-eval-'))
    await writeFile(join(folder, 'model.onnx'), colourModel(32))
    for (const place of ['set/images/val', 'set/labels/val', 'flat', 'empty'])
      await mkdir(join(folder, place), { recursive: true })
    for (let i = 0; i < 6; i++) {
      const [x, y, width, height] = [0.2, 0.15, 0.2, 0.1]
      const label = i < 3 ? `0 ${x} ${y} ${width} ${height}\n` : ''
      const picture = sharp({
        create: { width: 64, height: 48, channels: 3, background: { r: i < 3 ? 230 : 40 + i, g: 0, b: 0 } },
      })
      await picture.jpeg().toFile(join(folder, 'set/images/val', `${i}.jpg`))
      if (i !== 5) await writeFile(join(folder, 'set/labels/val', `${i}.txt`), label)
      await picture.png().toFile(join(folder, 'flat', `${i}.png`))
      if (i < 3) await writeFile(join(folder, 'flat', `${i}.txt`), label)
    }
    await writeFile(join(folder, 'set/images/val/broken.jpg'), 'no picture')
    await writeFile(join(folder, 'set/labels/val/broken.txt'), '')
    const entries = [0, 1, 2, 3, 4, 5].map((i) => ({
      file: `val/${i}.jpg`,
      source: i % 2 ? 'odd' : 'even',
      group: `g${i >> 1}`,
    }))
    await writeFile(join(folder, 'set/manifest.json'), JSON.stringify(entries))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const order = (name: string) => ({
    folder: join(folder, name),
    modelPath: join(folder, 'model.onnx'),
    classes: [0, 1],
    tiles: false,
    rounds: 50,
  })

  test('in images and labels is measured, with what cannot be read named', async () => {
    const report = await evaluateModel(order('set'))
    expect(report.figures).toMatchObject({ failing: 3, good: 3, auc: { value: 1 }, ap50: { value: 1 } })
    expect(report.unreadable).toEqual([{ file: 'images/val/broken.jpg', reason: expect.stringMatching(/JPEG/) }])
    expect(report.withoutLabels).toBe(1)
    expect(report.sources.map(({ source }) => source)).toEqual(['even', 'odd'])
    expect(asTable(report)).toMatch(/ROC-AUC +1\.000/)
    expect(asTable(report)).toContain('images/val/broken.jpg')
  })

  test('of one split finds the manifest above it', async () => {
    const { hasManifest, pictures } = await readFolder(join(folder, 'set/images/val'), [0])
    expect(hasManifest).toBe(true)
    expect(pictures[0]).toMatchObject({ file: '0.jpg', source: 'even', group: 'g0', hasLabels: true })
  })

  test('with pictures and labels side by side is measured too', async () => {
    const report = await evaluateModel(order('flat'))
    expect(report).toMatchObject({ pictures: 6, withoutLabels: 3, hasManifest: false })
    expect(report.figures.auc.value).toBe(1)
  })

  test('without pictures, or without a model, is refused in plain words', async () => {
    await expect(evaluateModel(order('empty'))).rejects.toThrow(/No pictures in/)
    await expect(evaluateModel(order('nowhere'))).rejects.toThrow(/is no folder/)
    await expect(evaluateModel({ ...order('flat'), modelPath: join(folder, 'none.onnx') })).rejects.toThrow(
      /no model at/,
    )
  })

  test('in which nothing is to be found says that there is no ROC-AUC', async () => {
    const report = await evaluateModel({ ...order('flat'), classes: [4] })
    expect(asTable(report)).toMatch(/No picture has anything to find/)
  })
})

/** Of the sines above, from training/metrics.py. */
const EXPECTED = {
  auc: 0.7285377623162383,
  recallAtFpr1: 0.373134328358209,
  recallAtFpr5: 0.40298507462686567,
  thresholdAtFpr5: 0.8576424088400018,
  ap50: 0.07377600400002082,
}
