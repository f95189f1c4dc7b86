import { z } from 'zod'
import type { NewPrediction } from '../detection/store.js'

const number = z.number().catch(0)
/** As large as every database keeps a count. */
const count = z
  .int()
  .nonnegative()
  .max(2 ** 31 - 1)
  .catch(0)
/** The end of the year 9999, in Unix seconds. */
const LAST_INSTANT = 253_402_300_799
const Frame = z.looseObject({
  fields: z.looseObject({
    current_frame_num: count,
    lifetime_frame_num: count,
    current_p: number,
    ewm_mean: number,
    rolling_mean_short: number,
    rolling_mean_long: number,
    normalized_p: number,
    created_at: z.iso.datetime(),
  }),
  frame_ts: z.number().positive().max(LAST_INSTANT).optional(),
  detections: z.array(z.unknown()).optional(),
  detector: z
    .string()
    .max(200)
    .overwrite((text) => text.replaceAll('\0', ''))
    .optional(),
  settings: z.looseObject({ sensitivity: number }).optional(),
})

/** What is shown as an empty object: its findings cannot be read. */
const UNREADABLE = 'null'

/** More pictures than any print has. */
export const MAX_FRAMES = 200_000

/**
 * Prediction JSON (wire facts, section 5.7) as rows. A frame whose data was lost keeps its place, since the list goes with the tagged
 * video; undefined when it is no such list.
 */
export function predictionRows(
  json: unknown,
  print: { readonly id: number; readonly printer_id: number; readonly started_at: number },
): NewPrediction[] | undefined {
  if (!Array.isArray(json) || json.length > MAX_FRAMES) return undefined
  let last = print.started_at - 1
  return json.map((element: unknown) => {
    const frame = Frame.safeParse(element).data
    const at = frame === undefined ? last : timeOf(frame)
    last = Math.max(at, last + 1) // a print's frames have instants of their own
    return { ...rowOf(frame), print_id: print.id, printer_id: print.printer_id, frame_at: last, created_at: last }
  })
}

const timeOf = ({ frame_ts, fields }: z.infer<typeof Frame>): number =>
  frame_ts === undefined ? Date.parse(fields.created_at) : Math.round(frame_ts * 1000)

function rowOf(frame: z.infer<typeof Frame> | undefined) {
  const { fields } = frame ?? {}
  return {
    current_frame_num: fields?.current_frame_num ?? 0,
    lifetime_frame_num: fields?.lifetime_frame_num ?? 0,
    current_p: fields?.current_p ?? 0,
    ewm_mean: fields?.ewm_mean ?? 0,
    rolling_mean_short: fields?.rolling_mean_short ?? 0,
    rolling_mean_long: fields?.rolling_mean_long ?? 0,
    normalized_p: fields?.normalized_p ?? 0,
    detections: frame === undefined ? UNREADABLE : JSON.stringify(frame.detections ?? []),
    detector: frame?.detector ?? 'imported',
    sensitivity: frame?.settings?.sensitivity ?? 1,
    camera_id: null,
  }
}
