import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { evaluateModel } from '../../scripts/model-eval-run.js'

// The shipped model on real photos of prints that it was not trained on. They are no part of the repository: where they are absent
// this is skipped. PRINTWARDEN_TEST_PHOTOS names their folder.

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PHOTOS = process.env['PRINTWARDEN_TEST_PHOTOS'] ?? join(ROOT, '../shared/detection-data')
const VALIDATION = join(PHOTOS, 'images/val')
// Another model can be put through the same check: PRINTWARDEN_DETECTOR=/path/to/model.onnx
const MODEL = process.env['PRINTWARDEN_DETECTOR'] ?? join(ROOT, 'packages/server/models/detector.onnx')

/** About 0.02 below what the shipped model reaches. */
const LEAST_AUC = 0.93

const hasPhotos = existsSync(VALIDATION)
if (!hasPhotos) console.warn(`No photos at ${VALIDATION}: the shipped model is not measured on photos.`)

test.skipIf(!hasPhotos)('the shipped model tells failing prints from good ones on photos', async () => {
  const report = await evaluateModel({
    folder: VALIDATION,
    modelPath: MODEL,
    classes: [0, 1],
    tiles: false,
    rounds: 100,
  })
  const { auc, failing, good } = report.figures
  expect(report.unreadable).toEqual([])
  expect(failing).toBeGreaterThan(50)
  expect(good).toBeGreaterThan(20)
  expect(auc.value).toBeGreaterThan(LEAST_AUC)
})
