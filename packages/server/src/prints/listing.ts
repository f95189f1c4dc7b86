import { MAX_PRINTS } from '@printwarden/protocol'
import { dayOf, startOfDay } from './time-zone.js'

/** What a print may still need from its user. */
export type PrintNeed = 'need_alert_overwrite' | 'need_print_shot_feedback'

/** The values of `filter`. */
export type PrintFilter = 'cancelled' | 'finished' | 'failed' | PrintNeed

/** The query parameters that select prints, of the list as of the statistics. */
export interface SelectionQuery {
  readonly filter?: PrintFilter | undefined
  readonly feedback_needed?: PrintNeed | undefined
  readonly 'filter_by_printer_ids[]'?: readonly number[] | undefined
  readonly from_date?: string | undefined
  readonly to_date?: string | undefined
  readonly timezone?: string | undefined
}

/** The query of `GET /api/v1/prints/`, as the endpoint's schema gives it. */
export interface PrintQuery extends SelectionQuery {
  readonly sorting?: 'date_desc' | 'date_asc' | undefined
  readonly start?: number | undefined
  readonly limit?: number | undefined
}

/** Which prints: all pages together. */
export interface PrintSelection {
  /** All of them must hold. */
  readonly filters: readonly PrintFilter[]
  /** undefined means those of all printers. */
  readonly printerIds: readonly number[] | undefined
  /** Started at this instant or later. */
  readonly startedFrom: number | undefined
  /** Started earlier than this instant. */
  readonly startedBefore: number | undefined
}

/** Which part of the selected prints, in which order. */
export interface PrintPage {
  readonly order: 'asc' | 'desc'
  readonly start: number
  readonly limit: number
}

/** Dates are whole days of the time zone, both inclusive. */
export function selectionOf(query: SelectionQuery): PrintSelection {
  const { filter, feedback_needed, from_date, to_date, timezone = 'UTC' } = query
  const filters = [...new Set([filter, feedback_needed])].filter((one) => one !== undefined)
  return {
    filters,
    printerIds: query['filter_by_printer_ids[]'],
    startedFrom: from_date === undefined ? undefined : startOfDay(timezone, dayOf(from_date)),
    startedBefore: to_date === undefined ? undefined : startOfDay(timezone, dayOf(to_date) + 1),
  }
}

/** Without `sorting` newest first; without `limit` as many as one answer may hold (decision 6). */
export function pageOf(query: PrintQuery): PrintPage {
  return {
    order: query.sorting === 'date_asc' ? 'asc' : 'desc',
    start: query.start ?? 0,
    limit: query.limit ?? MAX_PRINTS,
  }
}

/** Prints that are passed over to get to a page: so many are skipped in a fraction of a millisecond. */
const FEW_SKIPPED = 1000

/** Whether the page is found at once: all prints in their order, and not many before it. */
export function isNearFront(selection: PrintSelection, { start }: PrintPage): boolean {
  const { filters, printerIds, startedFrom, startedBefore } = selection
  const isWhole = filters.length === 0 && printerIds === undefined
  return isWhole && startedFrom === undefined && startedBefore === undefined && start <= FEW_SKIPPED
}
