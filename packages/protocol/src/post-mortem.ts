import { z } from 'zod'
import { Timestamp } from './resources.js'

/** Something that happened in a print, as the server knows it: none of its words are the model's. */
export const PostMortemMoment = z
  .object({
    /** As the answer cites it: `[3]`. */
    number: z.int().positive(),
    kind: z.enum(['picture', 'score', 'temperature', 'event']),
    at: Timestamp,
    /** Seconds since the print began. */
    seconds: z.number(),
    text: z.string(),
    picture_url: z.string().nullable(),
  })
  .meta({ id: 'PostMortemMoment' })
export type PostMortemMoment = z.infer<typeof PostMortemMoment>

/** Why a print failed, as far as a model can tell from what was kept of it. */
export const PostMortem = z
  .object({
    print_id: z.int().positive(),
    /** A few words. */
    cause: z.string(),
    certainty: z.enum(['likely', 'possible', 'unclear']),
    /** Plain text; `[n]` cites the moment of that number. */
    answer: z.string(),
    /** What to do before the next print. */
    advice: z.array(z.string()),
    /** Those that the answer cites, oldest first. */
    moments: z.array(PostMortemMoment),
    /** What was missing to judge by, in words: no pictures were kept, no model that sees is configured. */
    missing: z.array(z.string()),
    model: z.string(),
    created_at: Timestamp,
  })
  .meta({ id: 'PostMortem' })
export type PostMortem = z.infer<typeof PostMortem>
