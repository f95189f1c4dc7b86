import type { PrintEventType, StateFlags, StateText } from '@printwarden/protocol'

/** What brings about a transition, as the tests feed it: words of the host, what its state shows, and what befalls the agent. */
export type Cause =
  | `host ${'started' | 'paused' | 'resumed' | 'done' | 'cancelled' | 'failed'}`
  | `shows ${'idle' | 'printing' | 'pausing' | 'paused' | 'resuming' | 'cancelling' | 'finishing' | 'offline'}`
  /** Idle, and the host still tells how the loaded job ended. */
  | `shows idle after ${'done' | 'cancelled'}`
  | 'shows another job printing'
  | 'host lost'
  | 'agent restarts'
  | 'download begins'
  | 'download ends'
  | `${number} s pass`

/** One row of the table of transitions: what the agent reports when something happens to its printer. */
export interface Transition {
  readonly from: StateText
  /** What happens, for people. */
  readonly trigger: string
  /** How the printer came to `from`. */
  readonly given: readonly Cause[]
  readonly causes: readonly Cause[]
  /** The events that are sent, in order. */
  readonly events: readonly PrintEventType[]
  readonly to: StateText
  /** The flags that are true; all others are false. */
  readonly flags: readonly (keyof StateFlags)[]
  /** What `current_print_ts` is afterwards: −1, the value of before, or a new one. */
  readonly print: 'none' | 'same' | 'new'
}

const idle: Cause[] = ['shows idle']
const printing: Cause[] = [...idle, 'host started', 'shows printing']
const pausing: Cause[] = [...printing, 'shows pausing']
const paused: Cause[] = [...pausing, 'host paused', 'shows paused']
const lost: Cause[] = [...printing, 'host lost']

