import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadModel } from '../packages/server/src/adapters/detector-onnx-model.js'
import { decodeLooks, WHOLE } from '../packages/server/src/adapters/detector-onnx-output.js'
import { decodeForModel } from '../packages/server/src/adapters/detector-onnx-picture.js'
import { SHIPPED_MODEL } from '../packages/server/src/adapters/detector-onnx.js'
import type { Crop, LookOptions, Polygon } from '../packages/server/src/detection/cameras/look-options.js'

const USAGE = `Compares ways of looking at labelled pictures (YOLO layout, class 0 is a failure): the whole picture, tiles,
with a corner blanked, and a crop.

  DIR...               folders with images/ and labels/, or images/val and labels/val
  --model FILE         an ONNX model (default: the shipped one)
  --crop x,y,w,h       also looks at this crop alone, in shares of the picture
  --small S            the share of the picture that a failure's boxes cover in a small one (default 0.03)
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string', default: SHIPPED_MODEL },
    crop: { type: 'string' },
    small: { type: 'string', default: '0.03' },
  },
})

/** The scores of one picture by each way of looking, and how large its failure is: the sum of its boxes' shares, 0 for a good one. */
interface Row {
  readonly failureShare: number
  readonly scores: Readonly<Record<string, number>>
}

/** What a user may paint over: a corner of the picture, with a slanted edge. */
const CORNER: Polygon[] = [
  [
    [0, 0],
    [0.35, 0],
    [0.25, 0.4],
    [0, 0.35],
  ],
]

const SHIFTS = [0, 0.5, 1, 1.5, 2]

function shifted(score: number, shift: number): number {
  const odds = (score / (1 - Math.min(score, 1 - 1e-9))) * Math.exp(-shift)
  return odds / (1 + odds)
}

async function listed(dir: string): Promise<{ images: string; labels: string; names: string[] }> {
  for (const split of ['', 'val']) {
    const images = join(dir, 'images', split)
    const names = await readdir(images).catch(() => [])
    const pictures = names.filter((name) => /\.(jpe?g|png|webp)$/i.test(name)).sort()
    if (pictures.length > 0) return { images, labels: join(dir, 'labels', split), names: pictures }
  }
  throw new Error(`${dir} holds no pictures`)
}

async function failureShare(path: string): Promise<number> {
  const text = await readFile(path, 'utf8').catch(() => '')
  const boxes = text.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return boxes.reduce((sum, [kind, , , width = 0, height = 0]) => (kind === 0 ? sum + width * height : sum), 0)
}

async function main(): Promise<void> {
  if (positionals.length === 0) return void process.stderr.write(USAGE)
  const model = await loadModel(values.model)
  const [x = 0, y = 0, width = 1, height = 1] = (values.crop ?? '').split(',').map(Number)
  const crop: Crop | undefined = values.crop === undefined ? undefined : { x, y, width, height }

  async function scoresOf(picture: Uint8Array, options: LookOptions): Promise<number[]> {
    const input = await decodeForModel(picture, model.form.size, options)
    const scores: number[] = []
    for (const { planes } of input.views) {
      const outputs = await model.run(planes)
      scores.push(decodeLooks([{ outputs, region: WHOLE }], model.form, input).score)
    }
    return scores
  }

  const rows: Row[] = []
  for (const dir of positionals) {
    const { images, labels, names } = await listed(dir)
    for (const name of names) {
      const picture = await readFile(join(images, name))
      const [whole = 0, ...tiles] = await scoresOf(picture, { tiles: true })
      const best = Math.max(...tiles)
      const scores: Record<string, number> = { whole }
      for (const shift of SHIFTS) scores[`tiles, shift ${shift}`] = Math.max(whole, shifted(best, shift))
      const [blanked = 0] = await scoresOf(picture, { ignore: CORNER })
      scores['a corner blanked'] = blanked
      if (crop !== undefined) {
        const [cropped = 0, ...cropTiles] = await scoresOf(picture, { crop, tiles: true })
        scores['crop'] = cropped
        scores['crop and tiles, shift 1'] = Math.max(cropped, shifted(Math.max(...cropTiles), 1))
      }
      rows.push({ failureShare: await failureShare(join(labels, name.replace(/\.\w+$/, '.txt'))), scores })
    }
  }
  report(rows, Number(values.small))
}

/** The score above which at most this share of good pictures lies. */
function cutAt(good: readonly number[], rate: number): number {
  const sorted = good.toSorted((a, b) => b - a)
  return sorted[Math.floor(rate * sorted.length)] ?? 0
}

const share = (scores: readonly number[], cut: number): string =>
  scores.length === 0 ? '-' : (scores.filter((score) => score > cut).length / scores.length).toFixed(3)

function report(rows: readonly Row[], small: number): void {
  const good = rows.filter((row) => row.failureShare === 0)
  const failing = rows.filter((row) => row.failureShare > 0)
  const tiny = failing.filter((row) => row.failureShare < small)
  console.log(
    `${good.length} good, ${failing.length} failing, ${tiny.length} of them small (boxes below ${small} of the picture)`,
  )
  console.log('| way of looking | recall at 1 % | at 5 % | small at 1 % | small at 5 % | small at 0.5 | false at 0.5 |')
  console.log('|---|---|---|---|---|---|---|')
  for (const way of Object.keys(rows[0]?.scores ?? {})) {
    const of = (some: readonly Row[]): number[] => some.map(({ scores }) => scores[way] ?? 0)
    const [one, five] = [cutAt(of(good), 0.01), cutAt(of(good), 0.05)]
    const columns = [
      ...[share(of(failing), one), share(of(failing), five), share(of(tiny), one), share(of(tiny), five)],
      ...[share(of(tiny), 0.5), share(of(good), 0.5)],
    ]
    console.log(`| ${way} | ${columns.join(' | ')} |`)
  }
}

await main()
