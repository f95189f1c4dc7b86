import { type ActionResult, type AlertOverwrite, type CommandName, PrinterChanges } from '@printwarden/protocol'
import { addEvent, begin, currentPrint, end, obey, stepCommand } from './fake-agent.js'
import { answerPrint, type FakeAnswer } from './fake-alert-records.js'
import { camerasOf } from './fake-camera-records.js'
import { callerOf, given, type Handlers, viewerOf, visible } from './fake-handlers.js'
import { FakeRefusal } from './fake-refusal.js'
import { type FakePrinterRecord, type FakePrinterSettings, type FakeState, hex, tell } from './fake-state.js'
import { noteSecurity } from './fake-tokens.js'
import { printerView } from './fake-views.js'

const NEW_PRINTER: FakePrinterSettings = {
  name: 'Printer',
  action_on_failure: 'PAUSE',
  watching_enabled: true,
  tools_off_on_pause: true,
  bed_off_on_pause: false,
  retract_on_pause: 6.5,
  lift_z_on_pause: 2.5,
  detective_sensitivity: 1,
  min_timelapse_secs_on_finish: 600,
  min_timelapse_secs_on_cancel: 300,
}

type FakeSaid = Omit<FakeAnswer, 'answer'>

/** What a printer makes of a command. */
export type Obedience = 'obey' | 'refuse' | 'ignore'

/** Decides what becomes of a command that was handed to a printer. */
export type CommandPolicy = (printerId: number, cmd: CommandName) => Obedience

/** Adds a printer without an agent. */
export function addPrinter(state: FakeState, userId: number, settings: PrinterChanges): FakePrinterRecord {
  const printer: FakePrinterRecord = {
    id: state.nextId(),
    userId,
    createdAt: state.now(),
    settings: { ...NEW_PRINTER, ...given(settings) },
    authToken: hex(40),
    archivedAt: null,
    isConnected: false,
    status: null,
    normalizedP: 0,
    currentPrintId: null,
  }
  state.printers.set(printer.id, printer)
  tell(state, { type: 'changed' })
  return printer
}

/** Hands a command to a printer's agent, which carries it out a moment later. */
export function sendCommand(
  state: FakeState,
  printer: FakePrinterRecord,
  cmd: CommandName,
  policy: CommandPolicy,
  carryOut: () => void = () => obey(state, printer, cmd),
): { succeeded: boolean; command_id: string | null } {
  if (!printer.isConnected) return { succeeded: false, command_id: null }
  const id = crypto.randomUUID()
  const times = { created_at: state.now(), acked_at: null, done_at: null }
  const by = { initiator: 'api', initiator_name: null, reason: null, alert_id: null } as const
  const command = {
    id,
    printer_id: printer.id,
    cmd,
    ...by,
    status: 'sent',
    ...{ error: null, result: null },
    ...times,
  } as const
  state.commands.set(id, command)
  tell(state, { type: 'command', command })
  const obedience = policy(printer.id, cmd)
  setTimeout(() => {
    if (obedience === 'ignore' || !state.printers.has(printer.id)) return
    if (obedience === 'refuse')
      return stepCommand(state, id, { status: 'failed', error: 'refused: the printer refused' })
    stepCommand(state, id, { status: 'acked', acked_at: state.now() })
    carryOut()
    // A printer of the fake has no files of its own.
    const result = cmd === 'list_files' ? { files: [], is_cut: false } : null
    stepCommand(state, id, { status: 'done', result, done_at: state.now() })
  })
  return { succeeded: true, command_id: id }
}

