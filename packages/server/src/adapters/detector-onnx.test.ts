import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Detector } from '../detection/detector.js'
import type { Log } from '../ports.js'
import { detectorContract } from './detector.contract.js'
import { openOnnxDetector, SHIPPED_MODEL } from './detector-onnx.js'
import { DetectorThread } from './detector-onnx-thread.js'
import { COLOUR_BOXES, colourModel, constantModel } from './detector-onnx-fixture.js'
import { startWorker } from './worker-thread.js'

const lines: string[] = []
const log: Log = {
  error: (fields, text) => lines.push(`${text}: ${JSON.stringify(fields)}`),
  warn: (fields, text) => lines.push(`${text}: ${JSON.stringify(fields)}`),
  info: () => {},
  debug: () => {},
}

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'printwarden-detector-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function openReady(modelPath: string): Promise<Detector> {
  const detector = openOnnxDetector(modelPath, log)
  await vi.waitFor(() => expect(detector.ready()).toBe(true), { timeout: 15_000, interval: 20 })
  return detector
}

async function written(name: string, model: Buffer, description?: object): Promise<string> {
  await writeFile(join(folder, `${name}.onnx`), model)
  if (description !== undefined) await writeFile(join(folder, `${name}.json`), JSON.stringify(description))
  return join(folder, `${name}.onnx`)
}

function plain(width: number, height: number, background: string) {
  return sharp({ create: { width, height, channels: 3, background } })
}

describe('a model whose answers are known', () => {
  let detector: Detector
  beforeAll(async () => {
    detector = await openReady(await written('colours', colourModel(32), { name: 'colours', version: '2' }))
  })
  afterAll(() => detector.close())

  detectorContract(() => detector)

  test('colours reach it in the right order and scale, boxes come back in pixels of the picture', async () => {
    const picture = await plain(640, 480, 'rgb(204, 102, 51)').png().toBuffer()
    const { detections, score, model } = await detector.detect(picture)
    expect(model).toBe('colours/2')
    expect(score).toBeCloseTo(0.8, 3)
    for (const [index, [box, confidence]] of [
      [COLOUR_BOXES.red, 0.8],
      [COLOUR_BOXES.green, 0.4],
      [COLOUR_BOXES.blue, 0.2],
    ].entries() as Iterable<[number, [readonly number[], number]]>) {
      const [left = 0, top = 0, right = 0, bottom = 0] = box
      const found = detections[index]
      expect(found?.[1]).toBeCloseTo(confidence, 2)
      expect(found?.[2][0]).toBeCloseTo(((left + right) / 2) * 640, 2)
      expect(found?.[2][1]).toBeCloseTo(((top + bottom) / 2) * 480, 2)
      expect(found?.[2][2]).toBeCloseTo((right - left) * 640, 2)
      expect(found?.[2][3]).toBeCloseTo((bottom - top) * 480, 2)
    }
  })

  test('a picture that is stored turned is looked at and drawn as it is shown', async () => {
    const picture = await plain(200, 100, 'rgb(255, 0, 0)').withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const { detections, tagged } = await detector.detect(picture)
    expect(detections[0]?.[2][0]).toBeCloseTo(0.2 * 100, 2)
    expect(detections[0]?.[2][1]).toBeCloseTo(0.15 * 200, 2)
    expect(await sharp(tagged ?? Buffer.alloc(0)).metadata()).toMatchObject({ width: 100, height: 200 })
  })

  test('only what is sure enough is drawn, in green', async () => {
    const picture = await plain(100, 100, 'rgb(255, 0, 0)').png().toBuffer()
    const { tagged } = await detector.detect(picture)
    const { data } = await sharp(tagged ?? Buffer.alloc(0))
      .raw()
      .toBuffer({ resolveWithObject: true })
    const pixel = (x: number, y: number): number[] => [...data.subarray((y * 100 + x) * 3, (y * 100 + x) * 3 + 3)]
    const [onRed = 0, onGreen = 0] = pixel(10, 15)
    expect(onGreen).toBeGreaterThan(onRed + 60)
    const [besideRed = 0, besideGreen = 0] = pixel(40, 45)
    expect(besideRed).toBeGreaterThan(besideGreen + 150)
  })

  test('a picture without findings is not drawn again', async () => {
    const { tagged, detections, times } = await detector.detect(await plain(100, 100, 'black').jpeg().toBuffer())
    expect({ tagged, detections, drawMs: times.drawMs }).toEqual({ tagged: null, detections: [], drawMs: 0 })
  })
})

test.each([
  { layout: 'columns', dims: [1, 5, 2100], values: constantColumns(2100, [16, 16, 8, 16, 0.75]) },
  { layout: 'rows', dims: [1, 2100, 6], values: [16, 16, 8, 16, 0.75, 1] },
])('a model with an output in $layout', async ({ layout, dims, values }) => {
  const detector = await openReady(await written(layout, constantModel(32, dims, values)))
  const { detections, model } = await detector.detect(await plain(640, 480, 'black').jpeg().toBuffer())
  expect(model).toBe(layout)
  expect(detections).toEqual([['failure', 0.75, [320, 240, 160, 240]]])
  await detector.close()
})

