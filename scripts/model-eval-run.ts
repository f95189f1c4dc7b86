import { readFile, stat } from 'node:fs/promises'
import { loadModel, type Model } from '../packages/server/src/adapters/detector-onnx-model.js'
import { decodeLooks, type Look } from '../packages/server/src/adapters/detector-onnx-output.js'
import { decodeForModel } from '../packages/server/src/adapters/detector-onnx-picture.js'
import {
  type Corners,
  type Figures,
  matched,
  measure,
  measureSources,
  type SourceFigures,
} from './model-eval-figures.js'
import type { Sample } from './model-eval-statistics.js'
import { descriptionPath, type LabelledPicture, readFolder } from './model-eval-folder.js'

/** What is to be measured. */
export interface Order {
  readonly folder: string
  readonly modelPath: string
  /** Classes whose boxes are to be found. */
  readonly classes: readonly number[]
  /** Whether four overlapping quarters of each picture are looked at as well. */
  readonly tiles: boolean
  /** How many draws of groups the intervals come from. */
  readonly rounds: number
  /** Told after each picture. */
  onProgress?(done: number, all: number): void
}

/** Milliseconds a picture: median and the value that 95 % stay below. */
export interface Times {
  readonly median: number
  readonly p95: number
}

export interface Report {
  readonly model: string
  readonly folder: string
  readonly pictures: number
  readonly withoutLabels: number
  readonly hasManifest: boolean
  /** Pictures that could not be looked at. */
  readonly unreadable: readonly { readonly file: string; readonly reason: string }[]
  /** The model's own threshold. */
  readonly cut: number
  readonly figures: Figures
  readonly sources: readonly SourceFigures[]
  readonly times: { readonly decode: Times; readonly inference: Times }
  readonly scores: readonly { readonly file: string; readonly isFailing: boolean; readonly score: number }[]
}

const DEFAULT_CUT = 0.5

/** The threshold at which a model's own description cuts. */
async function cutOf(modelPath: string): Promise<number> {
  const text = await readFile(descriptionPath(modelPath), 'utf8').catch(() => '{}')
  const { thresholds } = JSON.parse(text) as { thresholds?: { cut?: unknown } }
  return typeof thresholds?.cut === 'number' ? thresholds.cut : DEFAULT_CUT
}

interface Seen {
  readonly sample: Sample
  readonly decodeMs: number
  readonly inferenceMs: number
}

/** Looks at one picture as the server does. */
async function lookAt(model: Model, picture: LabelledPicture, tiles: boolean): Promise<Seen> {
  const encoded = await readFile(picture.path)
  const begun = performance.now()
  const input = await decodeForModel(encoded, model.form.size, tiles ? { tiles } : {})
  const decoded = performance.now()
  const looks: Look[] = []
  for (const { planes, ...part } of input.views) looks.push({ outputs: await model.run(planes), ...part })
  const { score, detections } = decodeLooks(looks, model.form, input)
  const inferred = performance.now()
  const found = detections.map(([, confidence, [x, y, width, height]]) => {
    const [left, right] = [(x - width / 2) / input.width, (x + width / 2) / input.width]
    const box: Corners = [left, (y - height / 2) / input.height, right, (y + height / 2) / input.height]
    return { confidence, box }
  })
  const { file, group, source, boxes } = picture
  const sample = {
    file,
    group,
    source,
    isFailing: boxes.length > 0,
    score,
    labelled: boxes.length,
    found: matched(found, boxes),
  }
  return { sample, decodeMs: decoded - begun, inferenceMs: inferred - decoded }
}

function timesOf(values: readonly number[]): Times {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return { median: at(0.5), p95: at(0.95) }
}

/**
 * Runs a model over a labelled folder on one thread, and measures what it found.
 *
 * @throws {Error} when there are no pictures, or the model cannot be loaded
 */
export async function evaluateModel(order: Order): Promise<Report> {
  const { folder, modelPath } = order
  const { pictures, unreadable, hasManifest } = await readFolder(folder, order.classes)
  const isThere = await stat(modelPath).then(
    () => true,
    () => false,
  )
  if (!isThere) throw new Error(`There is no model at ${modelPath}.`)
  const cut = await cutOf(modelPath)
  const model = await loadModel(modelPath)
  const seen: Seen[] = []
  const failed = [...unreadable]
  try {
    const [width, height] = model.form.size
    await model.run(new Float32Array(3 * width * height))
    for (const [i, picture] of pictures.entries()) {
      try {
        seen.push(await lookAt(model, picture, order.tiles))
      } catch (err) {
        failed.push({ file: picture.file, reason: err instanceof Error ? err.message : String(err) })
      }
      order.onProgress?.(i + 1, pictures.length)
    }
  } finally {
    await model.release()
  }
  const samples = seen.map(({ sample }) => sample)
  if (samples.length === 0) throw new Error(`None of the ${failed.length} pictures in ${folder} can be read.`)
  return {
    model: model.label,
    folder,
    pictures: samples.length,
    withoutLabels: pictures.filter(({ hasLabels }) => !hasLabels).length,
    hasManifest,
    unreadable: failed,
    cut,
    figures: measure(samples, cut, order.rounds),
    sources: measureSources(samples, cut, Math.min(order.rounds, 500)),
    times: {
      decode: timesOf(seen.map(({ decodeMs }) => decodeMs)),
      inference: timesOf(seen.map(({ inferenceMs }) => inferenceMs)),
    },
    scores: samples.map(({ file, isFailing, score }) => ({ file, isFailing, score })),
  }
}
