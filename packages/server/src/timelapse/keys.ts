import type { PredictionRow } from '../prints/store.js'

/** Where the videos of a print lie that the server made. */
export const videosPrefix = (printId: number): string => `prints/${printId}/timelapse/`

/** The keys of the videos that one job makes: the same whenever it is begun again, and others for another job. */
export function videoKeys(printId: number, jobId: number) {
  const name = `${videosPrefix(printId)}${jobId}`
  return { plain: `${name}.mp4`, tagged: `${name}-tagged.mp4`, poster: `${name}.jpg` }
}

/** The ids of the predictions that are about frames which the tagged video does not have. */
export function leftOutOf(
  predictions: readonly Pick<PredictionRow, 'id' | 'frame_at'>[],
  frameAts: ReadonlySet<number>,
): number[] {
  return predictions.filter(({ frame_at }) => !frameAts.has(frame_at)).map(({ id }) => id)
}