function constantColumns(count: number, numbers: readonly number[]): number[] {
  return numbers.flatMap((value) => [value, ...Array<number>(count - 1).fill(0)])
}

test.each([
  { name: 'absent', bytes: undefined, reason: /absent\.onnx/ },
  { name: 'no-model', bytes: Buffer.from('hello'), reason: /protobuf/i },
  { name: 'classifier', bytes: constantModel(32, [1, 2]), reason: /no known layout/ },
  { name: 'huge', bytes: constantModel(4096, [1, 5, 10]), reason: /too large/ },
])('a model that is $name leaves the detector unavailable, and the log says why', async ({ name, bytes, reason }) => {
  lines.length = 0
  const path = bytes === undefined ? join(folder, `${name}.onnx`) : await written(name, bytes)
  const detector = openOnnxDetector(path, log)
  await expect.poll(() => lines.join('\n'), { timeout: 15_000 }).toMatch(reason)
  expect(detector.ready()).toBe(false)
  await expect(detector.detect(await plain(9, 9, 'black').jpeg().toBuffer())).rejects.toMatchObject({
    code: 'unavailable',
  })
  await detector.close()
})

test('a thread of the real model that dies costs the picture it has, and is started again', async () => {
  const modelPath = await written('dying', colourModel(32))
  const workers: Worker[] = []
  const start = (): Worker => {
    const worker = startWorker('detector-onnx-worker', { modelPath })
    workers.push(worker)
    return worker
  }
  const thread = new DetectorThread({ start, log, firstRestartMs: 10 })
  await vi.waitFor(() => expect(thread.isReady).toBe(true), { timeout: 30_000, interval: 20 })
  const picture = await plain(2000, 1500, 'red').jpeg().toBuffer()
  const asked = [1, 2, 3].map(() => thread.detect(picture))
  // No message that it knows: nothing in it catches what this throws.
  workers[0]?.postMessage(null)
  const answers = await Promise.allSettled(asked)
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  expect(workers).toHaveLength(2)
  await thread.close()
}, 60_000)

test('two threads share the pictures', async () => {
  const detector = openOnnxDetector(await written('two', colourModel(32)), log, 2)
  await vi.waitFor(() => expect(detector.ready()).toBe(true), { timeout: 30_000, interval: 20 })
  expect(detector.capacity).toBe(3)
  const picture = await plain(64, 48, 'red').jpeg().toBuffer()
  const answers = await Promise.all([1, 2, 3, 4].map(() => detector.detect(picture)))
  expect(answers.map(({ score }) => Math.round(score * 10) / 10)).toEqual([1, 1, 1, 1])
  await detector.close()
}, 60_000)

test('a description that is none is named', async () => {
  lines.length = 0
  const path = await written('described', colourModel(8), { classes: 'failure' })
  const detector = openOnnxDetector(path, log)
  await expect.poll(() => lines.join('\n'), { timeout: 15_000 }).toMatch(/described\.json does not describe a model/)
  await detector.close()
})

test('after it is closed it looks at nothing', async () => {
  const detector = await openReady(await written('closing', colourModel(8)))
  await detector.close()
  expect(detector.ready()).toBe(false)
  await expect(detector.detect(Buffer.alloc(3))).rejects.toMatchObject({ code: 'unavailable' })
})

// Another model can be put through the same checks: PRINTWARDEN_DETECTOR=/path/to/model.onnx npm test
const shipped = process.env['PRINTWARDEN_DETECTOR'] ?? SHIPPED_MODEL

describe('the shipped model', () => {
  let detector: Detector
  beforeAll(async () => {
    detector = await openReady(shipped)
  })
  afterAll(() => detector.close())

  detectorContract(() => detector)

  test('an empty bed is no failure, a tangle on it is', async () => {
    const bed = await detector.detect(await scene(0))
    const tangle = await detector.detect(await scene(400))
    expect(bed.score).toBeLessThan(0.5)
    expect(tangle.score).toBeGreaterThan(0.5)
    expect(tangle.tagged).not.toBeNull()
  })
})

/** A bed seen from above with this many loops of filament on it. */
async function scene(loops: number): Promise<Buffer> {
  const at = (i: number, spread: number, turn: number): number =>
    Math.sin(i * turn) * spread * (0.4 + 0.6 * ((i * 0.618) % 1))
  const points = Array.from({ length: loops }, (_, i) => `${320 + at(i, 130, 2.4)},${270 + at(i, 90, 1.7)}`)
  const path =
    loops === 0 ? '' : `<path d="M320,270 T${points.join(' T')}" fill="none" stroke="#f4f1e6" stroke-width="2"/>`
  return sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480"><rect width="640" height="480" fill="#3a3f44"/>
       <rect x="110" y="120" width="420" height="300" fill="#1d1f22"/>${path}</svg>`,
    ),
  )
    .blur(0.6)
    .jpeg()
    .toBuffer()
}
