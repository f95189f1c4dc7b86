import { z } from 'zod'
import { PrinterState } from './printer-state.js'

/** What can happen to a print. `PrintCancelled` comes from the transition table, the others from section 6. */
export const PRINT_EVENT_TYPES = [
  'PrintStarted',
  'PrintResumed',
  'PrintPaused',
  'PrintDone',
  'PrintFailed',
  'PrintCancelled',
] as const

/** One of the six event types. */
export const PrintEventType = z.enum(PRINT_EVENT_TYPES)
export type PrintEventType = z.infer<typeof PrintEventType>

/**
 * Something that happened to the print (section 6). `id` and `age_ms` are ours (decision 18): with an `id` the server stores the
 * event exactly once and acknowledges it; `age_ms` is how long ago it happened, by the agent's monotonic clock. `pics_to_come` is how
 * many pictures of its print the agent has kept while it was offline and will upload now.
 */
export const PrintEvent = z.looseObject({
  event_type: PrintEventType,
  id: z.uuid().optional(),
  age_ms: z.number().nonnegative().optional(),
  pics_to_come: z.number().int().nonnegative().optional(),
})
export type PrintEvent = z.infer<typeof PrintEvent>

/** One camera of the printer. `rotation` is in degrees, clockwise. */
export const WebcamSettings = z.looseObject({
  name: z.string(),
  is_primary_camera: z.boolean().optional(),
  stream_mode: z.string().optional(),
  stream_id: z.number(),
  flipV: z.boolean().optional(),
  flipH: z.boolean().optional(),
  rotation: z.number().optional(),
  streamRatio: z.string().optional(),
})
export type WebcamSettings = z.infer<typeof WebcamSettings>

/**
 * Settings that change rarely. The server merges them key by key into what it knows. `commands` is ours: the names of the commands that
 * this printer's host can carry out. Where it is absent, nothing is known of that.
 */
export const AgentSettings = z.looseObject({
  commands: z.array(z.string()).optional(),
  webcams: z.array(WebcamSettings).optional(),
  temperature: z.looseObject({ profiles: z.array(z.looseObject({})) }).optional(),
  agent: z.looseObject({ name: z.string(), version: z.string() }),
})
export type AgentSettings = z.infer<typeof AgentSettings>

const filamentUse = z.looseObject({
  tool0: z.looseObject({ length: z.number().optional(), volume: z.number().optional() }).optional(),
})

/** The file being printed. `size` is in bytes, `date` in Unix seconds; `service_g_code_file_id` names the stored G-Code file. */
export const JobFile = z.looseObject({
  name: z.string(),
  path: z.string(),
  display: z.string(),
  origin: z.string().optional(),
  size: z.number().optional(),
  date: z.number().optional(),
  service_g_code_file_id: z.number().int().positive().nullable().optional(),
})
export type JobFile = z.infer<typeof JobFile>

/** The loaded job. Times are in seconds, `filament.tool0.length` in mm, `.volume` in cm³. */
export const Job = z.looseObject({
  file: JobFile,
  estimatedPrintTime: z.number().nullable().optional(),
  averagePrintTime: z.number().nullable().optional(),
  lastPrintTime: z.number().nullable().optional(),
  filament: filamentUse.optional(),
  user: z.string().optional(),
})
export type Job = z.infer<typeof Job>

/**
 * How far the print is: `completion` in percent, `filepos` in bytes, times in seconds. The document does not say what a
 * value without a job is; hosts report null, so null is accepted.
 */
export const Progress = z.looseObject({
  completion: z.number().nullable().optional(),
  filepos: z.number().nullable().optional(),
  printTime: z.number().nullable().optional(),
  printTimeLeft: z.number().nullable().optional(),
  printTimeLeftOrigin: z.string().nullable().optional(),
})
export type Progress = z.infer<typeof Progress>

/** One heater or sensor, in °C. `target` null means that it only measures. */
export const Temperature = z.looseObject({
  actual: z.number().nullable().optional(),
  target: z.number().nullable().optional(),
  offset: z.number().optional(),
})
export type Temperature = z.infer<typeof Temperature>

const area = z.looseObject({
  maxX: z.number().optional(),
  maxY: z.number().optional(),
  maxZ: z.number().optional(),
  minX: z.number().optional(),
  minY: z.number().optional(),
  minZ: z.number().optional(),
})
const dimensions = z.looseObject({
  depth: z.number().optional(),
  height: z.number().optional(),
  width: z.number().optional(),
})

