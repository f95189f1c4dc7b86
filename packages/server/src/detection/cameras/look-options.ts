import { BedCrop, type Corner, MAX_REGIONS, Region } from '@printwarden/protocol'
import { z } from 'zod'

// How one picture is to be looked at. Places are shares of the picture as it is shown (turned upright), from its upper left corner.

/** A corner of a polygon, `[x, y]` in 0..1. */
export type Point = Corner

/** An area of at least three corners; its last corner is joined to its first. */
export type Polygon = Region

/** A rectangle inside of the picture, in 0..1. */
export type Crop = BedCrop

/** What a detector is asked to do with one picture. A detector that cannot do it looks at the picture as it is. */
export const LookOptions = z.object({
  /** Blanked before the model sees the picture; boxes whose centre lies in one are left out. */
  ignore: z.array(Region).max(MAX_REGIONS).optional(),
  /** Only this part is looked at, so that small things in it have more pixels. Boxes still come in pixels of the whole picture. */
  crop: BedCrop.optional(),
  /** Looks at four overlapping quarters of the picture (or of its crop) as well. Costs four more inferences. */
  tiles: z.boolean().optional(),
})
export type LookOptions = z.infer<typeof LookOptions>
