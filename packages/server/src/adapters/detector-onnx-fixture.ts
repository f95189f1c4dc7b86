// Tiny ONNX models for tests, written byte by byte: what they answer is known, and depends on the picture in a known way.

type Field = Buffer

function varint(value: number): Buffer {
  const encoded: number[] = []
  let rest = value
  while (rest > 127) {
    encoded.push((rest & 127) | 128)
    rest = Math.floor(rest / 128)
  }
  return Buffer.from([...encoded, rest])
}

function number(field: number, value: number): Field {
  return Buffer.concat([varint(field * 8), varint(value)])
}

function part(field: number, content: Buffer | string | Field[]): Field {
  const data = Array.isArray(content) ? Buffer.concat(content) : Buffer.from(content)
  return Buffer.concat([varint(field * 8 + 2), varint(data.length), data])
}

const FLOAT = 1
const INT64 = 7

function tensor(name: string, dims: readonly number[], type: number, data: Float32Array | BigInt64Array): Field[] {
  const raw = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  return [...dims.map((dim) => number(1, dim)), number(2, type), part(8, name), part(9, raw)]
}

function valueInfo(name: string, dims: readonly number[]): Field[] {
  const shape = dims.map((dim) => part(1, [number(1, dim)]))
  return [part(1, name), part(2, [part(1, [number(1, FLOAT), part(2, shape)])])]
}

function node(type: string, inputs: readonly string[], output: string): Field[] {
  return [...inputs.map((name) => part(1, name)), part(2, output), part(4, type)]
}

function model(graph: Field[]): Buffer {
  const opset = [part(1, ''), number(2, 13)]
  return Buffer.concat([number(1, 8), part(8, opset), part(7, [part(2, 'fixture'), ...graph])])
}

/** Where the boxes of the fixture's findings are, as corners in shares of the picture: one for each colour. */
export const COLOUR_BOXES = {
  red: [0.1, 0.1, 0.3, 0.2],
  green: [0.4, 0.4, 0.6, 0.5],
  blue: [0.7, 0.7, 0.9, 0.8],
} as const

/**
 * A model in the shipped model's form that finds each colour in its own place, as confident as the picture has of it: its three
 * confidences are the means of red, green and blue. So it tells whether pictures reach a model as they should.
 */
export function colourModel(size: number): Buffer {
  const boxes = new Float32Array(Object.values(COLOUR_BOXES).flat())
  return model([
    part(1, node('Identity', ['places'], 'boxes')),
    part(1, node('GlobalAveragePool', ['input'], 'means')),
    part(1, node('Reshape', ['means', 'shape'], 'confs')),
    part(5, tensor('places', [1, 3, 1, 4], FLOAT, boxes)),
    part(5, tensor('shape', [3], INT64, BigInt64Array.from([1n, 3n, 1n]))),
    part(11, valueInfo('input', [1, 3, size, size])),
    part(12, valueInfo('boxes', [1, 3, 1, 4])),
    part(12, valueInfo('confs', [1, 3, 1])),
  ])
}

/** A model with one output of any shape, in no layout in particular, filled with `values` from the start. */
export function constantModel(size: number, dims: readonly number[], values: readonly number[] = []): Buffer {
  const data = new Float32Array(dims.reduce((product, dim) => product * dim, 1))
  data.set(values)
  return model([
    part(1, node('Identity', ['answer'], 'output0')),
    part(5, tensor('answer', dims, FLOAT, data)),
    part(11, valueInfo('images', [1, 3, size, size])),
    part(12, valueInfo('output0', dims)),
  ])
}
