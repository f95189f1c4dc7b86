import { PrinterStatus } from '@printwarden/protocol'
import { findPrint, type PrintRow } from '../prints/store.js'
import type { BlobStore, Bus, Clock, Database, LiveStore, Log } from '../ports.js'
import type { PrinterFlow } from '../printers/flow.js'
import { gaugeKey, SMOOTHING_TTL_MS, statusKey } from '../printers/live-keys.js'
import { type PrinterNotice, printerSubject } from '../printers/notices.js'
import { findPrinter, type PrinterRow } from '../printers/store.js'
import { notWatchingCode } from '../printers/watching.js'
import { alertFlow } from './alerts/alert-flow.js'
import { type CameraRow, listCameras } from './cameras/cameras-store.js'
import { withCalibration } from './teaching/calibration.js'
import { judgedFindings } from './context/context.js'
import type { ContextFlow } from './context/context-flow.js'
import { settingsOf } from './cameras/camera-settings.js'
import type { Detector, Findings } from './detector.js'
import { evidenceFlow } from './alerts/evidence-flow.js'
import { decide, type DecisionSettings } from './decide.js'
import { type Frame, type FrameContext, followedPrint, predictionRow, smoothingFrame } from './frame.js'
import { PRIMARY, readGauge, withCamera } from './gauge.js'
import { pictureFlow } from './picture-flow.js'
import { predictionsFlow } from './predictions-flow.js'
import { applyFrame, follow, suspicion, warmUp } from './smoothing/smoothing.js'
import type { SmoothingKind, SmoothingState } from './smoothing/smoothing-state.js'
import { ownerOf, type StateOwner, stateFlow } from './state-flow.js'
import type { WatchFlow } from './watching/watch-flow.js'
import { alertsInTime } from './watching/would-alert.js'
import { wishFlow } from './cameras/wish-flow.js'

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

/** What knows the cameras: made by the caller, who asks it how to look at a picture. */
export interface FrameFlowParts {
  readonly contexts: Pick<ContextFlow, 'weigh' | 'learn' | 'settle' | 'close'>
  readonly watch: Pick<WatchFlow, 'analysed'>
}

export type FrameFlow = ReturnType<typeof frameFlow>

