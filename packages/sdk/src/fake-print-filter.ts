import type { FakePrintRecord, FakeState } from './fake-state.js'
import { printView } from './fake-views.js'

type Filter = 'finished' | 'cancelled' | 'failed' | 'need_alert_overwrite' | 'need_print_shot_feedback'

/** The filters that lists and statistics of prints share. */
export interface FakePrintFilters {
  readonly filter?: Filter | undefined
  readonly feedback_needed?: Filter | undefined
  readonly 'filter_by_printer_ids[]'?: readonly number[] | undefined
}

/** Whether a print passes every filter that is given. */
export function isWanted(state: FakeState, print: FakePrintRecord, filters: FakePrintFilters): boolean {
  const printers = filters['filter_by_printer_ids[]']
  return (
    matches(state, print, filters.filter) &&
    matches(state, print, filters.feedback_needed) &&
    (printers === undefined || printers.includes(print.printerId))
  )
}

function matches(state: FakeState, print: FakePrintRecord, filter: Filter | undefined): boolean {
  const { finished_at, cancelled_at, failed_at } = print.summary
  switch (filter) {
    case 'finished':
      return finished_at !== null
    case 'cancelled':
      return cancelled_at !== null
    case 'failed':
      return failed_at !== null
    case 'need_alert_overwrite':
    case 'need_print_shot_feedback':
      return printView(state, print, { canWrite: false })[filter]
    case undefined:
      return true
  }
}
