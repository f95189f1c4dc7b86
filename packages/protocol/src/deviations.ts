import { z } from 'zod'
import { Timestamp } from './resources.js'

/** In what a printer's agent departs from the protocol: what the server made of it, in words, and how often it was seen. */
export const Deviation = z
  .object({
    kind: z.string(),
    detail: z.string(),
    count: z.number().int().positive(),
    first_seen_at: Timestamp,
    last_seen_at: Timestamp,
  })
  .meta({ id: 'Deviation' })
export type Deviation = z.infer<typeof Deviation>
