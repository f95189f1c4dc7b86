import { PrinterStatus } from '@printwarden/protocol'
import { findPrint, type PrintRow } from '../prints/store.js'
import type { BlobStore, Bus, Clock, Database, LiveStore, Log } from '../ports.js'
import type { PrinterFlow } from '../printers/flow.js'
import { statusKey } from '../printers/live-keys.js'
import { type PrinterNotice, printerSubject } from '../printers/notices.js'
import { findPrinter, type PrinterRow } from '../printers/store.js'
import { notWatchingCode } from '../printers/watching.js'
import { alertFlow } from './alert-flow.js'
import type { Detector, Findings } from './detector.js'
import { type Frame, type FrameContext, followedPrint, predictionRow, smoothingFrame } from './frame.js'
import { pictureFlow } from './picture-flow.js'
import { predictionsFlow } from './predictions-flow.js'
import { applyFrame, follow, warmUp } from './smoothing.js'
import type { SmoothingKind, SmoothingState } from './smoothing-state.js'
import { stateFlow } from './state-flow.js'

export interface FrameFlowDeps {
  readonly database: Database
  readonly blobs: BlobStore
  readonly bus: Bus
  readonly live: LiveStore
  readonly clock: Clock
  readonly log: Log
  readonly detector: Pick<Detector, 'ready'>
  readonly printers: Pick<PrinterFlow, 'send'>
  readonly smoothing: SmoothingKind
}

export type FrameFlow = ReturnType<typeof frameFlow>

/** What is done about one frame. All of it must run in the printer's turn, but for `isWatched`. */
export function frameFlow(deps: FrameFlowDeps) {
  const { database, bus, live, clock, log, detector } = deps
  const { db } = database
  const states = stateFlow({ ...deps, kind: deps.smoothing })
  const predictions = predictionsFlow(deps)
  const pictures = pictureFlow(deps)
  const alerts = alertFlow({ ...deps, pictures })

  const tell = (printerId: number, notice: PrinterNotice): void => bus.publish(printerSubject(printerId), notice)

  async function currentPrint(printer: PrinterRow): Promise<PrintRow | undefined> {
    return printer.current_print_id === null ? undefined : findPrint(db, printer.current_print_id)
  }

  /** What the frame is judged with; undefined when it is not, since its print is not watched or over. */
  async function contextOf(frame: Frame): Promise<FrameContext | undefined> {
    const printer = await findPrinter(db, frame.printer_id)
    const print = printer && (await currentPrint(printer))
    if (printer === undefined || print === undefined) return undefined
    const status = PrinterStatus.safeParse(await live.get(statusKey(printer.id))).data ?? null
    const facts = { printer, print, status, pic: { ts: frame.frame_at / 1000 }, detectorReady: detector.ready() }
    if (notWatchingCode(facts, clock.now()) !== null) return undefined
    return frame.print_id === null || frame.print_id === print.id ? { printer, print } : undefined
  }

  /** Whether the frame is of a print that is watched. */
  async function isWatched(frame: Frame): Promise<boolean> {
    return (await contextOf(frame)) !== undefined
  }

  /** From findings to the gauge, the prediction, the alert and the picture. */
  async function conclude(frame: Frame, findings: Findings): Promise<void> {
    // Read again: while the detector looked, the print may have been muted, answered or ended.
    const context = await contextOf(frame)
    if (context === undefined) return
    const { printer, print } = context
    const now = clock.now()
    const before = follow(await states.read(printer), followedPrint(print), now)
    const smoothed = applyFrame(before, smoothingFrame(frame, findings, printer.detective_sensitivity))
    if (smoothed === undefined || !(await states.keep(printer.id, smoothed.state))) return
    tell(printer.id, { type: 'gauge', normalized_p: smoothed.state.normalized_p })
    predictions.add(predictionRow(frame, context, findings, smoothed.state, now))
    await alerts.judge(frame, context, smoothed.level, findings.tagged)
    if (findings.tagged !== null) await showTagged(frame, findings.tagged)
    await states.checkpoint(printer.id)
  }

  /**
   * Smooths findings that an app asked for together with those before. The gauge, which shows what the camera sees, stays as it is,
   * and nobody is alerted. Undefined when nothing is being printed.
   */
  async function measure(printerId: number, findings: Findings): Promise<SmoothingState | undefined> {
    const printer = await findPrinter(db, printerId)
    const print = printer && (await currentPrint(printer))
    if (printer === undefined || print === undefined) return undefined
    const now = clock.now()
    const before = follow(await states.read(printer), followedPrint(print), now)
    const frame_at = Math.max(now, (before.frame_at ?? 0) + 1)
    const smoothed = applyFrame(before, smoothingFrame({ frame_at }, findings, printer.detective_sensitivity))
    if (smoothed === undefined) return undefined
    const after = { ...smoothed.state, normalized_p: before.normalized_p }
    await states.keep(printerId, after)
    await states.checkpoint(printerId)
    return after
  }

  async function showTagged(frame: Frame, tagged: Uint8Array): Promise<void> {
    await pictures.show(frame, tagged).catch((err: unknown) => {
      log.warn({ err, printer_id: frame.printer_id }, 'a tagged picture could not be kept')
    })
  }

  /** Changes a printer's state between two frames, and tells what the gauge shows then. */
  async function change(
    printerId: number,
    make: (before: SmoothingState, printer: PrinterRow) => Promise<SmoothingState> | SmoothingState,
  ): Promise<void> {
    const printer = await findPrinter(db, printerId)
    if (printer === undefined) return
    const before = await states.read(printer)
    const after = await make(before, printer)
    if (after === before || !(await states.keep(printerId, after))) return
    await states.checkpoint(printerId, true)
    if (after.normalized_p !== before.normalized_p) tell(printerId, { type: 'gauge', normalized_p: after.normalized_p })
  }

  /** A print began or ended. */
  async function reset(printerId: number): Promise<void> {
    await predictions.flush()
    await change(printerId, async (before, printer) => {
      const print = await currentPrint(printer)
      if (before.print_id !== null && before.print_id !== print?.id) alerts.forget(before.print_id)
      return follow(before, print === undefined ? null : followedPrint(print), clock.now())
    })
  }

  /** The print goes on, or the user has answered: look afresh. */
  async function startAfresh(printerId: number): Promise<void> {
    await change(printerId, (before) => warmUp(before, clock.now()))
  }

  /** Writes what is not written yet. */
  async function close(): Promise<void> {
    await predictions.flush()
    await states.close()
  }

  return { isWatched, conclude, measure, reset, warmUp: startAfresh, close }
}
