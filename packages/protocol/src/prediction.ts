import { z } from 'zod'

/** Centre and size of a box, in pixels of the picture it was found in. */
export const Box = z.tuple([z.number(), z.number(), z.number(), z.number()])

/** One finding: label, confidence 0–1, box. */
export const Detection = z.tuple([z.string(), z.number(), Box])
export type Detection = z.infer<typeof Detection>

/** What a detector found in one picture: boxes in its pixels, the most confident first. `score` and `model` are ours. */
export const FoundFailures = z
  .object({
    detections: z.array(Detection),
    score: z
      .number()
      .min(0)
      .max(1)
      .describe('How much the picture as a whole looks like a failure, 0 to 1.')
      .optional(),
    model: z.string().describe('What looked at it.').optional(),
  })
  .meta({ id: 'FoundFailures' })
export type FoundFailures = z.infer<typeof FoundFailures>

/** The smoothing state after one frame, and the failure gauge `normalized_p` (0–1; a third and two thirds are the bands' limits). */
export const PredictionFields = z.looseObject({
  current_frame_num: z.number(),
  lifetime_frame_num: z.number(),
  current_p: z.number(),
  ewm_mean: z.number(),
  rolling_mean_long: z.number(),
  rolling_mean_short: z.number(),
  normalized_p: z.number(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})

/** One frame of the prediction JSON. The first three keys are what existing viewers read; the rest is ours (decision 22). */
export const PredictionFrame = z
  .looseObject({
    model: z.string(),
    pk: z.number(),
    fields: PredictionFields,
    frame_ts: z.number(),
    detections: z.array(Detection),
    detector: z.string(),
    settings: z.looseObject({ sensitivity: z.number() }),
  })
  .meta({ id: 'PredictionFrame' })
export type PredictionFrame = z.infer<typeof PredictionFrame>

/**
 * The prediction JSON of one print: its frames in order of time. A frame whose data is lost is an empty object, so that the list still goes with
 * the tagged video: what is shown at the share x of it is element round(length × x).
 */
export const PredictionJson = z.array(z.union([PredictionFrame, z.strictObject({})])).meta({ id: 'PredictionJson' })
export type PredictionJson = z.infer<typeof PredictionJson>
