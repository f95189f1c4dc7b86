import { type NotWatchingCode, PrinterStatus } from '@printwarden/protocol'
import { hasEventSince, insertPrinterEvent, type PrinterEventRow } from '../../prints/events-store.js'
import type { PrinterFlow } from '../../printers/flow.js'
import { statusKey } from '../../printers/live-keys.js'
import { type PrinterNotice, printerSubject } from '../../printers/notices.js'
import { eventNotice } from '../../printers/view.js'
import type { CameraWatch, WatchState } from '../../printers/watch-state.js'
import { cameraCode, lookedAt, notWatchingCode } from '../../printers/watching.js'
import { type UntoldPauseFlowDeps, untoldPauseFlow } from '../alerts/untold-pause-flow.js'
import type { WatchFlow } from './watch-flow.js'
import { clearWatchTold, listPrinting, listSystemCancels, moveWatchTold, type PrintingPrinter } from './watch-store.js'
import {
  backWording,
  cameraLostWording,
  cancelWording,
  isBroken,
  isDue,
  isFirstToReach,
  lostWording,
  START_GRACE_MS,
  shouldCancel,
  type WatchdogWording,
} from './watchdog.js'

/** How often the running prints are looked over. */
const TICK_MS = 10_000

export interface WatchdogFlowDeps extends UntoldPauseFlowDeps {
  readonly printers: Pick<PrinterFlow, 'send'>
  readonly detection: { ready(): boolean }
  /** Whether another node has the printer's agent, and looks over its prints. */
  readonly isElsewhere?: (printerId: number) => boolean
  readonly watch: Pick<WatchFlow, 'read' | 'noteTold'>
}

export type WatchdogFlow = ReturnType<typeof watchdogFlow>

/**
 * Looks over the running prints: tells once when nobody watches one, and once when somebody does again. What a server that ended has left
 * undone of an automatic pause is done here too.
 */
