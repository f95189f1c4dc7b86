import { z } from 'zod'
import { objectIn } from '../json-in.js'

/** What a model that looks at a plate has to say. */
export const PlateAnalysis = z.object({
  analysis: z.string().trim().min(1).max(20_000),
  suggested_printing_method: z.string().trim().min(1).max(20_000),
})
export type PlateAnalysis = z.infer<typeof PlateAnalysis>

/** Reads a model's answer: the JSON object in it, whatever stands around. Undefined when there is none of that form. */
export const readAnalysis = (text: string): PlateAnalysis | undefined => PlateAnalysis.safeParse(objectIn(text)).data
