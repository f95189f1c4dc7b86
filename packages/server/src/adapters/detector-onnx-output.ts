import type { Detection } from '@printwarden/protocol'
import { MAP_SIDE } from '../detection/detector.js'
import type { Crop, Polygon } from '../detection/cameras/look-options.js'
import { isInAny } from '../detection/context/polygon.js'

// What detector models answer, decoded. Three layouts of boxes are known, and told apart by their shapes; an output that is called
// "embedding" is no part of them.
//
//   corners   boxes [1, N, 1, 4] with corners in 0..1, and confidences [1, N, C]: the shipped model's and upstream's
//   columns   [1, 4 + C, N]: centre and size in pixels of the input, then one confidence for each class (YOLOv8 and later)
//   rows      [1, N, 5 + C]: the same, with a confidence that there is anything at all in between (YOLOv5)

/** A tensor that a model answered. */
export interface OutputTensor {
  readonly name?: string
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
  readonly map: Float32Array
  readonly embedding?: Float32Array
  readonly leftOut?: number
  readonly untiledScore?: number
}

/** What the model answered about one part of a picture. */
export interface Look {
  readonly outputs: readonly OutputTensor[]
  /** The part, in shares of the picture. */
  readonly region: Crop
  /** A tile shows less around a thing, and more pictures show something like a tangle: it must be surer. */
  readonly isTile?: true
}

export const WHOLE: Crop = { x: 0, y: 0, width: 1, height: 1 }

const EMBEDDING = 'embedding'

const CONFIDENCE_FLOOR = 0.08
const NMS_IOU = 0.45
/** Where nothing above this is, nothing is. */
const FAINT = 0.005
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

/** The highest of the classes' confidences, without a list for each of thousands of rows. */
function best(classes: readonly number[], at: (index: number) => number): number {
  let highest = Number.NEGATIVE_INFINITY
  for (const index of classes) highest = Math.max(highest, at(index))
  return highest
}

function readCorners(boxes: OutputTensor, confidences: OutputTensor, form: ModelForm): Rows {
  const [, count = 0, classCount = 0] = confidences.dims
  const classes = classesOf(form, classCount)
  const at = (i: number, k: number): number => boxes.data[i * 4 + k] ?? 0
  return {
    count,
    confidence: (i) => best(classes, (c) => confidences.data[i * classCount + c] ?? 0),
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
    confidence: (i) => best(classes, (c) => at(i, 4 + c)),
    box: (i) => centredBox(at(i, 0), at(i, 1), at(i, 2), at(i, 3), form),
  }
}

function readRows({ dims, data }: OutputTensor, form: ModelForm): Rows {
  const [, count = 0, width = 0] = dims
  const classes = classesOf(form, width - 5)
  const at = (i: number, k: number): number => data[i * width + k] ?? 0
  return {
    count,
    confidence: (i) => at(i, 4) * best(classes, (c) => at(i, 5 + c)),
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
    `The model's outputs of the shapes ${shapes} are of no known layout: [1, N, 1, 4] and [1, N, C], [1, 4 + C, N] or [1, N, 5 + C].`,
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

function placed(box: Omit<Candidate, 'confidence'>, { x, y, width, height }: Crop): Omit<Candidate, 'confidence'> {
  return {
    left: x + clamp(box.left) * width,
    top: y + clamp(box.top) * height,
    right: x + clamp(box.right) * width,
    bottom: y + clamp(box.bottom) * height,
  }
}

function cell(share: number): number {
  return Math.min(MAP_SIDE - 1, Math.max(0, Math.floor(share * MAP_SIDE)))
}

/** How much surer, in logits, a model must be of what it sees in a tile. */
const TILE_SHIFT = 1.5

function tileConfidence(confidence: number): number {
  const odds = (confidence / (1 - confidence)) * Math.exp(-TILE_SHIFT)
  return Number.isFinite(odds) ? odds / (1 + odds) : 1
}

/** All that the looks at a picture say together, before boxes that overlap are left out. */
class Weighed {
  readonly candidates: Candidate[] = []
  readonly map = new Float32Array(MAP_SIDE * MAP_SIDE)
  score = 0
  leftOut = 0

  constructor(readonly ignore: readonly Polygon[]) {}

  add(rows: Rows, { region, isTile }: Look): void {
    for (let i = 0; i < rows.count; i++) {
      const confidence = rows.confidence(i)
      // Not "<=": what is no number is left out as well.
      if (!(confidence > 0)) continue
      // Nearly all rows are about nothing; where they are does not matter.
      if (confidence <= FAINT) {
        this.score = Math.max(this.score, confidence)
        continue
      }
      const inside = clamp(confidence)
      this.#addRow(isTile === true ? tileConfidence(inside) : inside, placed(rows.box(i), region))
    }
  }

  #addRow(confidence: number, box: Omit<Candidate, 'confidence'>): void {
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
    if (isInAny([x, y], this.ignore)) {
      if (confidence > CONFIDENCE_FLOOR) this.leftOut++
      return
    }
    if (confidence > this.score) this.score = confidence
    const at = cell(y) * MAP_SIDE + cell(x)
    if (confidence > (this.map[at] ?? 0)) this.map[at] = confidence
    if (confidence <= CONFIDENCE_FLOOR) return
    const candidate = { ...box, confidence }
    if (area(candidate) > 0) this.candidates.push(candidate)
  }

  /** The most confident candidates, in order. */
  ranked(): Candidate[] {
    return this.candidates.sort((a, b) => b.confidence - a.confidence).slice(0, MAX_CANDIDATES)
  }
}

function detection({ confidence, left, top, right, bottom }: Candidate, width: number, height: number): Detection {
  return [
    'failure',
    confidence,
    [((left + right) / 2) * width, ((top + bottom) / 2) * height, (right - left) * width, (bottom - top) * height],
  ]
}

/**
 * The findings in a picture of `width` by `height` pixels that was looked at in one or more parts, the most confident first. The
 * embedding is that of the first look. Boxes whose centre lies in a polygon of `ignore` do not count.
 */
export function decodeLooks(
  looks: readonly Look[],
  form: ModelForm,
  { width, height }: { readonly width: number; readonly height: number },
  ignore: readonly Polygon[] = [],
): Decoded {
  const weighed = new Weighed(ignore)
  let untiledScore = 0
  for (const look of looks) {
    const boxes = look.outputs.filter(({ name }) => name !== EMBEDDING)
    weighed.add(rowsOf(boxes, form), look)
    if (look.isTile !== true) untiledScore = weighed.score
  }
  const found = suppress(weighed.ranked(), form.nmsIou ?? NMS_IOU)
  const embedding = looks[0]?.outputs.find(({ name }) => name === EMBEDDING)?.data
  return {
    score: weighed.score,
    detections: found.map((candidate) => detection(candidate, width, height)),
    map: weighed.map,
    ...(embedding === undefined ? {} : { embedding }),
    ...(ignore.length === 0 ? {} : { leftOut: weighed.leftOut }),
    ...(looks.some(({ isTile }) => isTile === true) ? { untiledScore } : {}),
  }
}

/** The findings in a picture that was looked at as a whole. */
export function decodeOutputs(
  outputs: readonly OutputTensor[],
  form: ModelForm,
  picture: { readonly width: number; readonly height: number },
): Decoded {
  return decodeLooks([{ outputs, region: WHOLE }], form, picture)
}
