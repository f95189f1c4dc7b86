// MP4 files as trees of boxes (ISO/IEC 14496-12, section 4.2): each has a length, a type of four letters and a content, and some
// contain boxes.

/** A box: its content as bytes, or the boxes in it. */
export interface Mp4Box {
  readonly type: string
  readonly content: Uint8Array | readonly Mp4Box[]
}

/** Boxes that contain nothing but boxes, as far as they are of interest here. */
const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl'])

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/**
 * The boxes of a file, or of a part of it.
 * @throws when a box does not fit in
 */
export function readBoxes(bytes: Uint8Array): Mp4Box[] {
  const boxes: Mp4Box[] = []
  let offset = 0
  while (offset < bytes.length) {
    const length = view(bytes).getUint32(offset)
    if (length < 8 || offset + length > bytes.length) throw new Error('not an MP4 file: a box does not fit')
    const type = String.fromCharCode(...bytes.subarray(offset + 4, offset + 8))
    const content = bytes.subarray(offset + 8, offset + length)
    boxes.push({ type, content: CONTAINERS.has(type) ? readBoxes(content) : content })
    offset += length
  }
  return boxes
}

/** How many bytes a box takes. */
export function boxLength({ content }: Mp4Box): number {
  if (content instanceof Uint8Array) return 8 + content.length
  return content.reduce((sum, box) => sum + boxLength(box), 8)
}

/** The bytes of a box. */
export function writeBox(box: Mp4Box): Uint8Array {
  const bytes = new Uint8Array(boxLength(box))
  view(bytes).setUint32(0, bytes.length)
  for (let index = 0; index < 4; index++) bytes[4 + index] = box.type.charCodeAt(index)
  if (box.content instanceof Uint8Array) {
    bytes.set(box.content, 8)
    return bytes
  }
  let offset = 8
  for (const inner of box.content) {
    const part = writeBox(inner)
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}

/**
 * The content of the box at a path such as `moov/trak/mdia`.
 * @throws when there is none, or it contains boxes
 */
export function contentAt(boxes: readonly Mp4Box[], path: string): Uint8Array {
  const [type = '', ...rest] = path.split('/')
  const box = boxes.find((one) => one.type === type)
  if (box === undefined) throw new Error(`the MP4 file has no box ${path}`)
  if (rest.length > 0 && !(box.content instanceof Uint8Array)) return contentAt(box.content, rest.join('/'))
  if (rest.length > 0 || !(box.content instanceof Uint8Array))
    throw new Error(`the box ${path} is another than expected`)
  return box.content
}

/** The boxes with some contents replaced, by type. */
export function withContents(boxes: readonly Mp4Box[], contents: Readonly<Record<string, Uint8Array>>): Mp4Box[] {
  return boxes.map(({ type, content }) => ({
    type,
    content: contents[type] ?? (content instanceof Uint8Array ? content : withContents(content, contents)),
  }))
}

/** The whole numbers in a content, four bytes each, from `offset` on. */
export function numbersIn(content: Uint8Array, offset: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => view(content).getUint32(offset + 4 * index))
}

/** A content of whole numbers, four bytes each. */
export function ofNumbers(numbers: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * numbers.length)
  for (const [index, number] of numbers.entries()) view(bytes).setUint32(4 * index, number)
  return bytes
}
