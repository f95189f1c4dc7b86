import type { FileMetadata, Job } from '@printwarden/protocol'
import { z } from 'zod'

const number = z.number().optional().catch(undefined)

/** The answer to `server.files.metadata`, as far as we read it. Lengths are in mm, times in seconds, `modified` in Unix seconds. */
const FileFacts = z.object({
  size: number,
  modified: number,
  estimated_time: number,
  layer_height: number,
  first_layer_height: number,
  layer_count: number,
  object_height: number,
  filament_total: number,
  gcode_start_byte: number,
  gcode_end_byte: number,
})
/** What Moonraker found in a G-code file; all of it may be missing. */
export type FileFacts = z.infer<typeof FileFacts>

export const NO_FACTS: FileFacts = {}

/** Reads what Moonraker knows of a file. */
export function readFileFacts(result: unknown): FileFacts {
  return FileFacts.safeParse(result).data ?? NO_FACTS
}

/** The loaded job. `filename` is the path below the folder of G-codes. */
export function jobOf(filename: string, { size, modified, estimated_time, filament_total }: FileFacts): Job {
  const name = filename.slice(filename.lastIndexOf('/') + 1)
  return {
    file: {
      name,
      path: filename,
      display: name,
      origin: 'local',
      ...(size === undefined ? {} : { size }),
      ...(modified === undefined ? {} : { date: Math.floor(modified) }),
    },
    estimatedPrintTime: estimated_time ?? null,
    averagePrintTime: null,
    lastPrintTime: null,
    ...(filament_total === undefined ? {} : { filament: { tool0: { length: filament_total } } }),
  }
}

/** The file's metadata in the names of the wire; undefined when nothing is known. */
export function fileMetadataOf(facts: FileFacts, totalLayers: number | undefined): FileMetadata | undefined {
  const { estimated_time, object_height, filament_total } = facts
  const analysis = {
    ...(object_height === undefined ? {} : { printingArea: { maxZ: object_height } }),
    ...(estimated_time === undefined ? {} : { estimatedPrintTime: estimated_time }),
    ...(filament_total === undefined ? {} : { filament: { tool0: { length: filament_total } } }),
  }
  const hasAnalysis = Object.keys(analysis).length > 0
  if (!hasAnalysis && totalLayers === undefined) return undefined
  return {
    ...(hasAnalysis ? { analysis } : {}),
    ...(totalLayers === undefined ? {} : { service: { totalLayerCount: totalLayers } }),
  }
}

/** How many layers the file has: as the slicer says, else from the heights. */
export function layerCountOf(facts: FileFacts): number | undefined {
  const { layer_count, object_height, layer_height } = facts
  if (layer_count !== undefined) return layer_count
  if (object_height === undefined || !layer_height) return undefined
  const first = facts.first_layer_height ?? layer_height
  return Math.max(1, Math.round((object_height - first) / layer_height) + 1)
}

/** How much of the G-code itself lies before this byte, from 0 to 1: before it come thumbnails, behind it settings. */
export function partAt(filepos: number | undefined, facts: FileFacts): number | undefined {
  const { gcode_start_byte: start, gcode_end_byte: end } = facts
  if (filepos === undefined || start === undefined || end === undefined || end <= start) return undefined
  return Math.min(1, Math.max(0, (filepos - start) / (end - start)))
}

/** Which layer is printed at this height, from 1; undefined when the file does not say how high its layers are. */
export function layerAt(height: number, facts: FileFacts): number | undefined {
  const { layer_height } = facts
  if (!layer_height) return undefined
  const first = facts.first_layer_height ?? layer_height
  const layer = Math.ceil((height - first) / layer_height - 0.001) + 1
  return Math.min(Math.max(layer, 1), layerCountOf(facts) ?? layer)
}
