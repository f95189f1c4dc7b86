import type { Detection } from '@printwarden/protocol'

// Labels of pictures, in shares of the picture: centre and size, as YOLO's files have them. Pure.

/** Findings measured in pixels, in shares of their picture; what lies outside of it is cut off. */
export function inShares(detections: readonly Detection[], width: number, height: number): Detection[] {
  return detections.map(([label, confidence, [x, y, w, h]]) => {
    const [left, right] = [inside((x - w / 2) / width), inside((x + w / 2) / width)]
    const [top, bottom] = [inside((y - h / 2) / height), inside((y + h / 2) / height)]
    return [label, confidence, [(left + right) / 2, (top + bottom) / 2, right - left, bottom - top]]
  })
}

const inside = (share: number): number => Math.min(1, Math.max(0, share))

/** Findings below this share of the best one are more likely a trace of something else. */
const KEPT_SHARE = 0.5
const LEAST_CONFIDENCE = 0.2

/** Where the boxes of a label come from: found by the model, drawn by the user, or the whole picture since nobody knows where. */
export type BoxesFrom = 'none' | 'model' | 'user' | 'picture'

export interface Label {
  /** One line a box: class, centre, size. Empty for a picture without a failure. */
  readonly text: string
  readonly boxes_from: BoxesFrom
}

/** The label file of a picture. Class 0 is a failure. */
export function labelOf(answer: 'FAILED' | 'NOT_FAILED', detections: readonly Detection[]): Label {
  if (answer === 'NOT_FAILED') return { text: '', boxes_from: 'none' }
  const drawn = detections.filter(([label]) => label === USER_BOX)
  if (drawn.length > 0) return { text: lines(drawn), boxes_from: 'user' }
  const best = Math.max(0, ...detections.map(([, confidence]) => confidence))
  const sure = detections.filter(([, confidence]) => confidence >= Math.max(LEAST_CONFIDENCE, best * KEPT_SHARE))
  if (sure.length > 0) return { text: lines(sure), boxes_from: 'model' }
  return { text: '0 0.5 0.5 1 1\n', boxes_from: 'picture' }
}

/** The label of a box that the user drew. */
export const USER_BOX = 'drawn'

function lines(detections: readonly Detection[]): string {
  return detections.map(([, , box]) => `0 ${box.map((share) => Number(share.toFixed(5))).join(' ')}\n`).join('')
}
