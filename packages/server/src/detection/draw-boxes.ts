import type { Detection } from '@printwarden/protocol'

/** Findings below this are kept but not shown. */
const SHOWN_CONFIDENCE = 0.2
/** And those below this share of the best one's confidence. */
const SHOWN_SHARE = 0.5
/** Boxes that share more than this of the smaller one are shown as one. */
const MERGE_SHARE = 0.2

const GREEN = [0, 255, 0] as const
const LINE_WIDTH = 3

/** A picture as RGB bytes, row by row. */
export interface Pixels {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
}

/** Corners of a box, in pixels. */
export interface Corners {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

function cornersOf([, , [x, y, width, height]]: Detection): Corners {
  return { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 }
}

function area(box: Corners): number {
  return Math.max(0, box.right - box.left) * Math.max(0, box.bottom - box.top)
}

/** How much of the smaller of two boxes lies in the other. */
function sharedPart(a: Corners, b: Corners): number {
  const shared = {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  }
  return area(shared) / Math.min(area(a), area(b))
}

function union(a: Corners, b: Corners): Corners {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  }
}

/** Adds a box to boxes that are apart from each other; what it touches becomes one with it. */
function merge(boxes: readonly Corners[], added: Corners): Corners[] {
  const touching = boxes.find((box) => sharedPart(box, added) > MERGE_SHARE)
  if (touching === undefined) return [...boxes, added]
  return merge(
    boxes.filter((box) => box !== touching),
    union(touching, added),
  )
}

/**
 * The boxes to show: of findings that are sure enough, by themselves and beside the surest one. A tangle is often found in
 * many pieces that overlap; people are shown one.
 */
export function shownBoxes(detections: readonly Detection[]): readonly Corners[] {
  const best = Math.max(0, ...detections.map(([, confidence]) => confidence))
  const sure = detections.filter(([, confidence]) => confidence > SHOWN_CONFIDENCE && confidence >= best * SHOWN_SHARE)
  return sure.map(cornersOf).reduce<Corners[]>(merge, [])
}

/** Fills the rectangle from (left, top) up to, not including, (right, bottom); what lies outside of the picture is left out. */
function fill({ data, width, height }: Pixels, left: number, top: number, right: number, bottom: number): void {
  const first = Math.max(0, left)
  const last = Math.min(width, right)
  for (let y = Math.max(0, top); y < Math.min(height, bottom); y++) {
    for (let x = first; x < last; x++) data.set(GREEN, (y * width + x) * 3)
  }
}

/** Draws the frames of boxes into the picture. */
export function drawBoxes(pixels: Pixels, boxes: readonly Corners[]): void {
  const reach = (LINE_WIDTH - 1) / 2
  for (const box of boxes) {
    const left = Math.trunc(box.left) - reach
    const top = Math.trunc(box.top) - reach
    const right = Math.trunc(box.right) + reach + 1
    const bottom = Math.trunc(box.bottom) + reach + 1
    fill(pixels, left, top, right, top + LINE_WIDTH)
    fill(pixels, left, bottom - LINE_WIDTH, right, bottom)
    fill(pixels, left, top, left + LINE_WIDTH, bottom)
    fill(pixels, right - LINE_WIDTH, top, right, bottom)
  }
}
