import { parentPort, workerData } from 'node:worker_threads'
import { DetectorError, type Findings } from '../detection/detector.js'
import { shownBoxes } from '../detection/draw-boxes.js'
import type { LookOptions } from '../detection/cameras/look-options.js'
import type { DetectorWorkerData, FromDetectorWorker, ToDetectorWorker } from './detector-onnx-messages.js'
import { loadModel, type Model } from './detector-onnx-model.js'
import { decodeLooks, decodeOutputs, type Look } from './detector-onnx-output.js'
import { decodeForModel, drawTagged, type ModelInput } from './detector-onnx-picture.js'

// The worker thread of the ONNX detector. The runtime works synchronously inside of it: on the main thread every picture would
// stop the whole server for as long.

if (parentPort === null) throw new Error('this file runs as a worker thread')
const port = parentPort
const { modelPath } = workerData as DetectorWorkerData

function send(message: FromDetectorWorker, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer)
}

function textOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err)
}

async function lookAt(model: Model, { views }: ModelInput): Promise<Look[]> {
  const looks: Look[] = []
  for (const { planes, ...part } of views) looks.push({ outputs: await model.run(planes), ...part })
  return looks
}

async function detect(model: Model, picture: Uint8Array, options: LookOptions): Promise<Findings> {
  const begun = performance.now()
  const input = await decodeForModel(picture, model.form.size, options)
  const decoded = performance.now()
  const seen = decodeLooks(await lookAt(model, input), model.form, input, options.ignore)
  const inferred = performance.now()
  const shown = shownBoxes(seen.detections)
  const tagged = shown.length === 0 ? null : await drawTagged(picture, shown)
  const drawMs = tagged === null ? 0 : performance.now() - inferred
  const times = { decodeMs: decoded - begun, inferenceMs: inferred - decoded, drawMs }
  return { ...seen, thumb: input.thumb, size: [input.width, input.height], model: model.label, tagged, times }
}

async function answer(model: Model, id: number, picture: Uint8Array, options: LookOptions): Promise<void> {
  try {
    const findings = await detect(model, picture, options)
    send({ type: 'found', id, findings })
  } catch (err) {
    const code = err instanceof DetectorError ? err.code : 'unavailable'
    send({ type: 'failed', id, code, detail: textOf(err) })
  }
}

/** Runs the model once on nothing: it must answer in a layout that is known, and the first real picture should not wait. */
async function tryOut(model: Model): Promise<void> {
  const [width, height] = model.form.size
  const outputs = await model.run(new Float32Array(3 * width * height))
  decodeOutputs(outputs, model.form, { width, height })
}

async function start(): Promise<Model | undefined> {
  try {
    const model = await loadModel(modelPath)
    await tryOut(model)
    send({ type: 'loaded', model: model.label })
    return model
  } catch (err) {
    send({ type: 'unusable', detail: textOf(err) })
    return undefined
  }
}

const model = await start()
port.on('message', (message: ToDetectorWorker) => {
  if (message.type === 'stop') {
    port.close()
    void model?.release()
  } else if (model !== undefined) {
    void answer(model, message.id, message.picture, message.options)
  }
})
