import { z } from 'zod'

/** Some pictures of one print, scored by the model; what is between them is filled in. */
export const KeyedPrint = z.object({
  id: z.string(),
  source: z.enum(['scene', 'toolpath']),
  /** How it fails, or `none`. */
  kind: z.string(),
  /** The level from which on a person could see the failure; null where that never came. */
  visibleFrom: z.number().nullable(),
  /** Where it fails, 0 to 1; null for a good print. */
  failAt: z.number().nullable(),
  keys: z.array(
    z.object({
      progress: z.number(),
      /** How far the failure has grown, 0 to 1; 0 before it. */
      level: z.number(),
      score: z.number(),
      sum: z.number(),
      boxes: z.array(z.tuple([z.number(), z.number(), z.number(), z.number(), z.number()])),
    }),
  ),
})
export type KeyedPrint = z.infer<typeof KeyedPrint>
export type Key = KeyedPrint['keys'][number]
