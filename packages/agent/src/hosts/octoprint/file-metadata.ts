import type { FileMetadata } from '@printwarden/protocol'
import { z } from 'zod'
import { readFilament } from './job.js'

const numbers = z.record(z.string(), z.number()).optional().catch(undefined)

/** The answer of `GET /api/files/{origin}/{path}`, as far as we read it. */
const FileAnswer = z.object({
  hash: z.string().optional().catch(undefined),
  gcodeAnalysis: z
    .object({
      printingArea: numbers,
      travelArea: numbers,
      dimensions: numbers,
      travelDimensions: numbers,
      estimatedPrintTime: z.number().optional().catch(undefined),
      filament: z.unknown().optional(),
    })
    .optional()
    .catch(undefined),
  prints: z
    .object({
      last: z.object({ date: z.number(), printTime: z.number().optional(), success: z.boolean() }).optional(),
    })
    .optional()
    .catch(undefined),
  statistics: z.object({ averagePrintTime: numbers, lastPrintTime: numbers }).optional().catch(undefined),
})

/** The file's metadata in the names of the wire; undefined when the answer is none. */
export function toFileMetadata(answer: unknown): FileMetadata | undefined {
  const file = FileAnswer.safeParse(answer).data
  if (!file) return undefined
  const { hash, gcodeAnalysis, prints, statistics } = file
  const last = prints?.last
  return {
    ...(hash ? { hash } : {}),
    ...(gcodeAnalysis ? { analysis: toAnalysis(gcodeAnalysis) } : {}),
    ...(last ? { history: [{ timestamp: last.date, printTime: last.printTime ?? null, success: last.success }] } : {}),
    ...(statistics ? { statistics } : {}),
  }
}

function toAnalysis(analysis: NonNullable<z.infer<typeof FileAnswer>['gcodeAnalysis']>): FileMetadata['analysis'] {
  const { printingArea, travelArea, dimensions, travelDimensions, estimatedPrintTime } = analysis
  const filament = readFilament(analysis.filament)
  return {
    ...(printingArea ? { printingArea } : {}),
    ...(travelArea ? { travelArea } : {}),
    ...(dimensions ? { dimensions } : {}),
    ...(travelDimensions ? { travelDimensions } : {}),
    ...(estimatedPrintTime === undefined ? {} : { estimatedPrintTime }),
    ...(filament ? { filament } : {}),
  }
}
