import { access, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import { z } from 'zod'
import type { ModelForm, OutputTensor } from './detector-onnx-output.js'

/** What may stand in the JSON file beside a model, of the same name. All of it is optional. */
const Description = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  /** Names of the classes in order. Where one is called "failure", only it counts; else all do. */
  classes: z.array(z.string()).optional(),
  thresholds: z.looseObject({ nms_iou: z.number().min(0).max(1).optional() }).optional(),
})
type Description = z.infer<typeof Description>

/** For models that take any size and do not say which they were trained at. */
const DEFAULT_SIZE = 640
const MAX_SIZE = 2048

/** A model in memory. */
export interface Model {
  /** Its name and version, as written to prediction rows. */
  readonly label: string
  readonly form: ModelForm
  run(planes: Float32Array): Promise<OutputTensor[]>
  release(): Promise<void>
}

async function readDescription(modelPath: string): Promise<Description> {
  const path = modelPath.replace(/\.onnx$/, '.json')
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return {}
  try {
    return Description.parse(JSON.parse(text))
  } catch (err) {
    throw new Error(`${basename(path)} does not describe a model. Correct it or remove it, then restart the server.`, {
      cause: err,
    })
  }
}

function labelOf(description: Description, modelPath: string): string {
  const name = description.name ?? basename(modelPath, '.onnx')
  return description.version === undefined ? name : `${name}/${description.version}`
}

function failureClasses(classes: readonly string[] | undefined): number[] | undefined {
  const index = classes?.indexOf('failure') ?? -1
  return index === -1 ? undefined : [index]
}

/** The width and height of the model's one input. */
function inputSize(session: InferenceSession): [number, number] {
  const [input, ...others] = session.inputMetadata
  if (input === undefined || !input.isTensor || others.length > 0) throw new Error('The model must have one input.')
  const [batch, channels, height, width] = input.shape
  if (input.type !== 'float32' || input.shape.length !== 4 || channels !== 3) {
    throw new Error(
      `The model's input is ${input.type} [${input.shape.join(', ')}], not float32 [1, 3, height, width].`,
    )
  }
  if (typeof batch === 'number' && batch !== 1) throw new Error(`The model takes ${batch} pictures at a time, not one.`)
  const size: [number, number] = [knownSide(width), knownSide(height)]
  if (Math.max(...size) > MAX_SIZE) throw new Error(`The model's input of ${size.join(' by ')} pixels is too large.`)
  return size
}

/** A side that the model leaves open has a name instead of a number, or a number below 1. */
function knownSide(side: number | string | undefined): number {
  return typeof side === 'number' && side > 0 ? side : DEFAULT_SIZE
}

function asOutput([name, tensor]: [string, Tensor]): OutputTensor {
  if (!(tensor.data instanceof Float32Array)) throw new Error(`The model answers in ${tensor.type}, not in float32.`)
  return { name, dims: tensor.dims, data: tensor.data }
}

const RENEW = 'Correct PRINTWARDEN_DETECTOR, then restart the server.'

/** The library that runs models. A platform without it still has a server, and may have a detection service. */
async function loadRuntime(): Promise<typeof import('onnxruntime-node')> {
  try {
    return await import('onnxruntime-node')
  } catch (err) {
    const what = 'The ONNX runtime (onnxruntime-node) could not be loaded.'
    throw new Error(`${what} Install the server again, or name a detection service in PRINTWARDEN_DETECTOR.`, {
      cause: err,
    })
  }
}

/** One thread: a pool of them would spin and take the cores from everything else. */
async function openSession(
  { InferenceSession }: typeof import('onnxruntime-node'),
  modelPath: string,
): Promise<InferenceSession> {
  const name = basename(modelPath)
  try {
    await access(modelPath)
  } catch (err) {
    throw new Error(`There is no model file ${name}. ${RENEW}`, { cause: err })
  }
  try {
    return await InferenceSession.create(modelPath, {
      executionProviders: ['cpu'],
      executionMode: 'sequential',
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    })
  } catch (err) {
    const why = (err instanceof Error ? err.message : String(err)).replaceAll(modelPath, name)
    throw new Error(`${name} is no model that can be run (${why}). ${RENEW}`, { cause: err })
  }
}

/** @throws {Error} whose message says to whoever runs the server what is wrong and what to do */
export async function loadModel(modelPath: string): Promise<Model> {
  const description = await readDescription(modelPath)
  const ort = await loadRuntime()
  const session = await openSession(ort, modelPath)
  const [width, height] = inputSize(session)
  const inputName = session.inputNames[0] ?? ''
  return {
    label: labelOf(description, modelPath),
    form: {
      size: [width, height],
      failureClasses: failureClasses(description.classes),
      nmsIou: description.thresholds?.nms_iou,
    },
    async run(planes) {
      const answer = await session.run({ [inputName]: new ort.Tensor('float32', planes, [1, 3, height, width]) })
      return Object.entries(answer).map(asOutput)
    },
    release: () => session.release(),
  }
}
