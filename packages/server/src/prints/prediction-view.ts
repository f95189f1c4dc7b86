import { Detection, type PredictionFrame, type PredictionJson } from '@printwarden/protocol'
import { z } from 'zod'
import type { PredictionRow } from './store.js'
import { instantView } from './view.js'

/** The name under which existing viewers know an element of the list (wire facts, section 5.7). */
const MODEL = 'app.printerprediction'

const Detections = z.array(Detection)

/**
 * The prediction JSON of one print: one element per frame of its tagged video, or, before that is made, per analysed frame; in order of
 * time. What cannot be read of a frame is an empty object.
 */
export function predictionJson(rows: readonly PredictionRow[]): PredictionJson {
  return rows.filter(({ left_out }) => left_out === 0).map((row) => frame(row) ?? {})
}

function frame(row: PredictionRow): PredictionFrame | undefined {
  const detections = readDetections(row.detections)
  if (detections === undefined) return undefined
  return {
    model: MODEL,
    pk: row.printer_id,
    fields: {
      current_frame_num: row.current_frame_num,
      lifetime_frame_num: row.lifetime_frame_num,
      current_p: row.current_p,
      ewm_mean: row.ewm_mean,
      rolling_mean_long: row.rolling_mean_long,
      rolling_mean_short: row.rolling_mean_short,
      normalized_p: row.normalized_p,
      created_at: instantView(row.created_at),
      updated_at: instantView(row.created_at),
    },
    frame_ts: row.frame_at / 1000,
    detections,
    detector: row.detector,
    settings: { sensitivity: row.sensitivity },
  }
}

/** The stored findings of a frame; undefined when they cannot be read. */
export function readDetections(text: string): Detection[] | undefined {
  try {
    return Detections.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
