import { expect, test } from 'vitest'
import { MAP_SIDE } from '../detection/detector.js'
import { decodeLooks, decodeOutputs, type ModelForm, type OutputTensor } from './detector-onnx-output.js'

const form: ModelForm = { size: [320, 320] }
const picture = { width: 640, height: 480 }

function tensor(dims: number[], fillIn: (set: (index: number, value: number) => void) => void): OutputTensor {
  const data = new Float32Array(dims.reduce((product, dim) => product * dim, 1))
  fillIn((index, value) => {
    data[index] = value
  })
  return { dims, data }
}

/** Boxes as corners in 0..1 with one confidence each, in the shipped model's form. */
function corners(...boxes: [left: number, top: number, right: number, bottom: number, confidence: number][]) {
  return [
    tensor([1, boxes.length, 1, 4], (set) => {
      for (const [i, box] of boxes.entries()) box.slice(0, 4).forEach((value, k) => set(i * 4 + k, value))
    }),
    tensor([1, boxes.length, 1], (set) => boxes.forEach((box, i) => set(i, box[4]))),
  ]
}

const N = 2100
/** A box of 40 by 20 pixels of the input around (160, 80), as the 1000th of 2100. */
const numbers = [160, 80, 40, 20]

const columns = tensor([1, 6, N], (set) => {
  numbers.forEach((value, k) => set(k * N + 1000, value))
  set(4 * N + 1000, 0.3)
  set(5 * N + 1000, 0.7)
})
const rows = tensor([1, N, 7], (set) => {
  ;[...numbers, 0.5, 0.2, 0.8].forEach((value, k) => set(1000 * 7 + k, value))
})
const upstream = [
  tensor([1, N, 1, 4], (set) => [140 / 320, 70 / 320, 180 / 320, 90 / 320].forEach((value, k) => set(4000 + k, value))),
  tensor([1, N, 1], (set) => set(1000, 0.7)),
]

test.each([
  { layout: 'corners', outputs: upstream, confidence: 0.7 },
  { layout: 'corners, the other way round', outputs: upstream.toReversed(), confidence: 0.7 },
  { layout: 'columns', outputs: [columns], confidence: 0.7 },
  { layout: 'rows', outputs: [rows], confidence: 0.4 },
])('$layout: one box, in pixels of a picture that is not square', ({ outputs, confidence }) => {
  const { detections, score } = decodeOutputs(outputs, form, picture)
  expect(score).toBeCloseTo(confidence, 6)
  expect(detections).toHaveLength(1)
  const [label, found, box] = detections[0] ?? []
  expect(label).toBe('failure')
  expect(found).toBeCloseTo(confidence, 6)
  // The input is 320 by 320: one of its pixels is 2 wide and 1.5 high here. The height comes from the height.
  for (const [i, value] of [320, 120, 80, 30].entries()) expect(box?.[i]).toBeCloseTo(value, 3)
})

test.each([
  { layout: 'columns', outputs: [columns], classes: [0], confidence: 0.3 },
  { layout: 'rows', outputs: [rows], classes: [0], confidence: 0.1 },
  { layout: 'rows', outputs: [rows], classes: [1], confidence: 0.4 },
])('$layout: only the classes $classes count', ({ outputs, classes, confidence }) => {
  expect(decodeOutputs(outputs, { ...form, failureClasses: classes }, picture).score).toBeCloseTo(confidence, 6)
})

test('boxes that overlap by more than 0.45 are one, the most confident; findings come in order', () => {
  const { detections } = decodeOutputs(
    corners([0, 0, 0.4, 0.4, 0.5], [0.02, 0, 0.42, 0.4, 0.9], [0.2, 0, 0.6, 0.4, 0.6], [0.7, 0.7, 0.9, 0.9, 0.95]),
    form,
    picture,
  )
  expect(detections.map(([, confidence]) => Math.round(confidence * 100))).toEqual([95, 90, 60])
})

