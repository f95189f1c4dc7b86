import type { Deviation } from '@printwarden/protocol'

/**
 * In what a message departs from the contract, and what the server makes of it (wire facts, section 0, rows 13–20). A closed list: what is
 * counted per printer stays small, whatever an agent sends.
 */
export const DEVIATIONS = {
  empty_message: 'It sends messages with nothing in them; the printer counts as offline until the next status.',
  status_left_out: 'It sends settings or events without a status; the printer counts as offline until the next status.',
  print_ts_left_out: 'It leaves out current_print_ts; a print that runs stays open.',
  print_ts_changed: 'It names one print by two start times less than 20 seconds apart; the first one counts.',
  print_without_file: 'It reports a print without naming its file; it counts once the file is named.',
  ts_left_out: 'It leaves out status._ts; the time of arrival counts.',
  state_left_out: 'It leaves out status.state; the printer counts as offline.',
  state_text_other: 'It reports states beyond the seven; each is shown as the nearest one.',
  'flags.operational_left_out': 'It leaves out flags.operational; that means false.',
  'flags.printing_left_out': 'It leaves out flags.printing; that means false.',
  'flags.cancelling_left_out': 'It leaves out flags.cancelling; that means false.',
  'flags.pausing_left_out': 'It leaves out flags.pausing; that means false.',
  'flags.resuming_left_out': 'It leaves out flags.resuming; that means false.',
  'flags.finishing_left_out': 'It leaves out flags.finishing; that means false.',
  'flags.paused_left_out': 'It leaves out flags.paused; that means false.',
  flag_below_text: 'It says Pausing, Resuming, Cancelling or Finishing without setting the flag; the flag is set.',
  file_unnamed: 'It sends a job whose file has no name; that means no job.',
  null_value: 'It writes null where a field should be left out; that means left out.',
  wrong_type: 'It writes values of another type than the contract has; they are left out.',
  heater_names: 'It names heaters in its own way; they are shown under its names.',
  event_unknown: 'It sends events beyond those of a print; they are ignored.',
  failed_after_cancel: 'It reports a cancelled print as failed, too; it stays cancelled.',
  legacy_names: 'It uses old names for settings, status and event; an update of the agent would help.',
  legacy_file_id: 'It tells the stored file under an old name; an update of the agent would help.',
  legacy_webcam: 'It tells one camera under an old name; an update of the agent would help.',
  agent_unnamed: 'It sends settings without its own name and version.',
  binary_message: 'It sends binary messages; they are read like the others.',
  unreadable: 'It sends messages that cannot be read; they are ignored.',
} as const

export type DeviationKind = keyof typeof DEVIATIONS

/** How often one of them was seen, as it is stored. */
export interface CountedDeviation {
  readonly kind: string
  readonly count: number
  readonly first_seen_at: number
  readonly last_seen_at: number
}

/** What is shown, the most frequent first. A kind that another version counted is left out: there are no words for it. */
export function deviationViews(counted: readonly CountedDeviation[]): Deviation[] {
  const views = counted.flatMap(({ kind, count, first_seen_at, last_seen_at }): Deviation[] => {
    if (!isKind(kind)) return []
    const seen = { first_seen_at: new Date(first_seen_at), last_seen_at: new Date(last_seen_at) }
    return [
      {
        ...{ kind, detail: DEVIATIONS[kind], count },
        first_seen_at: seen.first_seen_at.toISOString(),
        last_seen_at: seen.last_seen_at.toISOString(),
      },
    ]
  })
  return views.sort((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1))
}

const isKind = (kind: string): kind is DeviationKind => Object.hasOwn(DEVIATIONS, kind)
