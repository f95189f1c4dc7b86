import { z } from 'zod'

/** What a model that looks at a plate has to say. */
export const PlateAnalysis = z.object({
  analysis: z.string().trim().min(1).max(20_000),
  suggested_printing_method: z.string().trim().min(1).max(20_000),
})
export type PlateAnalysis = z.infer<typeof PlateAnalysis>

/** Reads a model's answer: the JSON object in it, whatever stands around. Undefined when there is none of that form. */
export function readAnalysis(text: string): PlateAnalysis | undefined {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start < 0 || end < start) return undefined
  try {
    return PlateAnalysis.safeParse(JSON.parse(text.slice(start, end + 1))).data
  } catch {
    return undefined
  }
}