test('confidences up to 0.08 are no findings, but the score is the best of all', () => {
  expect(decodeOutputs(corners([0, 0, 1, 1, 0.08], [0, 0, 1, 1, 0.03]), form, picture)).toMatchObject({
    detections: [],
    score: expect.closeTo(0.08, 6),
  })
})

test('the map holds the best confidence of the boxes around each place, also of those that are left out', () => {
  const { map } = decodeOutputs(
    corners(
      [0, 0, 0.2, 0.2, 0.9],
      [0.01, 0, 0.21, 0.2, 0.5],
      [0.92, 0.92, 1.1, 1.1, 0.05],
      [0.5, 0, 0.5, 0, Number.NaN],
    ),
    form,
    picture,
  )
  const filled = [...map.entries()].filter(([, confidence]) => confidence > 0)
  expect(map).toHaveLength(MAP_SIDE * MAP_SIDE)
  expect(filled).toEqual([
    [2 * MAP_SIDE + 2, expect.closeTo(0.9, 6)],
    [19 * MAP_SIDE + 19, expect.closeTo(0.05, 6)],
  ])
})

test('an output that is called embedding is handed on and is no box', () => {
  const embedding = { name: 'embedding', ...tensor([1, 4], (set) => set(2, 7)) }
  const { detections, embedding: found } = decodeOutputs([embedding, ...upstream], form, picture)
  expect(detections).toHaveLength(1)
  expect(found).toEqual(Float32Array.of(0, 0, 7, 0))
  expect(decodeOutputs([columns, { ...embedding }], form, picture).embedding).toBeDefined()
  expect(decodeOutputs(upstream, form, picture)).not.toHaveProperty('embedding')
})

test('what is found in a part of a picture comes back in pixels of the whole, and once if two parts show it', () => {
  const { detections, map } = decodeLooks(
    [
      { outputs: corners([0.8, 0.8, 0.9, 0.9, 0.5]), region: { x: 0, y: 0, width: 1, height: 1 } },
      { outputs: corners([0.6, 0.6, 0.8, 0.8, 0.7]), region: { x: 0.5, y: 0.5, width: 0.5, height: 0.5 } },
    ],
    form,
    picture,
  )
  expect(detections).toEqual([
    ['failure', expect.closeTo(0.7, 6), [0.85 * 640, 0.85 * 480, 64, 48].map((value) => expect.closeTo(value, 3))],
  ])
  expect(map[17 * MAP_SIDE + 17]).toBeCloseTo(0.7, 6)
})

test('what is out of range is brought back, what is no box or no number is left out', () => {
  const { detections, score } = decodeOutputs(
    corners([-0.5, -0.5, 0.5, 1.5, 1.2], [0.9, 0.9, 0.9, 0.9, 0.8], [0, 0, 1, 1, Number.NaN]),
    form,
    picture,
  )
  expect(detections).toEqual([['failure', 1, [160, 240, 320, 480]]])
  expect(score).toBe(1)
})

test('ten thousand boxes are thinned out before they are compared', () => {
  const many = Array.from({ length: 10_000 }, (_, i): [number, number, number, number, number] => {
    const left = (i % 100) / 100
    const top = Math.floor(i / 100) / 100
    return [left, top, left + 0.009, top + 0.009, 0.1 + (i % 800) / 1000]
  })
  const { detections } = decodeOutputs(corners(...many), form, picture)
  expect(detections).toHaveLength(300)
})

test.each([
  { name: 'a classifier', outputs: [tensor([1, 2], () => {})] },
  { name: 'a model that thins out boxes itself', outputs: [tensor([1, 300, 6], () => {})] },
  { name: 'a batch of two', outputs: [tensor([2, 6, N], () => {})] },
  {
    name: 'boxes and confidences of different numbers',
    outputs: [tensor([1, 9, 1, 4], () => {}), tensor([1, 8, 1], () => {})],
  },
])('$name is refused by its shape', ({ outputs }) => {
  expect(() => decodeOutputs(outputs, form, picture)).toThrow(/of no known layout/)
})
