import { MAX_PRINTS } from '@printwarden/protocol'

/** The filters of `GET /api/v1/prints/`. */
export type PrintFilter = 'cancelled' | 'finished' | 'failed' | 'need_alert_overwrite' | 'need_print_shot_feedback'

/** The query of `GET /api/v1/prints/`, as the endpoint's schema gives it. */
export interface PrintQuery {
  readonly filter?: PrintFilter | undefined
  readonly sorting?: 'date_desc' | 'date_asc' | undefined
  readonly start?: number | undefined
  readonly limit?: number | undefined
  readonly 'filter_by_printer_ids[]'?: readonly number[] | undefined
}

/** Which prints: all pages together. */
export interface PrintSelection {
  readonly filter: PrintFilter | undefined
  /** undefined means those of all printers. */
  readonly printerIds: readonly number[] | undefined
}

/** Which part of the selected prints, in which order. */
export interface PrintPage {
  readonly order: 'asc' | 'desc'
  readonly start: number
  readonly limit: number
}

export function selectionOf(query: PrintQuery): PrintSelection {
  return { filter: query.filter, printerIds: query['filter_by_printer_ids[]'] }
}

/** Without `sorting` newest first; without `limit` as many as one answer may hold (decision 6). */
export function pageOf(query: PrintQuery): PrintPage {
  return {
    order: query.sorting === 'date_asc' ? 'asc' : 'desc',
    start: query.start ?? 0,
    limit: query.limit ?? MAX_PRINTS,
  }
}
