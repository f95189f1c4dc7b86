import type { PrinterEventRow } from '../../prints/events-store.js'
import type { PrintRow } from '../../prints/store.js'
import type { TemperatureReading } from '../../prints/temperatures.js'

/** A picture that is kept of a print, and where it lies. */
export interface PastPicture {
  readonly key: string
  /** When it was taken, in milliseconds. */
  readonly taken_at: number
  /** Whether it was turned already as its user sees it. */
  readonly isUpright: boolean
}

/** How bad a camera's picture looked, by the gauge: 0 to 1. */
export interface PastScore {
  readonly frame_at: number
  readonly normalized_p: number
  /** The primary camera is null. */
  readonly camera_id: number | null
}

/** An alert with the picture that decided, if that is kept. */
export interface PastAlert {
  readonly frame_at: number
  readonly key: string | null
}

/** A printer's line of history, as far as it tells of a print. */
export type PastEvent = Pick<
  PrinterEventRow,
  'event_type' | 'event_class' | 'event_title' | 'event_text' | 'created_at'
>

/** All that is kept of a print that has ended. Everything is in order of time. */
export interface PrintPast {
  readonly print: Pick<
    PrintRow,
    | 'filename'
    | 'state'
    | 'started_at'
    | 'finished_at'
    | 'cancelled_at'
    | 'failed_at'
    | 'end_assumed'
    | 'print_time'
    | 'filament_used'
    | 'last_action'
    | 'alert_overwrite'
  >
  readonly events: readonly PastEvent[]
  readonly scores: readonly PastScore[]
  readonly temperatures: readonly TemperatureReading[]
  readonly pictures: readonly PastPicture[]
  readonly alerts: readonly PastAlert[]
}

/** Something that happened, before all of them are numbered. */
export interface DraftMoment {
  readonly kind: 'picture' | 'score' | 'temperature' | 'event'
  /** In milliseconds. */
  readonly at: number
  readonly text: string
}

/** When the print ended, in milliseconds. */
export const endOf = ({ print }: Pick<PrintPast, 'print'>): number =>
  print.finished_at ?? print.failed_at ?? print.cancelled_at ?? print.started_at
