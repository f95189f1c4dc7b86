import { z } from 'zod'
import { ScorePart } from './cameras.js'
import { Detection } from './prediction.js'
import { AlertOverwrite, Timestamp } from './resources.js'

// What an alert was judged by, what its user answers, and what the answers do.

/** What was done about a failure: told only, paused, cancelled; or why no pause came. */
export const AlertOutcome = z.enum(['warning', 'paused', 'cancelled', 'undelivered', 'not_wanted', 'used_up'])

/** One analysed frame before the alert: Unix seconds, the picture's score, and the gauge (0–1; a third warns, two thirds fail). */
export const AlertScore = z.object({ ts: z.number(), score: z.number(), normalized_p: z.number() })

/** The rule that fired, with its numbers at that moment. */
export const AlertRule = z
  .object({
    smoothing: z.enum(['default', 'upstream']),
    level: z.enum(['warning', 'failing']),
    /** The picture's score as the model gave it, and as it counted. */
    score: z.number(),
    judged_score: z.number(),
    /** The running mean of the scores, and what this camera's good pictures score. */
    mean: z.number(),
    norm: z.number(),
    sensitivity: z.number(),
    /** What the user's answers move this camera's scores by, in logits. */
    calibration_offset: z.number(),
    normalized_p: z.number(),
    /** Where the gauge warns, and where it fails. */
    warning_at: z.number(),
    failing_at: z.number(),
  })
  .meta({ id: 'AlertRule' })

/** All that an alert was judged by. */
export const AlertEvidence = z
  .object({
    rule: AlertRule,
    /** What moved the score, in order. */
    parts: z.array(ScorePart),
    /** Which model answered. */
    model: z.string(),
    /** The printer's and the camera's settings at that time. */
    settings: z.looseObject({}),
    /** The ten minutes before, oldest first. */
    history: z.array(AlertScore),
  })
  .meta({ id: 'AlertEvidence' })
export type AlertEvidence = z.infer<typeof AlertEvidence>

/** One time that detection told of a failure. */
export const Alert = z
  .object({
    id: z.int().positive(),
    print: z.int().positive(),
    printer: z.int().positive(),
    /** The camera whose picture decided; null when it is gone. */
    camera: z.object({ id: z.int().positive(), name: z.string() }).nullable(),
    created_at: Timestamp,
    /** When the picture was taken, in Unix seconds. */
    frame_ts: z.number(),
    outcome: AlertOutcome,
    /** The rule and its numbers in one sentence. */
    explanation: z.string(),
    /** The picture with boxes, and as it came. */
    image_url: z.string().nullable(),
    raw_url: z.string().nullable(),
    detections: z.array(Detection),
    evidence: AlertEvidence,
    /** What the server asked the agent to do about it. */
    command_id: z.uuid().nullable(),
    answer: AlertOverwrite.nullable(),
    answered_at: Timestamp.nullable(),
    answered_by: z.string().nullable(),
    /** The answer in the camera's calibration, by which it is taken back; null without one. */
    example_id: z.int().positive().nullable(),
  })
  .meta({ id: 'Alert' })
export type Alert = z.infer<typeof Alert>

/** Where an answer came from. */
export const ExampleSource = z.enum(['alert', 'overwrite', 'resume', 'cancel', 'shot', 'frame'])

/** A picture of which a person has said whether it shows a failure. */
export const DetectionExample = z
  .object({
    id: z.int().positive(),
    print: z.int().positive(),
    printer: z.int().positive(),
    camera: z.int().positive().nullable(),
    alert: z.int().positive().nullable(),
    frame_ts: z.number(),
    image_url: z.string(),
    score: z.number(),
    answer: AlertOverwrite,
    source: ExampleSource,
    answered_by: z.string().nullable(),
    created_at: Timestamp,
    /** Whether it counts for its camera's calibration. */
    is_calibrating: z.boolean(),
  })
  .meta({ id: 'DetectionExample' })
export type DetectionExample = z.infer<typeof DetectionExample>

/** What the user's answers make of one camera's scores. */
export const Calibration = z
  .object({
    camera_id: z.int().positive(),
    /** In logits: below 0 the camera is less alarming, above 0 more; at most {@link max_offset} either way. */
    offset: z.number(),
    max_offset: z.number(),
    /** The score that a picture needs now to count as `usual_score`. */
    needed_score: z.number(),
    usual_score: z.number(),
    /** The same in words. */
    text: z.string(),
    /** The answers that made it, oldest first, with what each did to the offset. */
    answers: z.array(DetectionExample.extend({ step: z.number() })),
  })
  .meta({ id: 'Calibration' })
export type Calibration = z.infer<typeof Calibration>

/** An alert after its answer, and what the answer changed. */
export const AnsweredAlert = z
  .object({ alert: Alert, calibration: Calibration.nullable(), needed_score_before: z.number().nullable() })
  .meta({ id: 'AnsweredAlert' })

/** A picture that is kept of a print: full pictures while it runs, small ones of the analysed frames afterwards. */
export const PrintFrame = z
  .object({
    /** When it was taken, in Unix seconds. */
    ts: z.number(),
    image_url: z.string(),
    /** Of the picture that was analysed, in pixels: what `detections` are measured in. null when nobody knows. */
    width: z.int().nullable(),
    height: z.int().nullable(),
    /** null for a picture that was not analysed. */
    score: z.number().nullable(),
    normalized_p: z.number().nullable(),
    detections: z.array(Detection),
  })
  .meta({ id: 'PrintFrame' })
export type PrintFrame = z.infer<typeof PrintFrame>
