import { type Corners, shownBoxes } from '../detection/draw-boxes.js'
import { readDetections } from '../prints/prediction-view.js'
import type { PredictionRow } from '../prints/store.js'

/** More frames than this without their data, and there is no tagged video (wire facts, section 5.7). */
export const MAX_MISSING = 5

/** What is to be drawn into a frame. */
export interface Tag {
  readonly boxes: readonly Corners[]
  /** Whether what was found in it cannot be read any more: then nothing is drawn. */
  readonly isMissing: boolean
}

/** What is to be drawn into each analysed frame, by the time of the frame. */
export function tagsOf(predictions: readonly PredictionRow[]): ReadonlyMap<number, Tag> {
  return new Map(predictions.map(({ frame_at, detections }) => [frame_at, tagOf(detections)]))
}

function tagOf(text: string): Tag {
  const detections = readDetections(text)
  return detections === undefined ? { boxes: [], isMissing: true } : { boxes: shownBoxes(detections), isMissing: false }
}
