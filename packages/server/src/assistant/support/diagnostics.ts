import type { listDeviationCounts, listLastEvents, PrinterDiagnosis } from './support-store.js'

type Rows<List extends (...args: never[]) => Promise<unknown>> = Awaited<ReturnType<List>>

/** What diagnostics are made from. */
export interface DiagnosticsSource {
  readonly version: string
  readonly node: string
  readonly platform: string
  readonly printers: readonly PrinterDiagnosis[]
  /** The state's text of each printer by its id, as its agent told it; absent when it is silent. */
  readonly states: ReadonlyMap<number, string>
  readonly deviations: Rows<typeof listDeviationCounts>
  readonly events: Rows<typeof listLastEvents>
}

/** A word as programs use it. Whatever else an agent or a person may have put there is not passed on. */
const word = (text: string | null | undefined): string | null => {
  if (text == null) return null
  return /^[\w.+-]{1,40}( [\w.+-]{1,40}){0,3}$/.test(text) && !/\d+\.\d+\.\d+\.\d+/.test(text) ? text : 'left out'
}

/**
 * What a user may agree to send along: versions, states and counts. Names, files, messages, addresses and keys are not in what it is
 * made from, and texts that agents chose are passed on only where they are plain words. Printers are numbered anew.
 */
export function diagnosticsOf(source: DiagnosticsSource): string {
  const numbers = new Map(source.printers.map(({ id }, index) => [id, index + 1]))
  const printers = source.printers.map((printer) => ({
    printer: numbers.get(printer.id),
    agent: word(printer.agent_name),
    agent_version: word(printer.agent_version),
    state: word(source.states.get(printer.id)) ?? 'silent',
    is_watched: printer.watching_enabled === 1,
    is_archived: printer.archived_at !== null,
    is_printing: printer.current_print_id !== null,
    deviations: Object.fromEntries(
      source.deviations.filter(({ printer_id }) => printer_id === printer.id).map(({ kind, count }) => [kind, count]),
    ),
  }))
  const events = source.events.map(({ printer_id, event_type, event_class, created_at }) => ({
    printer: numbers.get(printer_id) ?? null,
    type: word(event_type),
    class: word(event_class),
    at: new Date(created_at).toISOString(),
  }))
  const { version, node, platform } = source
  return JSON.stringify({ server: { version, node, platform }, printers, events }, null, 2)
}
