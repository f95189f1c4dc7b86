import { z } from 'zod'
import { Pic } from './resources.js'

// Cameras of a printer: how each is looked at, and what was learned of it. Places are shares of the picture as it is shown, from its
// upper left corner: `[0, 0]` is that corner, `[1, 1]` the lower right one.

/** How many regions a camera may have, and how many corners a region. */
export const MAX_REGIONS = 12
export const MAX_CORNERS = 40

const Share = z.number().min(0).max(1)

/** A corner of a region, `[x, y]`. */
export const Corner = z.tuple([Share, Share]).meta({ id: 'Corner' })
export type Corner = z.infer<typeof Corner>

/** An area of at least three corners; its last corner is joined to its first. */
export const Region = z.array(Corner).min(3).max(MAX_CORNERS).meta({ id: 'Region' })
export type Region = z.infer<typeof Region>

/** A smaller crop has too few pixels to look at. */
export const MIN_CROP = 0.1
/** Sums of shares are rounded. */
const ROUNDING = 1e-6

/** A rectangle inside of the picture. */
export const BedCrop = z
  .object({ x: Share, y: Share, width: Share.min(MIN_CROP), height: Share.min(MIN_CROP) })
  .refine(({ x, width }) => x + width <= 1 + ROUNDING, { message: 'must end inside of the picture', path: ['width'] })
  .refine(({ y, height }) => y + height <= 1 + ROUNDING, {
    message: 'must end inside of the picture',
    path: ['height'],
  })
  .meta({ id: 'BedCrop' })
export type BedCrop = z.infer<typeof BedCrop>

/** When a picture is also looked at in four tiles: never, when it may be worth it, or always. */
export const TilesChoice = z.enum(['off', 'auto', 'always'])
export type TilesChoice = z.infer<typeof TilesChoice>

/** How a camera's pictures are looked at, and what of it counts. */
export const CameraSettings = z
  .object({
    /** Hidden from the model; what is found there is left out. */
    ignore_regions: z.array(Region).max(MAX_REGIONS),
    /** Whether the regions count. */
    ignore_regions_enabled: z.boolean(),
    /** The part that is looked at; null for the whole picture. */
    bed_crop: BedCrop.nullable(),
    tiles: TilesChoice,
    /** Whether places that score high in good frames count less. */
    baseline_enabled: z.boolean(),
    /** Whether scores are moved a little by how near a frame is to good ones, and to those that the user has answered about. */
    prototypes_enabled: z.boolean(),
    /** Whether what was there before the print, and has not changed, counts less. */
    clean_bed_enabled: z.boolean(),
    /** Whether findings count as far as several frames agree on their place; else only the score of the whole picture counts. */
    votes_enabled: z.boolean(),
  })
  .meta({ id: 'CameraSettings' })
export type CameraSettings = z.infer<typeof CameraSettings>

/** How a camera is looked at until its user says otherwise: what has been measured to help without the user's doing is on. */
export const DEFAULT_CAMERA_SETTINGS: CameraSettings = {
  ignore_regions: [],
  ignore_regions_enabled: true,
  bed_crop: null,
  tiles: 'off',
  baseline_enabled: true,
  prototypes_enabled: true,
  clean_bed_enabled: true,
  votes_enabled: true,
}

/** A camera of a printer, by the name that its agent gives it. */
export const Camera = z
  .object({
    id: z.int(),
    printer_id: z.int(),
    /** Empty when the agent gives it no name. */
    name: z.string(),
    is_primary: z.boolean(),
    /** Whether its pictures are looked at for failures. */
    detection_enabled: z.boolean(),
    settings: CameraSettings,
    pic: Pic.nullable(),
  })
  .meta({ id: 'Camera' })
export type Camera = z.infer<typeof Camera>

/** What can be changed of a camera; settings that are left out stay as they are. */
export const CameraChanges = z
  .object({ detection_enabled: z.boolean(), settings: CameraSettings.partial() })
  .partial()
  .meta({ id: 'CameraChanges' })
export type CameraChanges = z.infer<typeof CameraChanges>

/** What can be changed for all cameras of a printer at once: everything but places, which are each camera's own. */
export const CamerasChanges = z
  .object({
    detection_enabled: z.boolean(),
    settings: CameraSettings.omit({ ignore_regions: true, bed_crop: true }).partial(),
  })
  .partial()
  .meta({ id: 'CamerasChanges' })
export type CamerasChanges = z.infer<typeof CamerasChanges>

/** Why something that is switched on does not count now. */
export const UnusedReason = z.enum([
  'nothing_learned',
  'no_reference',
  'too_dark',
  'camera_moved',
  'scene_changed',
  'not_supported',
])
export type UnusedReason = z.infer<typeof UnusedReason>

/** Cells along each side of a score map. */
export const SCORE_MAP_SIDE = 20

/** What was learned of a camera from its own pictures and its user's answers. */
export const CameraLearned = z
  .object({
    baseline: z.object({
      /** How much watched time it was learned from. */
      hours: z.number(),
      /** Frames that count once nothing has gone wrong for half an hour after them. */
      pending_hours: z.number(),
      /** What good frames score, 0 to 1: rows of {@link SCORE_MAP_SIDE} cells over the picture. Empty when nothing was learned. */
      map: z.array(z.number()).max(SCORE_MAP_SIDE * SCORE_MAP_SIDE),
    }),
    prototypes: z.object({
      clean_hours: z.number(),
      /** Answers about pictures of this camera. */
      failures: z.int(),
      not_failures: z.int(),
    }),
    clean_bed: z.object({
      taken_at: z.iso.datetime().nullable(),
      /** Why it does not count for the newest picture; null when it does, or none was compared yet. */
      unused: UnusedReason.nullable(),
    }),
    /** Its size in the database, in bytes. */
    bytes: z.int(),
  })
  .meta({ id: 'CameraLearned' })
export type CameraLearned = z.infer<typeof CameraLearned>

/** What changes a frame's score beside the model. */
export const ScorePartName = z.enum(['ignore_regions', 'tiles', 'clean_bed', 'baseline', 'prototypes', 'calibration'])
export type ScorePartName = z.infer<typeof ScorePartName>

/** What one of them did to the score of one frame. */
export const ScorePart = z
  .object({
    name: ScorePartName,
    before: z.number(),
    after: z.number(),
    /** Boxes that were left out since they lie in an ignored region. */
    boxes_left_out: z.int().optional(),
    /** Why it did nothing, although it is switched on. */
    unused: UnusedReason.optional(),
  })
  .meta({ id: 'ScorePart' })
export type ScorePart = z.infer<typeof ScorePart>
