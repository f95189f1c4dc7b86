import type { Detection } from '@printwarden/protocol'

// What detector models answer, decoded. Three layouts are known, and told apart by their shapes:
//
//   corners   boxes [1, N, 1, 4] with corners in 0..1, and confidences [1, N, C]: the shipped model's and upstream's
//   columns   [1, 4 + C, N]: centre and size in pixels of the input, then one confidence for each class (YOLOv8 and later)
//   rows      [1, N, 5 + C]: the same, with a confidence that there is anything at all in between (YOLOv5)

/** A tensor that a model answered. */
export interface OutputTensor {
  readonly dims: readonly number[]
  readonly data: Float32Array
}

/** How to read a model. */
export interface ModelForm {
  /** Width and height of the model's input. */
  readonly size: readonly [number, number]
  /** The classes that are failures; undefined when all are. */
  readonly failureClasses?: readonly number[] | undefined
  /** Boxes that overlap more than this are one finding. */
  readonly nmsIou?: number | undefined
}

/** What one picture's outputs say. */
export interface Decoded {
  readonly detections: Detection[]
  readonly score: number
}

const CONFIDENCE_FLOOR = 0.08
const NMS_IOU = 0.45
/** More boxes than this are noise, and would make the search for overlaps slow. */
const MAX_CANDIDATES = 300

/** A box with corners in 0..1. */
interface Candidate {
  readonly confidence: number
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** A model's answer before it is weighed: rows of a confidence and a box. */
interface Rows {
  readonly count: number
  confidence(i: number): number
  box(i: number): Omit<Candidate, 'confidence'>
}

function shape(dims: readonly number[]): string {
  return `[${dims.join(', ')}]`
}

function classesOf(form: ModelForm, count: number): readonly number[] {
  return form.failureClasses ?? Array.from({ length: count }, (_, index) => index)
}

function readCorners(boxes: OutputTensor, confidences: OutputTensor, form: ModelForm): Rows {
  const [, count = 0, classCount = 0] = confidences.dims
  const classes = classesOf(form, classCount)
  const at = (i: number, k: number): number => boxes.data[i * 4 + k] ?? 0
  return {
    count,
    confidence: (i) => Math.max(...classes.map((c) => confidences.data[i * classCount + c] ?? 0)),
    box: (i) => ({ left: at(i, 0), top: at(i, 1), right: at(i, 2), bottom: at(i, 3) }),
  }
}

function centredBox(x: number, y: number, width: number, height: number, form: ModelForm) {
  const [inputWidth, inputHeight] = form.size
  return {
    left: (x - width / 2) / inputWidth,
    top: (y - height / 2) / inputHeight,
    right: (x + width / 2) / inputWidth,
    bottom: (y + height / 2) / inputHeight,
  }
}

function readColumns({ dims, data }: OutputTensor, form: ModelForm): Rows {
  const [, height = 0, count = 0] = dims
  const classes = classesOf(form, height - 4)
  const at = (i: number, k: number): number => data[k * count + i] ?? 0
  return {
    count,
    confidence: (i) => Math.max(...classes.map((c) => at(i, 4 + c))),
    box: (i) => centredBox(at(i, 0), at(i, 1), at(i, 2), at(i, 3), form),
  }
}

function readRows({ dims, data }: OutputTensor, form: ModelForm): Rows {
  const [, count = 0, width = 0] = dims
  const classes = classesOf(form, width - 5)
  const at = (i: number, k: number): number => data[i * width + k] ?? 0
  return {
    count,
    confidence: (i) => at(i, 4) * Math.max(...classes.map((c) => at(i, 5 + c))),
    box: (i) => centredBox(at(i, 0), at(i, 1), at(i, 2), at(i, 3), form),
  }
}

function isBoxes({ dims }: OutputTensor): boolean {
  return dims.length === 4 && dims[0] === 1 && dims[2] === 1 && dims[3] === 4
}

/** The rows of the answer, whichever layout it has. */
function rowsOf(outputs: readonly OutputTensor[], form: ModelForm): Rows {
  const boxes = outputs.find(isBoxes)
  const confidences = outputs.find(({ dims }) => dims.length === 3 && dims[0] === 1 && dims[1] === boxes?.dims[1])
  if (boxes !== undefined && confidences !== undefined) return readCorners(boxes, confidences, form)

  const [only] = outputs
  if (outputs.length === 1 && only !== undefined && only.dims.length === 3 && only.dims[0] === 1) {
    const [, first = 0, second = 0] = only.dims
    // There are always more boxes than numbers about each; a list of at most 300 boxes is one that was thinned out already.
    if (first >= 5 && second > first) return readColumns(only, form)
    if (second >= 6 && first > MAX_CANDIDATES) return readRows(only, form)
  }
  const shapes = outputs.map(({ dims }) => shape(dims)).join(' and ')
  throw new Error(
    `outputs of the shapes ${shapes} are of no known layout: [1, N, 1, 4] and [1, N, C], [1, 4 + C, N] or [1, N, 5 + C]`,
  )
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value))
}

function area(box: Candidate): number {
  return (box.right - box.left) * (box.bottom - box.top)
}

function overlap(a: Candidate, b: Candidate): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left)
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
  if (width <= 0 || height <= 0) return 0
  return (width * height) / (area(a) + area(b) - width * height)
}

/** Keeps the most confident of boxes that overlap. Shares of the picture serve as well as pixels: overlap is a ratio of areas. */
function suppress(candidates: readonly Candidate[], iou: number): Candidate[] {
  const kept: Candidate[] = []
  for (const candidate of candidates) {
    if (kept.every((other) => overlap(candidate, other) <= iou)) kept.push(candidate)
  }
  return kept
}

function candidatesOf(rows: Rows, confidences: Float64Array): Candidate[] {
  const candidates: Candidate[] = []
  for (const [i, confidence] of confidences.entries()) {
    // Not "<=": what is no number is left out as well.
    if (!(confidence > CONFIDENCE_FLOOR)) continue
    const { left, top, right, bottom } = rows.box(i)
    const box = { left: clamp(left), top: clamp(top), right: clamp(right), bottom: clamp(bottom) }
    if (area({ ...box, confidence }) > 0) candidates.push({ ...box, confidence: clamp(confidence) })
  }
  return candidates.sort((a, b) => b.confidence - a.confidence).slice(0, MAX_CANDIDATES)
}

function best(confidences: Float64Array): number {
  let highest = 0
  for (const confidence of confidences) {
    if (confidence > highest) highest = confidence
  }
  return clamp(highest)
}

/** The findings in a picture of `width` by `height` pixels, the most confident first. */
export function decodeOutputs(
  outputs: readonly OutputTensor[],
  form: ModelForm,
  picture: { readonly width: number; readonly height: number },
): Decoded {
  const rows = rowsOf(outputs, form)
  const confidences = Float64Array.from({ length: rows.count }, (_, i) => rows.confidence(i))
  const found = suppress(candidatesOf(rows, confidences), form.nmsIou ?? NMS_IOU)
  return {
    score: best(confidences),
    detections: found.map(({ confidence, left, top, right, bottom }) => [
      'failure',
      confidence,
      [
        ((left + right) / 2) * picture.width,
        ((top + bottom) / 2) * picture.height,
        (right - left) * picture.width,
        (bottom - top) * picture.height,
      ],
    ]),
  }
}
