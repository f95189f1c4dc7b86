import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import sharp from 'sharp'
import { renderScene, type Scene, type SceneInput } from '../packages/agent/src/cameras/scene.js'

const USAGE = `Draws pictures of simulated printers.

  --out DIR       where to write (images/NNNN.jpg, and labels/NNNN.txt in YOLO layout)
  --count N       how many single pictures, half of them failing (default 100)
  --seed S        where the chance begins (default 1)
  --sequence      instead: the frames of one print, in order
  --frames N      how many frames of the sequence (default 60)
  --fail-at P     at which progress the print of the sequence fails (default: never)
`

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    count: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    sequence: { type: 'boolean', default: false },
    frames: { type: 'string', default: '60' },
    'fail-at': { type: 'string' },
  },
})

/** Steps that spread any count of pictures evenly over progress, failure and the point of failure, each in [0, 1). */
const STEPS = { progress: 0.618034, failure: 0.754878, failedAt: 0.569841 } as const

function spread(index: number, question: keyof typeof STEPS): number {
  return (index * STEPS[question]) % 1
}

function single(index: number, seed: number): SceneInput {
  const failing = index % 2 === 1
  const progress = failing ? 0.1 + 0.8 * spread(index, 'progress') : spread(index, 'progress') * 1.02
  return {
    seed: seed * 100_003 + index,
    progress: Math.min(1, progress),
    failure: failing ? 0.12 + 0.88 * spread(index, 'failure') : 0,
    failedAt: progress * (0.35 + 0.65 * spread(index, 'failedAt')),
    frame: index,
    printing: failing || progress < 0.97,
  }
}

function frameOf(index: number, frames: number, seed: number, failAt: number): SceneInput {
  const progress = index / Math.max(1, frames - 1)
  const failure = Math.min(1, Math.max(0, (progress - failAt) / 0.3))
  return { seed, progress, failure, failedAt: failAt, frame: index, printing: progress < 1 }
}

function yoloLabel(scene: Scene, width: number, height: number): string {
  const box = scene.failureBox
  if (!box) return ''
  const numbers = [
    (box.x + box.width / 2) / width,
    (box.y + box.height / 2) / height,
    box.width / width,
    box.height / height,
  ]
  return `0 ${numbers.map((n) => n.toFixed(6)).join(' ')}\n`
}

async function write(out: string, name: string, input: SceneInput): Promise<void> {
  const scene = renderScene(input)
  const jpeg = await sharp(Buffer.from(scene.svg)).jpeg({ quality: 80 }).toBuffer()
  await writeFile(join(out, 'images', `${name}.jpg`), jpeg)
  await writeFile(join(out, 'labels', `${name}.txt`), yoloLabel(scene, 640, 480))
}

if (!values.out) {
  process.stderr.write(USAGE)
  process.exit(2)
}
const seed = Number(values.seed)
const total = Number(values.sequence ? values.frames : values.count)
await mkdir(join(values.out, 'images'), { recursive: true })
await mkdir(join(values.out, 'labels'), { recursive: true })
for (let i = 0; i < total; i++) {
  const input = values.sequence ? frameOf(i, total, seed, Number(values['fail-at'] ?? 2)) : single(i, seed)
  await write(values.out, String(i).padStart(4, '0'), input)
}
process.stdout.write(`wrote ${total} pictures to ${values.out}\n`)
