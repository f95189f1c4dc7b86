import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'
import { evaluateModel } from '../../scripts/model-eval-run.js'
import type { Picture } from '../../training/toolpaths/picture.js'
import { renderSingle } from '../../training/toolpaths/single.js'

// The shipped model on pictures made on the fly: it needs no photos, and a model that sees nothing, or a path that hands it
// pictures in the wrong colours or sizes, falls through.

// Another model can be put through the same check: PRINTWARDEN_DETECTOR=/path/to/model.onnx
const SHIPPED = fileURLToPath(new URL('../../packages/server/models/detector.onnx', import.meta.url))
const MODEL = process.env['PRINTWARDEN_DETECTOR'] ?? SHIPPED
const EACH = 20
const LEAST_AUC = 0.9
/** Tangles as large and as plain as this: what only begins is measured elsewhere. */
const LEAST_SHARE = 0.03
const LEAST_CONTRAST = 25

const folder = await mkdtemp(join(tmpdir(), 'printwarden-rendered-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

async function write(kind: 'none' | 'tangle', isWanted: (picture: Picture) => boolean): Promise<void> {
  const mixture = { seed: 2024, kinds: [kind], size: [320, 240] as const }
  for (let index = 0, written = 0; written < EACH; index++) {
    const { picture } = renderSingle(mixture, index)
    if (!isWanted(picture)) continue
    const { rgb, width, height, yolo } = picture
    const jpeg = await sharp(rgb, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 85 })
      .toBuffer()
    await writeFile(join(folder, 'images', `${kind}-${index}.jpg`), jpeg)
    await writeFile(join(folder, 'labels', `${kind}-${index}.txt`), yolo)
    written++
  }
}

test('the shipped model tells tangles from good prints on rendered pictures', async () => {
  await mkdir(join(folder, 'images'))
  await mkdir(join(folder, 'labels'))
  await write('none', () => true)
  await write('tangle', ({ failingShare, contrast }) => failingShare >= LEAST_SHARE && contrast >= LEAST_CONTRAST)
  const report = await evaluateModel({ folder, modelPath: MODEL, classes: [0], tiles: false, rounds: 50 })
  expect(report.figures).toMatchObject({ failing: EACH, good: EACH })
  expect(report.figures.auc.value).toBeGreaterThan(LEAST_AUC)
}, 300_000)
