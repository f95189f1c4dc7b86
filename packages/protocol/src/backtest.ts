import { z } from 'zod'
import { BedCrop, Region } from './cameras.js'
import { Timestamp } from './resources.js'

// The time machine: a past print judged again with other settings.

/** Where the scores come from: those that were kept, or the model that runs now, over the small pictures that were kept. */
export const BacktestModel = z.enum(['kept_scores', 'rerun'])

/**
 * With which settings; what is left out is as it is now. Regions, crop, tiles and what is known of the camera need `rerun`, since they change
 * what the model sees or what of it counts. Pictures are kept of the primary camera only, so a `rerun` of another one is refused.
 */
export const BacktestSettings = z
  .object({
    model: BacktestModel.default('kept_scores'),
    /** Whose pictures; the primary camera's, if it is left out. */
    camera_id: z.int().positive(),
    sensitivity: z.number().min(0.1).max(5),
    smoothing: z.enum(['default', 'upstream']),
    action_on_failure: z.enum(['NONE', 'PAUSE', 'CANCEL']),
    /** In logits, as in a Calibration; 0 for none. */
    calibration_offset: z.number().min(-1.5).max(1.5),
    ignore_regions: z.array(Region).max(12),
    bed_crop: BedCrop.nullable(),
    tiles: z.boolean(),
    votes_enabled: z.boolean(),
    baseline_enabled: z.boolean(),
    prototypes_enabled: z.boolean(),
    clean_bed_enabled: z.boolean(),
  })
  .partial()
  .meta({ id: 'BacktestSettings' })
export type BacktestSettings = z.infer<typeof BacktestSettings>

/** One thing that was, or would have been, done. */
export const BacktestAlert = z.object({
  ts: z.number(),
  outcome: z.enum(['warning', 'paused', 'cancelled', 'undelivered', 'not_wanted', 'used_up']),
})

export type BacktestAlert = z.infer<typeof BacktestAlert>

/** The print as it would have gone, beside how it went. Lists of one length each, in order of time; instants in Unix seconds. */
export const BacktestResult = z
  .object({
    ts: z.array(z.number()),
    score: z.array(z.number()),
    normalized_p: z.array(z.number()),
    actual_ts: z.array(z.number()),
    actual_normalized_p: z.array(z.number()),
    would: z.array(BacktestAlert),
    happened: z.array(BacktestAlert),
    /** Where the two differ by other things than the settings. */
    notes: z.array(z.string()),
  })
  .meta({ id: 'BacktestResult' })
export type BacktestResult = z.infer<typeof BacktestResult>

/** One replay of a print. */
export const Backtest = z
  .object({
    id: z.int().positive(),
    print: z.int().positive(),
    status: z.enum(['queued', 'running', 'done', 'failed']),
    /** 0–1. */
    progress: z.number(),
    error: z.string().nullable(),
    settings: BacktestSettings,
    created_at: Timestamp,
    ended_at: Timestamp.nullable(),
    result: BacktestResult.nullable(),
  })
  .meta({ id: 'Backtest' })
export type Backtest = z.infer<typeof Backtest>