/** The endpoints of printers. */
export function printerHandlers(state: FakeState, policy: CommandPolicy): Handlers {
  type Call = Parameters<typeof callerOf>[0] &
    Parameters<typeof viewerOf>[0] & { readonly params: { readonly id: number } }

  const find = (call: Call): FakePrinterRecord => visible(call, state.printers.get(call.params.id))
  const show = (call: Call, printer: FakePrinterRecord) => printerView(state, printer, viewerOf(call))

  function archive(call: Call, archivedAt: string | null) {
    const printer = find(call)
    if ((printer.archivedAt === null) !== (archivedAt === null)) printer.archivedAt = archivedAt
    tell(state, { type: 'changed' })
    return show(call, printer)
  }

  /** An action that is about the current print. */
  function act(call: Call, action: (printer: FakePrinterRecord) => boolean): ActionResult {
    const printer = find(call)
    const succeeded = currentPrint(state, printer) !== undefined && action(printer)
    tell(state, { type: 'changed' })
    return { succeeded, command_id: null, printer: show(call, printer) }
  }

  /** A command that is about the current print, and what it says about an alert that stands (decision 20). */
  function command(call: Call, cmd: CommandName, overwrite?: AlertOverwrite): ActionResult {
    const printer = find(call)
    const none = { succeeded: false, command_id: null }
    const sent = currentPrint(state, printer) === undefined ? none : sendCommand(state, printer, cmd, policy)
    if (sent.succeeded && overwrite !== undefined && hasAlert(printer)) {
      acknowledge(printer, overwrite, { by: callerOf(call).email, source: cmd === 'cancel' ? 'cancel' : 'resume' })
    }
    return { ...sent, printer: show(call, printer) }
  }

  /** A command that needs no print. */
  function order(call: Call, cmd: CommandName): ActionResult {
    const printer = find(call)
    return { ...sendCommand(state, printer, cmd, policy), printer: show(call, printer) }
  }

  function hasAlert(printer: FakePrinterRecord): boolean {
    const summary = currentPrint(state, printer)?.summary
    return summary !== undefined && summary.alerted_at !== null && summary.alert_acknowledged_at === null
  }

  function acknowledge(printer: FakePrinterRecord, overwrite?: AlertOverwrite, said?: FakeSaid): boolean {
    const print = currentPrint(state, printer)
    if (print === undefined || print.summary.alerted_at === null) return false
    const { alert_acknowledged_at, alert_overwrite } = print.summary
    print.summary = {
      ...print.summary,
      alert_acknowledged_at: alert_acknowledged_at ?? state.now(),
      alert_overwrite: overwrite ?? alert_overwrite,
    }
    if (overwrite !== undefined && said !== undefined) {
      answerPrint(state, print.summary.id, { ...said, answer: overwrite })
    }
    return true
  }

  function mute(printer: FakePrinterRecord, isMuted: boolean): boolean {
    const print = currentPrint(state, printer)
    if (print === undefined || (print.summary.alert_muted_at !== null) === isMuted) return true
    print.summary = { ...print.summary, alert_muted_at: isMuted ? state.now() : null }
    addEvent(state, printer, {
      event_type: isMuted ? 'ALERT_MUTED' : 'ALERT_UNMUTED',
      event_class: isMuted ? 'WARNING' : 'INFO',
      event_title: isMuted ? 'Failure detection muted' : 'Failure detection on again',
      event_text: print.summary.filename,
    })
    return true
  }

  return {
    listPrinters(call) {
      const own = [...state.printers.values()].filter(({ userId }) => userId === callerOf(call).id)
      const shown = own.filter(({ archivedAt }) => archivedAt === null || call.query.with_archived === true)
      call.reply.set('x-total-count', String(shown.length))
      return shown.map((printer) => printerView(state, printer, viewerOf(call)))
    },
    createPrinter: (call) =>
      printerView(state, addPrinter(state, callerOf(call).id, PrinterChanges.parse(call.body)), viewerOf(call)),
    getPrinter: (call) => show(call, find(call)),
    updatePrinter(call) {
      const printer = find(call)
      printer.settings = { ...printer.settings, ...given(call.body) }
      tell(state, { type: 'changed' })
      return show(call, printer)
    },
    // An agent of our own protocol departs from nothing.
    listDeviations(call) {
      find(call)
      return []
    },
    deletePrinter(call) {
      const { id } = find(call)
      state.printers.delete(id)
      for (const { camera } of camerasOf(state, id)) state.cameras.delete(camera.id)
      for (const [printId, print] of state.prints) if (print.printerId === id) state.prints.delete(printId)
      tell(state, { type: 'changed' })
    },
    rotateAuthToken(call) {
      const printer = find(call)
      printer.authToken = hex(40)
      printer.isConnected = false
      printer.status = null
      noteSecurity(state, printer.userId, 'auth_token_rotated', printer.settings.name)
      tell(state, { type: 'changed' })
      return { id: printer.id, auth_token: printer.authToken }
    },
    archivePrinter: (call) => archive(call, state.now()),
    unarchivePrinter: (call) => archive(call, null),
    pausePrint: (call) => command(call, 'pause'),
    resumePrint: (call) => command(call, 'resume', 'NOT_FAILED'),
    cancelPrint: (call) => command(call, 'cancel', 'FAILED'),
    muteCurrentPrint: (call) => act(call, (printer) => mute(printer, call.query.mute_alert ?? true)),
    acknowledgeAlert: (call) =>
      act(call, (printer) =>
        acknowledge(printer, call.query.alert_overwrite, { by: callerOf(call).email, source: 'overwrite' }),
      ),
    connectPrinter: (call) => order(call, 'connect'),
    emergencyStop: (call) => order(call, 'emergency_stop'),
    restartFirmware: (call) => order(call, 'restart_firmware'),
    answerPrompt: (call) => order(call, 'answer_prompt'),
    listFiles: (call) => order(call, 'list_files'),
    excludeObject: (call) => command(call, 'exclude_object'),
    printFile(call) {
      const printer = find(call)
      const isBusy = currentPrint(state, printer) !== undefined || printer.archivedAt !== null
      const print = () => void begin(state, printer, call.body.path)
      const sent = isBusy
        ? { succeeded: false, command_id: null }
        : sendCommand(state, printer, 'print_file', policy, print)
      return { ...sent, printer: show(call, printer) }
    },
    rearmPrinter: (call) => act(call, () => true),
    callAgent(call) {
      find(call)
      const error = { code: 'not_connected', detail: 'No agent that takes such calls is connected.' } as const
      return { succeeded: false, ret: null, error }
    },
    startPrint(call) {
      begin(state, find(call), call.body.filename)
      return { succeeded: true, command_id: null, printer: show(call, find(call)) }
    },
    finishPrint(call) {
      if (currentPrint(state, find(call)) === undefined) throw new FakeRefusal('not_found')
      end(state, find(call), call.body.status === 'success' ? 'finished' : 'cancelled')
      return { succeeded: true, command_id: null, printer: show(call, find(call)) }
    },
    getCommand(call) {
      const found = state.commands.get(call.params.command_id)
      if (found === undefined || found.printer_id !== find(call).id) throw new FakeRefusal('not_found')
      return found
    },
  }
}