export function watchdogFlow(deps: WatchdogFlowDeps) {
  const { database, bus, live, clock, log, printers, detection, watch } = deps
  const serverSince = clock.now()
  const untoldPauses = untoldPauseFlow(deps)
  /** Since when a print's and each of its cameras' watching is broken, by printer. */
  const brokenSince = new Map<number, Map<string, number>>()
  let timer: NodeJS.Timeout | undefined
  let ticking: Promise<void> = Promise.resolve()

  /** Looks over all running prints. Never rejects. */
  function tick(): Promise<void> {
    ticking = ticking.then(lookOver).catch((err: unknown) => {
      log.error({ err }, 'the running prints could not be looked over')
    })
    return ticking
  }

  async function lookOver(): Promise<void> {
    await clearWatchTold(database.db)
    const all = await listPrinting(database.db)
    const ids = new Set(all.map(({ id }) => id))
    for (const id of brokenSince.keys()) if (!ids.has(id)) brokenSince.delete(id)
    for (const printing of all) {
      await lookAt(printing).catch((err: unknown) => {
        log.error({ err, printer_id: printing.id }, 'the running print of a printer could not be looked over')
      })
    }
  }

  async function lookAt(printing: PrintingPrinter): Promise<void> {
    const status = PrinterStatus.safeParse(await live.get(statusKey(printing.id))).data ?? null
    // A printer that no node has is everybody's.
    if (status !== null && deps.isElsewhere?.(printing.id) === true) {
      // What was seen while nobody had it is over; the next time is another one.
      brokenSince.delete(printing.id)
      return
    }
    const state = await watch.read(printing.id)
    const isPaused = status?.state.flags.paused === true
    await cancelIfAsked(printing, isPaused)
    // Agents that come back after the start may have more to say of it.
    if (isPaused && clock.now() - serverSince >= START_GRACE_MS) await untoldPauses.look(printing)
    // Who never had a camera knows that nobody watches.
    if (state === null || state.cameras.length === 0) return
    const facts = {
      printer: printing,
      print: printing,
      status,
      pic: null,
      detectorReady: detection.ready(),
      watch: state,
    }
    const code = notWatchingCode(facts, clock.now())
    await followPrinter(printing, code)
    await followCameras(printing, state, code)
  }

  /** Since when this has been broken, as far as this run of the server knows. */
  function sinceWhen(printerId: number, key: string): number {
    const known = brokenSince.get(printerId) ?? new Map<string, number>()
    brokenSince.set(printerId, known)
    const since = known.get(key) ?? clock.now()
    known.set(key, since)
    return since
  }

  async function followPrinter(printing: PrintingPrinter, code: NotWatchingCode | null): Promise<void> {
    const key = `print ${printing.print_id}`
    if (!isBroken(code)) {
      brokenSince.get(printing.id)?.delete(key)
      if (code === null && printing.watch_told !== null) await told(printing, null, backWording(printing.filename))
      return
    }
    if (!isDue(code, sinceWhen(printing.id, key), serverSince, clock.now()) || printing.watch_told !== null) return
    await told(printing, code, lostWording(code, printing.filename))
  }

  async function told(printing: PrintingPrinter, code: string | null, wording: WatchdogWording): Promise<void> {
    const event = await database.transaction(async (trx) => {
      if (!(await moveWatchTold(trx, printing.id, printing.watch_told, code))) return undefined
      return insertPrinterEvent(trx, eventRow(printing, wording))
    })
    if (event !== undefined) publish(event, code)
  }

  /** While another camera watches, one that does not is told by itself. */
  async function followCameras(
    printing: PrintingPrinter,
    state: WatchState,
    code: NotWatchingCode | null,
  ): Promise<void> {
    if (code !== null) return
    for (const camera of lookedAt(state)) await followCamera(printing, camera)
  }

  async function followCamera(printing: PrintingPrinter, camera: CameraWatch): Promise<void> {
    const key = `camera ${camera.camera_id}`
    const code = cameraCode(camera, printing.started_at, clock.now())
    if (code === null) brokenSince.get(printing.id)?.delete(key)
    const isLost = code !== null && isDue(code, sinceWhen(printing.id, key), serverSince, clock.now())
    if (isLost === (camera.told !== null) || (code !== null && !isLost)) return
    const { camera_id: id, name } = camera
    const row = { id, printer_id: printing.id, name, is_primary: Number(camera.is_primary), detection_enabled: 1 }
    await watch.noteTold(row, code)
    const wording =
      code === null ? backWording(printing.filename, name) : cameraLostWording(code, name, printing.filename)
    publish(await insertPrinterEvent(database.db, eventRow(printing, wording)), code)
  }

  /** Cancels a print that the server has paused and nobody answered for, where the user has asked for that. */
  async function cancelIfAsked(printing: PrintingPrinter, isPaused: boolean): Promise<void> {
    const { id, action_on_failure: action, auto_paused_at, filename } = printing
    if (action !== 'CANCEL' || auto_paused_at === null) return
    const isResumed = await hasEventSince(database.db, id, 'RESUMED', auto_paused_at)
    const cancels = await listSystemCancels(database.db, id, auto_paused_at)
    if (!shouldCancel({ ...printing, action, isPaused, isResumed, cancels }, clock.now())) return
    const { succeeded } = await printers.send(printing, {
      ...{ cmd: 'cancel', args: {}, initiator: 'system', reason: 'failing' },
    })
    log.warn(
      { printer_id: id, print_id: printing.print_id, succeeded },
      'a failing print that nobody answered for is cancelled',
    )
    if (!succeeded || !isFirstToReach(cancels)) return
    const event = await insertPrinterEvent(database.db, {
      ...eventRow(printing, cancelWording(filename)),
      reason: 'failing',
    })
    publish(event, null)
  }

  function eventRow(
    { user_id, id, print_id }: PrintingPrinter,
    wording: WatchdogWording | ReturnType<typeof cancelWording>,
  ) {
    return { ...wording, user_id, printer_id: id, print_id, created_at: clock.now(), initiator: 'system' }
  }

  function publish(event: PrinterEventRow, code: string | null): void {
    const { printer_id, print_id } = event
    bus.publish(printerSubject(printer_id), eventNotice(event) satisfies PrinterNotice)
    log.info({ printer_id, print_id, event: event.event_type, code }, 'the watching of a print changed')
  }

  function start(): void {
    timer ??= setInterval(() => void tick(), TICK_MS).unref()
  }

  async function close(): Promise<void> {
    clearInterval(timer)
    await ticking
  }

  return { tick, start, close }
}