/** What the host knows about the file being printed. Lengths are in mm, times in seconds. */
export const FileMetadata = z.looseObject({
  hash: z.string().optional(),
  service: z.looseObject({ totalLayerCount: z.number().nullable().optional() }).optional(),
  analysis: z
    .looseObject({
      printingArea: area.optional(),
      travelArea: area.optional(),
      dimensions: dimensions.optional(),
      travelDimensions: dimensions.optional(),
      estimatedPrintTime: z.number().nullable().optional(),
      filament: filamentUse.optional(),
    })
    .optional(),
  history: z
    .array(
      z.looseObject({
        timestamp: z.number().optional(),
        printTime: z.number().nullable().optional(),
        success: z.boolean().optional(),
        printerProfile: z.string().optional(),
      }),
    )
    .optional(),
  statistics: z.looseObject({ averagePrintTime: z.unknown(), lastPrintTime: z.unknown() }).partial().optional(),
})
export type FileMetadata = z.infer<typeof FileMetadata>

/** One object of the running print, where its file tells them apart. */
export const PrintObject = z.looseObject({ name: z.string(), excluded: z.boolean() })
export type PrintObject = z.infer<typeof PrintObject>

/** A question that the printer asks. An answer names its `id`, so that it cannot be taken for the answer to the next one. */
export const PrinterPrompt = z.looseObject({ id: z.string(), text: z.string(), choices: z.array(z.string()) })
export type PrinterPrompt = z.infer<typeof PrinterPrompt>

/**
 * The printer's state at one moment. `_ts` is when it was collected, in Unix seconds. `watched_by` is ours: `picture` says that nothing
 * but a camera tells of this printer, so it cannot be controlled, and its prints begin and end when a person or the picture says so.
 * `objects` and `prompt` are ours too: the objects of the running print, and the question that waits for an answer.
 */
export const PrinterStatus = z.looseObject({
  _ts: z.number(),
  state: PrinterState,
  currentLayerHeight: z.number().optional(),
  currentZ: z.number().optional(),
  currentFeedRate: z.number().optional(),
  currentFlowRate: z.number().optional(),
  currentFanSpeed: z.number().optional(),
  job: Job.optional(),
  progress: Progress.optional(),
  temperatures: z
    .looseObject({ tool0: Temperature.optional(), bed: Temperature.optional(), chamber: Temperature.optional() })
    .optional(),
  offsets: z.record(z.string(), z.number()).optional(),
  resends: z
    .looseObject({ count: z.number().optional(), transmitted: z.number().optional(), ratio: z.number().optional() })
    .optional(),
  file_metadata: FileMetadata.optional(),
  watched_by: z.literal('picture').optional(),
  objects: z.array(PrintObject).optional(),
  prompt: PrinterPrompt.optional(),
})
export type PrinterStatus = z.infer<typeof PrinterStatus>

/**
 * The message an agent sends about its printer (specification, section 6).
 *
 * `current_print_ts` is the start of the running print in Unix seconds, the same in every message of that print, and −1 when
 * nothing is printed. `seq` is ours (decision 18): a counter that rises with each message of one connection.
 */
export const StatusMessage = z.looseObject({
  current_print_ts: z.number(),
  event: PrintEvent.optional(),
  settings: AgentSettings.optional(),
  status: PrinterStatus,
  seq: z.number().int().nonnegative().optional(),
})
export type StatusMessage = z.infer<typeof StatusMessage>

/** `current_print_ts` of a printer that prints nothing. */
export const NO_PRINT = -1

/** The largest message that is read, in bytes (close code 4413 above it). */
export const MAX_MESSAGE_BYTES = 1024 * 1024

/** The deepest nesting that is read. Real messages stay under ten; deeper ones exhaust the stack of common JSON writers. */
export const MAX_MESSAGE_DEPTH = 64

/** Whether a parsed JSON value nests no deeper than `maxDepth` objects and lists. */
export function isWithinDepth(value: unknown, maxDepth: number = MAX_MESSAGE_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (maxDepth === 0) return false
  // Every message passes here, so no list of its values is made.
  if (Array.isArray(value)) return value.every((child) => isWithinDepth(child, maxDepth - 1))
  for (const key in value) {
    if (!isWithinDepth(value[key as keyof typeof value], maxDepth - 1)) return false
  }
  return true
}
