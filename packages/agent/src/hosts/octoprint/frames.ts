import { z } from 'zod'

/** Anything that is not the number it should be counts as absent: plugins put all kinds of things into these frames. */
const number = z.number().nullish().catch(undefined)
const text = z.string().nullish().catch(undefined)
const flag = z.boolean().default(false).catch(false)

const flags = z.object({
  operational: flag,
  printing: flag,
  cancelling: flag,
  pausing: flag,
  resuming: flag,
  finishing: flag,
  paused: flag,
  closedOrError: flag,
  error: flag,
  ready: flag,
  sdReady: flag,
})

const file = z.object({ name: text, path: text, display: text, origin: text, size: number, date: number })

const job = z.object({
  file: file.catch({}),
  estimatedPrintTime: number,
  averagePrintTime: number,
  lastPrintTime: number,
  filament: z.record(z.string(), z.unknown()).nullish().catch(undefined),
  user: text,
})

const heater = z.object({ actual: number, target: number })

/** The content of a `current` frame, as far as we read it. `history`, the first one, has the same shape. */
const Current = z.object({
  state: z.object({ flags, error: text }),
  job: job.optional().catch(undefined),
  currentZ: number,
  progress: z
    .object({
      completion: number,
      filepos: number,
      printTime: number,
      printTimeLeft: number,
      printTimeLeftOrigin: text,
    })
    .optional()
    .catch(undefined),
  offsets: z.record(z.string(), z.number()).optional().catch(undefined),
  resends: z.object({ count: number, transmitted: number, ratio: number }).optional().catch(undefined),
  temps: z.array(z.record(z.string(), z.unknown())).default([]).catch([]),
  logs: z.array(z.string()).default([]).catch([]),
})
export type Current = z.infer<typeof Current>

const Event = z.object({ type: z.string(), payload: z.record(z.string(), z.unknown()).nullish().catch(undefined) })

const Plugin = z.object({ plugin: z.string(), data: z.record(z.string(), z.unknown()) })

/** One message of OctoPrint's push socket. */
export type Frame =
  | { readonly type: 'connected'; readonly version: string }
  | { readonly type: 'current'; readonly first: boolean; readonly current: Current }
  | { readonly type: 'event'; readonly event: string; readonly payload: Record<string, unknown> }
  | { readonly type: 'plugin'; readonly plugin: string; readonly data: Record<string, unknown> }
  | { readonly type: 'reauth'; readonly reason: string }
  | { readonly type: 'other' }

const OTHER: Frame = { type: 'other' }

/** Reads one frame. What we do not know or cannot read is `other`; it never throws. */
export function readFrame(data: string): Frame {
  const frame = parseObject(data)
  if (!frame) return OTHER
  if ('current' in frame) return readCurrent(frame.current, false)
  if ('history' in frame) return readCurrent(frame.history, true)
  if ('event' in frame) {
    const event = Event.safeParse(frame.event).data
    return event ? { type: 'event', event: event.type, payload: event.payload ?? {} } : OTHER
  }
  if ('plugin' in frame) {
    const plugin = Plugin.safeParse(frame.plugin).data
    return plugin ? { type: 'plugin', ...plugin } : OTHER
  }
  if ('connected' in frame) {
    const connected = z.object({ version: z.string() }).safeParse(frame.connected).data
    return { type: 'connected', version: connected?.version ?? 'unknown' }
  }
  if ('reauthRequired' in frame) {
    const reauth = z.object({ reason: z.string() }).safeParse(frame.reauthRequired).data
    return { type: 'reauth', reason: reauth?.reason ?? 'unknown' }
  }
  return OTHER
}

/** One heater of a temperature sample; undefined for what is none, such as the sample's time. */
export function readHeater(value: unknown): z.infer<typeof heater> | undefined {
  return heater.safeParse(value).data
}

function readCurrent(value: unknown, first: boolean): Frame {
  const current = Current.safeParse(value).data
  return current ? { type: 'current', first, current } : OTHER
}

function parseObject(data: string): Record<string, unknown> | undefined {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(data)).data
  } catch {
    return undefined
  }
}
