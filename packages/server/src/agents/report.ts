import { MAX_PRINT_AMOUNT, type PrinterStatus, type StatusMessage } from '@printwarden/protocol'
import { z } from 'zod'
import type { Report } from '../prints/lifecycle.js'
import type { PrintProgress, TimedEvent, TrackedPrint } from '../prints/tracked-print.js'
import { columnText } from './column-text.js'

/** A clock that is further ahead than this is wrong; what it says counts as of its arrival (decision 17). */
const MAX_CLOCK_LEAD_MS = 60_000

/** An event that claims to be older is taken as this old: longer than any outage that an agent's outbox outlives. */
export const MAX_EVENT_AGE_MS = 366 * 24 * 3_600_000

/** Longer file names are cut. */
const MAX_FILENAME_LENGTH = 1000

const EventData = z.object({ data: z.object({ name: z.string() }) })

/** When the status was collected, in milliseconds, as far as the agent's clock can be believed. */
export function statusTime(status: PrinterStatus, receivedAt: number): number {
  const collectedAt = status._ts * 1000
  return collectedAt > receivedAt + MAX_CLOCK_LEAD_MS ? receivedAt : collectedAt
}

/** What the server knows of a message besides its content. */
export interface Receipt {
  readonly at: number
  /** Older than a status that was applied. */
  readonly late: boolean
  /** Whether the event is one that was stored before. */
  readonly isRepeated: boolean
  readonly recorded: TrackedPrint | undefined
}

/** A message as the print lifecycle wants it. */
export function reportOf(message: StatusMessage, { at, late, isRepeated, recorded }: Receipt): Report {
  const { status } = message
  return {
    current_print_ts: message.current_print_ts,
    event: isRepeated ? undefined : eventOf(message, at),
    at,
    late,
    offline: status.state.text === 'Offline',
    paused: pausedOf(status),
    filename: filenameOf(message),
    progress: progressOf(status),
    recorded,
  }
}

/** The id of the stored file that is being printed, as far as the message names one. Whose it is has yet to be looked at. */
export function storedFileOf({ status }: StatusMessage): number | undefined {
  const id = status.job?.file.service_g_code_file_id
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : undefined
}

/** Decision 25: the server's time of receipt less the age that the agent measured. */
function eventOf({ event }: StatusMessage, at: number): TimedEvent | undefined {
  if (event === undefined) return undefined
  return { type: event.event_type, at: Math.round(at - Math.min(event.age_ms ?? 0, MAX_EVENT_AGE_MS)) }
}

/** The flags, not the text: a printer that is pausing or resuming still has the flag `printing`. */
function pausedOf({ state: { flags } }: PrinterStatus): boolean | undefined {
  if (flags.paused) return true
  const isChanging = flags.pausing || flags.resuming || flags.cancelling || flags.finishing
  return flags.printing && !isChanging ? false : undefined
}

function filenameOf({ event, status }: StatusMessage): string | undefined {
  const told = event === undefined ? undefined : EventData.safeParse(event).data?.data.name
  const name = told ?? status.job?.file.name
  return name === undefined ? undefined : columnText(name, MAX_FILENAME_LENGTH)
}

function progressOf(status: PrinterStatus): PrintProgress {
  const { completion = null, printTime } = status.progress ?? {}
  return {
    completion,
    print_time: amountOf(printTime),
    filament_used: filamentOf(status, completion),
  }
}

/** As the host counts it; else the share of what the file needs, which is all that some hosts can tell. */
function filamentOf({ progress, job }: PrinterStatus, completion: number | null): number | null {
  const counted = amountOf(progress?.['filamentUsed'])
  if (counted !== null) return counted
  if (completion === null || job?.filament === undefined) return null
  let needed: number | null = null
  for (const tool of Object.values(job.filament)) {
    const length = isObject(tool) && 'length' in tool ? amountOf(tool.length) : null
    if (length !== null) needed = (needed ?? 0) + length
  }
  return needed === null ? null : amountOf((needed * Math.min(100, Math.max(0, completion))) / 100)
}

// By hand and not by schema: every message passes here.
const amountOf = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= MAX_PRINT_AMOUNT ? value : null

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
