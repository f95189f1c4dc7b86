import type { HostDeps, HostPhase } from '../../host.js'
import type { FilePrint } from './file-print.js'
import { mergeReadings } from './reports.js'
import { NEW_SERIAL_VIEW, snapshotOf, type SerialView } from './translate.js'

/** What the telling looks at, at the moment when it tells. */
export interface Told {
  readonly lines: () => SerialView['lines']
  readonly print: () => FilePrint | undefined
}

/** What is known of a printer that prints from here, told whenever it does something else. */
export class Telling {
  private known: SerialView = NEW_SERIAL_VIEW
  private countedMs = 0
  private isClosed = false

  constructor(
    private readonly deps: HostDeps,
    private readonly told: Told,
  ) {}

  get view(): SerialView {
    return this.known
  }

  set(change: Partial<SerialView>): void {
    this.known = { ...this.known, ...change }
  }

  heat(temperatures: SerialView['temperatures']): void {
    this.set({ temperatures: mergeReadings(this.known.temperatures, temperatures) })
  }

  enter(phase: HostPhase): void {
    this.count()
    this.set({ phase })
    this.tell()
  }

  /** Takes over how far the file is. */
  see(): void {
    const print = this.told.print()
    if (print) this.set({ byte: print.byte, gCode: print.gCode, job: jobOf(print) })
  }

  tell(): void {
    if (this.isClosed) return
    this.see()
    const { transmitted, resends } = this.told.lines()
    this.set({ lines: { transmitted, resends } })
    this.deps.report({ type: 'snapshot', snapshot: snapshotOf(this.known) })
  }

  /** Counts the time since the last time it was counted, if something was printed in it. */
  count(): void {
    const nowMs = this.deps.clock.monotonicMs()
    const { phase, printedMs } = this.known
    if (phase === 'printing' || phase === 'finishing') {
      this.set({ printedMs: (printedMs ?? 0) + nowMs - this.countedMs })
    }
    this.countedMs = nowMs
  }

  /** Nothing is told any more. */
  close(): void {
    this.isClosed = true
  }
}

/** The file that is printed, as it is told. */
export function jobOf({ name, size }: FilePrint): SerialView['job'] {
  return { name, size, origin: 'local' }
}