/** What is done about one frame. All of it must run in the printer's turn, but for `isWatched`. */
export function frameFlow(deps: FrameFlowDeps & FrameFlowParts) {
  const { database, bus, live, clock, log, detector, contexts, watch } = deps
  // Rows by their key, read for each frame: without changing the thread.
  const { quick } = database
  const states = stateFlow({ ...deps, kind: deps.smoothing })
  const predictions = predictionsFlow(deps)
  const pictures = pictureFlow(deps)
  const evidence = evidenceFlow({ ...deps, predictions })
  const alerts = alertFlow({ ...deps, pictures, evidence })

  const wishes = wishFlow(deps)

  const tell = (printerId: number, notice: PrinterNotice): void => bus.publish(printerSubject(printerId), notice)

  async function currentPrint(printer: PrinterRow): Promise<PrintRow | undefined> {
    return printer.current_print_id === null ? undefined : findPrint(quick, printer.current_print_id)
  }

  /** What the frame is judged with; undefined when it is not, since its print is not watched or over. */
  async function contextOf(frame: Frame): Promise<FrameContext | undefined> {
    const printer = await findPrinter(quick, frame.printer_id)
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

  /** Shows what one camera's state says; the printer's gauge is that of its worst camera. */
  async function showGauge({ printer, camera }: StateOwner, state: SmoothingState): Promise<number> {
    const now = clock.now()
    const before = readGauge(await live.get(gaugeKey(printer.id)))
    const after = withCamera(before, camera?.id ?? PRIMARY, state.normalized_p, now)
    if (!(await live.put(gaugeKey(printer.id), after, { ts: now, ttlMs: SMOOTHING_TTL_MS }))) return before.normalized_p
    tell(printer.id, { type: 'gauge', normalized_p: after.normalized_p })
    return after.normalized_p
  }

  /** A camera is not looked at any more: what it showed says nothing. */
  async function leaveOut(camera: CameraRow): Promise<void> {
    const now = clock.now()
    const before = readGauge(await live.get(gaugeKey(camera.printer_id)))
    const after = withCamera(before, camera.is_primary === 1 ? PRIMARY : camera.id, null, now)
    await live.put(gaugeKey(camera.printer_id), after, { ts: now, ttlMs: SMOOTHING_TTL_MS })
    tell(camera.printer_id, { type: 'gauge', normalized_p: after.normalized_p })
  }

  /** From findings to the gauge, the prediction, the alert and the picture. */
  async function conclude(frame: Frame, found: Findings): Promise<void> {
    // Read again: while the detector looked, the print may have been muted, answered or ended.
    const context = await contextOf(frame)
    if (context === undefined) return
    const { printer, print } = context
    const judged = await contexts.weigh(frame, print, found)
    const weighed = withCalibration(judged, frame.camera.calibration_offset)
    const findings = judgedFindings(found, weighed)
    const owner = ownerOf(printer, frame.camera)
    const now = clock.now()
    const before = follow(await states.read(owner), followedPrint(print), now)
    const { frame_at } = frame
    const { score, detections } = judged
    const smoothed = decide(before, { frame_at, score, detections }, decisionSettings(printer, frame.camera))
    if (smoothed === undefined || !(await states.keep(owner, smoothed.state))) return
    wishes.follow(printer.id, Math.max(await showGauge(owner, smoothed.state), suspicion(smoothed.state)))
    await watch.analysed(frame, print.id, findings)
    const scores = { score: found.score, judged_score: judged.score }
    predictions.add({ ...predictionRow(frame, context, findings, smoothed.state, now), ...scores })
    const decided = {
      ...smoothed,
      findings: { ...found, detections: findings.detections, tagged: findings.tagged },
      weighed,
    }
    if (before.current_frame_num === 0) await evidence.keepStart(frame, print.id, before)
    await alerts.judge(frame, context, decided)
    if (findings.tagged !== null) await showTagged(frame, findings.tagged)
    await contexts.learn(frame, print, found, weighed.score, smoothed.level)
    await states.checkpoint(owner)
  }

  /**
   * Smooths findings that an app asked for together with those before. The gauge, which shows what the camera sees, stays as it is,
   * and nobody is alerted. Undefined when nothing is being printed.
   */
  async function measure(printerId: number, findings: Findings): Promise<SmoothingState | undefined> {
    const printer = await findPrinter(quick, printerId)
    const print = printer && (await currentPrint(printer))
    if (printer === undefined || print === undefined) return undefined
    const owner = ownerOf(printer, null)
    const now = clock.now()
    const before = follow(await states.read(owner), followedPrint(print), now)
    const frame_at = Math.max(now, (before.frame_at ?? 0) + 1)
    const smoothed = applyFrame(before, smoothingFrame({ frame_at }, findings, printer.detective_sensitivity))
    if (smoothed === undefined) return undefined
    const after = { ...smoothed.state, normalized_p: before.normalized_p }
    await states.keep(owner, after)
    await states.checkpoint(owner)
    return after
  }

  /** Whether the camera would alert if a new print looked like this and went on so. Changes nothing. */
  async function wouldAlert(camera: CameraRow, findings: Pick<Findings, 'score' | 'detections'>): Promise<boolean> {
    const printer = await findPrinter(quick, camera.printer_id)
    if (printer === undefined) return false
    const state = await states.read(ownerOf(printer, camera))
    return alertsInTime(state, findings, decisionSettings(printer, camera), clock.now())
  }

  async function showTagged(frame: Frame, tagged: Uint8Array): Promise<void> {
    await pictures.show(frame, tagged).catch((err: unknown) => {
      log.warn({ err, printer_id: frame.printer_id }, 'a tagged picture could not be kept')
    })
  }

  /** Changes the state of each of a printer's cameras between two frames, and tells what the gauge shows then. */
  async function change(
    printerId: number,
    make: (before: SmoothingState, printer: PrinterRow) => Promise<SmoothingState> | SmoothingState,
  ): Promise<void> {
    const printer = await findPrinter(quick, printerId)
    if (printer === undefined) return
    const others = (await listCameras(quick, printerId)).filter((camera) => camera.is_primary === 0)
    for (const camera of [null, ...others]) await changeOne(ownerOf(printer, camera), make)
  }

  async function changeOne(
    owner: StateOwner,
    make: (before: SmoothingState, printer: PrinterRow) => Promise<SmoothingState> | SmoothingState,
  ): Promise<void> {
    const before = await states.read(owner)
    const after = await make(before, owner.printer)
    if (after === before || !(await states.keep(owner, after))) return
    await states.checkpoint(owner, true)
    if (after.normalized_p !== before.normalized_p) await showGauge(owner, after)
  }

  /** A print began or ended. */
  async function reset(printerId: number): Promise<void> {
    await predictions.flush()
    await contexts.settle(printerId)
    await change(printerId, async (before, printer) => {
      const print = await currentPrint(printer)
      if (before.print_id !== null && before.print_id !== print?.id) alerts.forget(before.print_id)
      return follow(before, print === undefined ? null : followedPrint(print), clock.now())
    })
  }

  /** The print goes on, or the user has answered: look afresh. */
  async function startAfresh(printerId: number): Promise<void> {
    await contexts.settle(printerId)
    await change(printerId, (before) => warmUp(before, clock.now()))
  }

  /** Writes what is not written yet. */
  async function close(): Promise<void> {
    await predictions.flush()
    await states.close()
    await contexts.close()
  }

  return { isWatched, conclude, leaveOut, measure, wouldAlert, reset, warmUp: startAfresh, hurry: alerts.hurry, close }
}

function decisionSettings(printer: PrinterRow, camera: CameraRow): DecisionSettings {
  return {
    sensitivity: printer.detective_sensitivity,
    calibration_offset: camera.calibration_offset,
    votes_enabled: settingsOf(camera.settings).votes_enabled,
  }
}
