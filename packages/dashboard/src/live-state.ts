import { type ReadonlySignal, signal } from '@preact/signals'
import type { Client, Command, LiveStatus, LiveSubscription, Printer, PrinterEvent, Timelapse } from '@printwarden/sdk'
import { type HeatSample, heatSample, type ScoreSample, withSample } from './samples.js'

const KEEP_SECONDS = 4 * 3600
const MOST_SAMPLES = 3000

/** What this tab knows of the printers, and whether it is up to date. */
export interface LiveState {
  readonly printers: ReadonlySignal<ReadonlyMap<number, Printer>>
  /** Whether the printers have been told at all. */
  readonly isLoaded: ReadonlySignal<boolean>
  readonly status: ReadonlySignal<LiveStatus>
  /** When what is shown was last known to be true, in Unix seconds; undefined while it is. */
  readonly lostAt: ReadonlySignal<number | undefined>
  /** The newest command of each printer since the tab was opened. */
  readonly commands: ReadonlySignal<ReadonlyMap<number, Command>>
  /** What happened since the tab was opened, newest first. */
  readonly events: ReadonlySignal<readonly PrinterEvent[]>
  /** The heaters of each printer since the tab was opened. */
  readonly heat: ReadonlySignal<ReadonlyMap<number, readonly HeatSample[]>>
  /** The failure gauge of each print since the tab was opened. */
  readonly scores: ReadonlySignal<ReadonlyMap<number, readonly ScoreSample[]>>
  /** When each printer's status last arrived, in Unix seconds. */
  readonly heardAt: ReadonlySignal<ReadonlyMap<number, number>>
  /** How far the time-lapses of prints are, as told since the tab was opened. */
  readonly timelapses: ReadonlySignal<ReadonlyMap<number, Timelapse | null>>
  /** Takes over what an action answered, without waiting for the socket. */
  readonly putPrinter: (printer: Printer) => void
  readonly putCommand: (command: Command) => void
  /** Forgets a printer that was deleted here. */
  readonly dropPrinter: (id: number) => void
  readonly close: () => void
}

/** Follows all printers of the user. `now` gives the server's time in Unix seconds. */
export function openLiveState(client: Client, now: () => number): LiveState {
  const printers = signal<ReadonlyMap<number, Printer>>(new Map())
  const isLoaded = signal(false)
  const status = signal<LiveStatus>({ state: 'connecting' })
  const lostAt = signal<number | undefined>(undefined)
  const commands = signal<ReadonlyMap<number, Command>>(new Map())
  const events = signal<readonly PrinterEvent[]>([])
  const heat = signal<ReadonlyMap<number, readonly HeatSample[]>>(new Map())
  const scores = signal<ReadonlyMap<number, readonly ScoreSample[]>>(new Map())
  const timelapses = signal<ReadonlyMap<number, Timelapse | null>>(new Map())
  const heardAt = signal<ReadonlyMap<number, number>>(new Map())

  function take(printer: Printer, changes: Partial<Printer>): void {
    const ts = now()
    if (changes.status) {
      heardAt.value = withEntry(heardAt.value, printer.id, ts)
      const sample = heatSample(changes.status, ts)
      if (sample !== undefined) heat.value = withMore(heat.value, printer.id, sample)
    }
    const print = printer.current_print
    if (changes.normalized_p !== undefined && print !== null && printer.not_watching_code === null) {
      scores.value = withMore(scores.value, print.id, { ts, score: printer.normalized_p })
    }
  }

  function putCommand(command: Command): void {
    const known = commands.value.get(command.printer_id)
    if (known !== undefined && known.created_at > command.created_at) return
    commands.value = withEntry(commands.value, command.printer_id, command)
  }

  const live: LiveSubscription = client.live({
    printers: 'all',
    onState: (all) => {
      printers.value = live.printers
      for (const printer of all) take(printer, printer)
      isLoaded.value = true
    },
    onChange: (printer, changes) => {
      printers.value = live.printers
      take(printer, changes)
    },
    onRemoved: () => {
      printers.value = live.printers
    },
    onCommand: putCommand,
    onEvent: (event) => {
      events.value = [event, ...events.value.filter((known) => known.id !== event.id)].slice(0, 200)
    },
    onTimelapse: ({ print_id, timelapse }) => {
      timelapses.value = withEntry(timelapses.value, print_id, timelapse)
    },
    onStatus: (next) => {
      if (next.state === 'live') lostAt.value = undefined
      else lostAt.value ??= now()
      status.value = next
    },
  })

  return {
    printers,
    isLoaded,
    status,
    lostAt,
    commands,
    events,
    heat,
    scores,
    heardAt,
    timelapses,
    putPrinter: (printer) => {
      printers.value = withEntry(printers.value, printer.id, withNewestStatus(printer, printers.value.get(printer.id)))
    },
    putCommand,
    dropPrinter: (id) => {
      printers.value = new Map([...printers.value].filter(([known]) => known !== id))
    },
    close: () => live.close(),
  }
}

/** What an action answered may have been read before the status that the socket has told since. */
function withNewestStatus(answered: Printer, known: Printer | undefined): Printer {
  const isNewer = known?.status && answered.status && known.status._ts > answered.status._ts
  return isNewer ? { ...answered, status: known.status } : answered
}

function withEntry<Value>(map: ReadonlyMap<number, Value>, id: number, value: Value): ReadonlyMap<number, Value> {
  return new Map(map).set(id, value)
}

function withMore<Sample extends { readonly ts: number }>(
  map: ReadonlyMap<number, readonly Sample[]>,
  id: number,
  sample: Sample,
): ReadonlyMap<number, readonly Sample[]> {
  return withEntry(map, id, withSample(map.get(id) ?? [], sample, KEEP_SECONDS, MOST_SAMPLES))
}
