import { PrinterEventClass, PrinterEventType } from '@printwarden/protocol'
import { z } from 'zod'
import { ApiError } from '../errors.js'
import { columnText } from './column-text.js'

/** Older pictures tell nothing about the printer any more; an agent that claims so has lost count. */
const MAX_PIC_AGE_MS = 3_600_000

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  '1': true,
  false: false,
  f: false,
  '0': false,
}

/** Agents write booleans as text, in their language's spelling. An empty text is as good as none. */
const textBoolean = (whenAbsent: boolean) =>
  z
    .string()
    .default('')
    .transform((text, context) => {
      const value = text === '' ? whenAbsent : BOOLEANS[text.toLowerCase()]
      if (value === undefined) context.addIssue({ code: 'custom', message: 'must be true or false' })
      return value ?? whenAbsent
    })

/** An event or a frame that claims to be older is refused: longer than any outage that an agent's disk outlives. */
const MAX_PAST_AGE_MS = 366 * 24 * 3_600_000

/** A number of milliseconds; an empty text is none. */
const milliseconds = (limit: number) =>
  z
    .string()
    .regex(/^(?:\d{1,12}(?:\.\d+)?)?$/, 'must be a number of milliseconds')
    .default('')
    .transform(Number)
    .pipe(z.number().max(limit))

const uuid = z
  .union([z.literal(''), z.uuid()])
  .optional()
  .transform((id) => (id ? id.toLowerCase() : undefined))

/** The agent's name for one of its prints. */
const printTs = z
  .string()
  .regex(/^(?:\d{1,10}(?:\.\d{1,6})?)?$/, 'must be the current_print_ts of a print')
  .optional()
  .transform((ts) => (ts ? Number(ts) : undefined))

const text = (maxLength: number) => z.string().transform((value) => columnText(value, maxLength))

/** The text parts of `POST /api/v1/agent/pic/`. */
export const PicFields = z.object({
  is_primary_camera: textBoolean(true),
  is_nozzle_camera: textBoolean(false),
  camera_name: text(256).default(''),
  viewing_boost: textBoolean(false),
  age_ms: milliseconds(MAX_PIC_AGE_MS),
  frame_id: uuid,
  current_print_ts: printTs,
  frame_age_ms: milliseconds(MAX_PAST_AGE_MS),
  pics_to_come: z
    .string()
    .regex(/^\d{0,6}$/, 'must be a number of pictures')
    .default('')
    .transform(Number),
})

/** The text parts of `POST /api/v1/agent/printer_events/`. */
export const EventFields = z.object({
  event_type: PrinterEventType,
  event_class: PrinterEventClass,
  event_title: text(256),
  event_text: text(4000),
  info_url: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ }).max(2000)])
    .optional()
    .transform((url) => (url === '' ? undefined : url)),
  notify: textBoolean(false),
  event_id: uuid,
  age_ms: milliseconds(MAX_PAST_AGE_MS),
  current_print_ts: printTs,
})

/**
 * Reads the text parts of a form; parts that are not known are ignored.
 * @throws {ApiError} invalid_request, naming the parts
 */
export function readFields<T>(schema: z.ZodType<T>, fields: ReadonlyMap<string, string>): T {
  const result = schema.safeParse(Object.fromEntries(fields))
  if (result.success) return result.data
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  throw new ApiError('invalid_request', undefined, { issues })
}

/** @throws {ApiError} invalid_request when the part is missing */
export function requiredFile(file: Buffer | undefined, name: string): Buffer {
  if (file !== undefined) return file
  throw new ApiError('invalid_request', undefined, { issues: [{ path: name, message: 'a file is required' }] })
}