/** Every transition that the agent reports. The rows of section 3 of the specification are among them. */
export const TRANSITIONS: readonly Transition[] = [
  {
    ...{ from: 'Operational', trigger: 'the host starts a print', given: idle },
    ...{ causes: ['shows printing', 'host started'], events: ['PrintStarted'] },
    ...{ to: 'Printing', flags: ['operational', 'printing'], print: 'new' },
  },
  {
    ...{ from: 'Operational', trigger: 'the host prints for two seconds without having said so', given: idle },
    ...{ causes: ['shows printing', '3 s pass', 'shows printing'], events: ['PrintStarted'] },
    ...{ to: 'Printing', flags: ['operational', 'printing'], print: 'new' },
  },
  {
    ...{ from: 'Operational', trigger: 'the agent fetches a stored file', given: idle },
    ...{ causes: ['download begins'], events: [] },
    ...{ to: 'G-Code Downloading', flags: ['operational'], print: 'none' },
  },
  {
    ...{
      from: 'G-Code Downloading',
      trigger: 'the file is there and the host prints it',
      given: [...idle, 'download begins'],
    },
    ...{ causes: ['shows printing', 'host started', 'download ends'], events: ['PrintStarted'] },
    ...{ to: 'Printing', flags: ['operational', 'printing'], print: 'new' },
  },
  {
    ...{
      from: 'G-Code Downloading',
      trigger: 'the file cannot be had, or is damaged',
      given: [...idle, 'download begins'],
    },
    ...{ causes: ['download ends'], events: [] },
    ...{ to: 'Operational', flags: ['operational', 'ready'], print: 'none' },
  },
  {
    ...{ from: 'Printing', trigger: 'a pause begins', given: printing },
    ...{ causes: ['shows pausing'], events: [] },
    ...{ to: 'Pausing', flags: ['operational', 'pausing'], print: 'same' },
  },
  {
    ...{ from: 'Pausing', trigger: 'the printer has paused', given: pausing },
    ...{ causes: ['host paused', 'shows paused'], events: ['PrintPaused'] },
    ...{ to: 'Paused', flags: ['operational', 'paused'], print: 'same' },
  },
  {
    ...{ from: 'Printing', trigger: 'the printer is paused, though the host has not said so', given: printing },
    ...{ causes: ['shows paused'], events: ['PrintPaused'] },
    ...{ to: 'Paused', flags: ['operational', 'paused'], print: 'same' },
  },
  {
    ...{ from: 'Paused', trigger: 'the print begins to go on', given: paused },
    ...{ causes: ['shows resuming'], events: [] },
    ...{ to: 'Printing', flags: ['operational', 'printing', 'resuming'], print: 'same' },
  },
  {
    ...{
      from: 'Printing',
      trigger: 'the print that was paused goes on (the flag resuming ends)',
      given: [...paused, 'shows resuming'],
    },
    ...{ causes: ['host resumed', 'shows printing'], events: ['PrintResumed'] },
    ...{ to: 'Printing', flags: ['operational', 'printing'], print: 'same' },
  },
  {
    ...{ from: 'Paused', trigger: 'the print goes on, though the host has not said so', given: paused },
    ...{ causes: ['shows printing'], events: ['PrintResumed'] },
    ...{ to: 'Printing', flags: ['operational', 'printing'], print: 'same' },
  },
  {
    ...{ from: 'Printing', trigger: 'a cancel begins', given: printing },
    ...{ causes: ['shows cancelling'], events: [] },
    ...{ to: 'Cancelling', flags: ['operational', 'cancelling'], print: 'same' },
  },
  {
    ...{
      from: 'Cancelling',
      trigger: 'the host has said that it is cancelled, and the printer still moves',
      given: [...printing, 'shows cancelling'],
    },
    ...{ causes: ['host cancelled', 'host failed', 'shows cancelling'], events: [] },
    ...{ to: 'Cancelling', flags: ['operational', 'cancelling'], print: 'same' },
  },
  {
    ...{ from: 'Cancelling', trigger: 'the print is cancelled', given: [...printing, 'shows cancelling'] },
    ...{ causes: ['host cancelled', 'shows idle'], events: ['PrintCancelled'] },
    ...{ to: 'Operational', flags: ['operational', 'ready'], print: 'none' },
  },
  {
    ...{ from: 'Paused', trigger: 'the paused print is cancelled', given: paused },
    ...{ causes: ['shows cancelling', 'host cancelled', 'shows idle'], events: ['PrintCancelled'] },
    ...{ to: 'Operational', flags: ['operational', 'ready'], print: 'none' },
  },
  {
    ...{ from: 'Printing', trigger: 'the last moves are made', given: printing },
    ...{ causes: ['shows finishing'], events: [] },
    ...{ to: 'Printing', flags: ['operational', 'printing', 'finishing'], print: 'same' },
  },
  {
    ...{ from: 'Printing', trigger: 'the print is done', given: printing },
    ...{ causes: ['host done', 'shows idle'], events: ['PrintDone'] },
    ...{ to: 'Operational', flags: ['operational', 'ready'], print: 'none' },
  },
  {
    ...{ from: 'Printing', trigger: 'the print fails, the printer stays with its host', given: printing },
    ...{ causes: ['host failed', 'shows idle'], events: ['PrintFailed'] },
    ...{ to: 'Operational', flags: ['operational', 'ready'], print: 'none' },
  },
  {
    ...{ from: 'Printing', trigger: 'the print fails since the host has lost the printer', given: printing },
    ...{ causes: ['shows offline', 'host failed', 'shows offline'], events: ['PrintFailed'] },
    ...{ to: 'Offline', flags: ['closedOrError'], print: 'none' },
  },
  {
    ...{
      from: 'Printing',
      trigger: 'the host has lost the printer for two seconds and says nothing of the print',
      given: printing,
    },
    ...{ causes: ['shows offline', '3 s pass', 'shows offline'], events: ['PrintFailed'] },
    ...{ to: 'Offline', flags: ['closedOrError'], print: 'none' },
  },
  {
    ...{
      from: 'Printing',
      trigger: 'the printer is idle for two seconds and the host says nothing of the print',
      given: printing,
    },
    ...{ causes: ['shows idle', '3 s pass', 'shows idle'], events: ['PrintFailed'] },
    ...{ to: 'Operational', flags: ['operational', 'ready'], print: 'none' },
  },
  {
    ...{ from: 'Printing', trigger: 'another print starts with no word of the end of this one', given: printing },
    ...{ causes: ['host started', 'shows another job printing'], events: ['PrintFailed', 'PrintStarted'] },
    ...{ to: 'Printing', flags: ['operational', 'printing'], print: 'new' },
  },
  {
    ...{ from: 'Printing', trigger: 'the host cannot be reached: the print may well go on', given: printing },
    ...{ causes: ['host lost'], events: [] },
    ...{ to: 'Offline', flags: ['closedOrError'], print: 'same' },
  },
  {
    ...{ from: 'Offline', trigger: 'the host is back and prints the same job', given: lost },
    ...{ causes: ['shows printing'], events: [] },
    ...{ to: 'Printing', flags: ['operational', 'printing'], print: 'same' },
  },
  {
    ...{ from: 'Offline', trigger: 'the host is back and has paused', given: lost },
    ...{ causes: ['shows paused'], events: ['PrintPaused'] },
    ...{ to: 'Paused', flags: ['operational', 'paused'], print: 'same' },
  },
  {
    ...{ from: 'Offline', trigger: 'the host is back and has finished the job', given: lost },
    ...{ causes: ['shows idle after done'], events: ['PrintDone'] },
    ...{ to: 'Operational', flags: ['operational', 'ready'], print: 'none' },
  },
  {
    ...{ from: 'Offline', trigger: 'the host is back and has cancelled the job', given: lost },
    ...{ causes: ['shows idle after cancelled'], events: ['PrintCancelled'] },
    ...{ to: 'Operational', flags: ['operational', 'ready'], print: 'none' },
  },
  {
    ...{ from: 'Offline', trigger: 'the host is back, idle, and knows nothing of the job', given: lost },
    ...{ causes: ['shows idle'], events: ['PrintFailed'] },
    ...{ to: 'Operational', flags: ['operational', 'ready'], print: 'none' },
  },
  {
    ...{ from: 'Offline', trigger: 'the host is back and prints another job', given: lost },
    ...{ causes: ['shows another job printing'], events: ['PrintFailed', 'PrintStarted'] },
    ...{ to: 'Printing', flags: ['operational', 'printing'], print: 'new' },
  },
  {
    ...{ from: 'Operational', trigger: 'the host cannot be reached, or has lost the printer', given: idle },
    ...{ causes: ['host lost'], events: [] },
    ...{ to: 'Offline', flags: ['closedOrError'], print: 'none' },
  },
  {
    ...{ from: 'Offline', trigger: 'the host is there and idle', given: [...idle, 'host lost'] },
    ...{ causes: ['shows idle'], events: [] },
    ...{ to: 'Operational', flags: ['operational', 'ready'], print: 'none' },
  },
  {
    ...{ from: 'Printing', trigger: 'the agent is started anew while the print goes on', given: printing },
    ...{ causes: ['agent restarts', 'shows printing'], events: [] },
    ...{ to: 'Printing', flags: ['operational', 'printing'], print: 'same' },
  },
  {
    ...{
      from: 'Cancelling',
      trigger: 'the agent is started anew before it could tell of the end',
      given: [...printing, 'shows cancelling', 'host cancelled'],
    },
    ...{ causes: ['agent restarts', 'shows idle'], events: ['PrintCancelled'] },
    ...{ to: 'Operational', flags: ['operational', 'ready'], print: 'none' },
  },
]

/** The table for people, in Markdown. */
export function transitionTable(rows: readonly Transition[] = TRANSITIONS): string {
  const PRINT: Record<Transition['print'], string> = { none: '−1', same: 'the same', new: 'a new value' }
  const lines = rows.map(({ from, trigger, events, to, flags, print }) => {
    const cells = [from, trigger, events.join(', then ') || '–', to, flags.join(', '), PRINT[print]]
    return `| ${cells.join(' | ')} |`
  })
  const head = ['From', 'What happens', 'Event', 'To', 'Flags that are true', '`current_print_ts`']
  return [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`, ...lines].join('\n')
}
