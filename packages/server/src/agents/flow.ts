import type {
  AgentError,
  AgentSettings,
  CommandAck,
  PrintEvent,
  ServerToAgent,
  StatusMessage,
} from '@printwarden/protocol'
import { NO_PRINT } from '@printwarden/protocol'
import type { Kysely } from 'kysely'
import { insertAgentEvent, pruneAgentEvents } from '../prints/events-store.js'
import { applyReport, NOTHING_RUNS, settle, type Step, type Tracking } from '../prints/lifecycle.js'
import { findRunningPrint, linkPrintFile } from '../prints/store.js'
import {
  followTemperatures,
  heatersOf,
  type TemperatureReading,
  type TemperatureTrack,
} from '../prints/temperatures.js'
import type { TemperaturesFlow } from '../prints/temperatures-flow.js'
import type { TrackedPrint } from '../prints/tracked-print.js'
import {
  type Bus,
  type Clock,
  type Database,
  JsonText,
  type LiveStore,
  type Log,
  type PutAndPublish,
} from '../ports.js'
import type { PrinterFlow } from '../printers/flow.js'
import { STATUS_TTL_MS, statusKey } from '../printers/live-keys.js'
import { type PrinterNotice, printerSubject, statusNotice } from '../printers/notices.js'
import { findPrinter, type PrinterRow, setPrinterAgent } from '../printers/store.js'
import { eventNotice } from '../printers/view.js'
import { shouldWatch } from '../printers/watching.js'
import type { Tables } from '../tables.js'
import {
  type NoteEnded,
  type PrintOwner,
  readPrint,
  readTracking,
  type Recorded,
  recordStep,
} from '../printers/print-flow.js'
import { recordFilamentChange } from './filament-change-flow.js'
import { PROGRESS_TTL_MS, progressKey, readProgress } from './progress.js'
import { MAX_EVENT_AGE_MS, type Receipt, reportOf, statusTime, storedFileOf } from './report.js'
import { type AgentColumns, isSameAgent, MAX_SETTINGS_LENGTH, mergeSettings } from './settings.js'

/** How often events that no agent will send again are forgotten, at most. */
const PRUNE_EVERY_MS = 24 * 3_600_000

export interface AgentFlowDeps {
  readonly database: Database
  readonly bus: Bus
  readonly live: LiveStore
  /** Among several nodes: without it a value is put, and then told. */
  readonly putAndPublish?: PutAndPublish | undefined
  readonly clock: Clock
  readonly log: Log
  readonly printers: Pick<PrinterFlow, 'commandAcked' | 'commandsSeen' | 'isToBeSent'>
  /** Failure detection, as far as the life of a print matters to it. */
  readonly detection: { reset(printerId: number): void; warmUp(printerId: number): void }
  readonly noteEnded: NoteEnded
  readonly temperatures: Pick<TemperaturesFlow, 'add'>
}

/** What is held of one agent while its socket is open. Nothing here is the only copy of anything but progress and grace. */
export interface AgentSession extends PrintOwner {
  tracking: Tracking
  /** The temperatures of the running print, as far as they are told over this connection. */
  temperatures: TemperatureTrack | undefined
  /** The last print that was looked up by the agent's name for it: an agent goes on naming a print that has ended. */
  lookedUp: { readonly ts: number; readonly print: TrackedPrint | undefined } | undefined
  agent: AgentColumns
  /** The settings as last reported, as text: most reports repeat them. */
  reportedSettings: string | undefined
  /** The print and stored file that were last found to belong together, so that each pair is looked up once. */
  linked: { readonly printId: number; readonly fileId: number } | undefined
  /** When events that no agent will send again were last forgotten. */
  prunedAt: number | undefined
  /** When the last status was applied; undefined when the printer counts as offline. */
  statusAt: number | undefined
  /** Whether the agent has said that it knows nothing of the printer, and no status since. */
  isSilent: boolean
}

export type AgentFlow = ReturnType<typeof agentFlow>

/** What the server does with an agent's messages. Those of one session are to be applied one after another. */
export function agentFlow(deps: AgentFlowDeps) {
  const { database, bus, live, clock, log, printers, detection, noteEnded, temperatures } = deps
  const { db, quick } = database
  const { putAndPublish = putThenPublish(live, bus) } = deps
  const tell = (printerId: number, notice: PrinterNotice): void => bus.publish(printerSubject(printerId), notice)

  /** Reads what the session starts from; undefined when the printer is gone. */
  async function open(owner: PrintOwner): Promise<{ session: AgentSession; should_watch: boolean } | undefined> {
    const { printer_id, user_id } = owner
    const printer = await findPrinter(quick, printer_id)
    if (printer === undefined) return undefined
    const tracking = await readTracking(db, printer_id, NOTHING_RUNS)
    const progress = readProgress(await live.get(progressKey(printer_id)), tracking.running)
    const session = {
      printer_id,
      user_id,
      tracking: { ...tracking, progress },
      temperatures: undefined,
      lookedUp: undefined,
      agent: printer,
      reportedSettings: undefined,
      linked: undefined,
      prunedAt: undefined,
      statusAt: undefined,
      isSilent: false,
    }
    return { session, should_watch: await isWatched(db, printer) }
  }

  /** Applies a status message. The answer, if any, is for the agent. `text` is of its status section. */
  async function apply(
    session: AgentSession,
    message: StatusMessage,
    text = new JsonText(JSON.stringify(message.status)),
  ): Promise<ServerToAgent | undefined> {
    const { printer_id } = session
    const { status } = message
    const at = clock.now()
    const ts = statusTime(status, at)
    const options = { ts, ttlMs: STATUS_TTL_MS }
    const isApplied = await putAndPublish(statusKey(printer_id), text, options, statusNotice(printer_id, status))
    if (isApplied) {
      session.statusAt = at
      session.isSilent = false
    }
    const error = message.settings && (await keepSettings(session, message.settings))
    const { running } = session.tracking
    const answer = await track(session, message, at, !isApplied)
    if (isApplied) keepTemperatures(session, message, at, running)
    await linkFile(session, message)
    // After the print's row: who waits for a command reads what it did as soon as it is done.
    if (isApplied) await printers.commandsSeen(printer_id, status)
    return error === undefined ? answer : { ...answer, error }
  }

  /** Hands over what is to be kept of the temperatures, about once a minute. `before` is what ran until this message. */
  function keepTemperatures(
    session: AgentSession,
    { status, current_print_ts }: StatusMessage,
    at: number,
    before: TrackedPrint | undefined,
  ): void {
    const { running } = session.tracking
    const [isOfRunning, isOfBefore] = [running, before].map((print) => print?.current_print_ts === current_print_ts)
    const heaters = isOfRunning || isOfBefore ? heatersOf(status) : undefined
    const reading = heaters && { at, heaters }
    // What comes with the news of a print's end is the last that was read of it.
    if (!isOfRunning && reading !== undefined) follow(session, before, reading)
    follow(session, running, isOfRunning ? reading : undefined)
  }

  /** What is due is written later, with that of other printers. */
  function follow(
    session: AgentSession,
    print: TrackedPrint | undefined,
    reading: TemperatureReading | undefined,
  ): void {
    const of = print?.id === undefined ? undefined : { id: print.id, started_at: print.started_at }
    const next = followTemperatures(session.temperatures, of, reading)
    session.temperatures = next.track
    for (const due of next.due) temperatures.add(due)
  }

  async function track(
    session: AgentSession,
    message: StatusMessage,
    at: number,
    late: boolean,
  ): Promise<ServerToAgent | undefined> {
    const recorded = late && message.event === undefined ? undefined : await lookUp(session, message.current_print_ts)
    const receipt: Receipt = { at, late, isRepeated: false, recorded }
    const step = applyReport(session.tracking, reportOf(message, receipt))
    // The hot path: nearly every message ends here, without SQL.
    if (step.effects.length === 0 && message.event?.id === undefined) {
      session.tracking = step.tracking
      return undefined
    }
    return record(session, message.event, async (trx, tracking, isRepeated) => {
      const ts = message.current_print_ts
      const found = ts === NO_PRINT ? undefined : await readPrint(trx, session.printer_id, ts)
      return applyReport(tracking, reportOf(message, { ...receipt, isRepeated, recorded: found }))
    })
  }

  /** Notes which stored file is being printed, once the agent names it. */
  async function linkFile(session: AgentSession, message: StatusMessage): Promise<void> {
    const { running } = session.tracking
    const fileId = storedFileOf(message)
    if (fileId === undefined || running?.id === undefined) return
    if (running.current_print_ts !== message.current_print_ts) return
    const { linked } = session
    if (linked?.printId === running.id && linked.fileId === fileId) return
    session.linked = { printId: running.id, fileId }
    if (await linkPrintFile(db, running.id, fileId)) tell(session.printer_id, { type: 'row' })
  }

  /** The stored print of this name, unless it is the running one. */
  async function lookUp(session: AgentSession, ts: number): Promise<TrackedPrint | undefined> {
    if (ts === NO_PRINT || ts === session.tracking.running?.current_print_ts) return undefined
    if (session.lookedUp?.ts !== ts) session.lookedUp = { ts, print: await readPrint(db, session.printer_id, ts) }
    return session.lookedUp.print
  }

  /** Takes a step on what the database knows, writes it, and tells everyone once it is committed. */
  async function record(
    session: AgentSession,
    event: PrintEvent | undefined,
    decide: (trx: Kysely<Tables>, tracking: Tracking, isRepeated: boolean) => Promise<Step>,
  ): Promise<ServerToAgent | undefined> {
    const { printer_id } = session
    const { id: eventId, pics_to_come = 0 } = event ?? {}
    const before = session.tracking.running
    const now = clock.now()
    const isPruneDue = eventId !== undefined && now - (session.prunedAt ?? 0) >= PRUNE_EVERY_MS
    const recorded = await database.transaction(async (trx) => {
      const isNew =
        eventId === undefined || (await insertAgentEvent(trx, { printer_id, event_id: eventId, received_at: now }))
      // With an event and not at the opening: a thousand agents that come back at once must not cost a thousand writes.
      if (isPruneDue) await pruneAgentEvents(trx, printer_id, now - MAX_EVENT_AGE_MS)
      const tracking = await readTracking(trx, printer_id, session.tracking)
      const taken = await recordStep(trx, session, tracking, await decide(trx, tracking, !isNew))
      await noteEnded(
        trx,
        taken.ended.map((ended) => ({ ...ended, pics_to_come })),
      )
      return taken
    })
    session.tracking = recorded.tracking
    session.lookedUp = undefined
    if (isPruneDue) session.prunedAt = now
    tellRecorded(session, recorded)
    const ack = eventId === undefined ? undefined : { ack: { events: [eventId] } }
    if (before?.current_print_ts === recorded.tracking.running?.current_print_ts) return ack
    detection.reset(printer_id)
    return { ...ack, remote_status: { should_watch: await isWatchedNow(printer_id) } }
  }

  function tellRecorded({ printer_id }: AgentSession, { events, isChanged }: Recorded): void {
    if (isChanged) tell(printer_id, { type: 'row' })
    for (const event of events) {
      tell(printer_id, eventNotice(event))
      log.info({ printer_id, print_id: event.print_id, event: event.event_type }, 'print changed')
      if (event.event_type === 'RESUMED') detection.warmUp(printer_id)
    }
  }

  /** Keeps what is new in the agent's settings. They are merged key by key, and written only when that changes something. */
  async function keepSettings(session: AgentSession, settings: AgentSettings): Promise<AgentError | undefined> {
    const text = JSON.stringify(settings)
    if (text === session.reportedSettings) return undefined
    const agent = mergeSettings(session.agent, settings)
    if (agent.settings.length > MAX_SETTINGS_LENGTH) {
      return { code: 'too_large', detail: `settings may have ${MAX_SETTINGS_LENGTH} characters`, path: 'settings' }
    }
    if (!isSameAgent(agent, session.agent)) {
      await setPrinterAgent(db, session.printer_id, agent)
      tell(session.printer_id, { type: 'row' })
    }
    session.agent = agent
    session.reportedSettings = text
    return undefined
  }

  /** Ends a print whose agent says that nothing prints, when no end event came in time. */
  async function settleSession(session: AgentSession): Promise<ServerToAgent | undefined> {
    const now = clock.now()
    if (settle(session.tracking, now).effects.length === 0) return undefined
    return record(session, undefined, async (_, tracking) => settle(tracking, now))
  }

  /** The agent says nothing of its printer: it is offline until it does. Its print stays open. */
  async function applyNoStatus(session: AgentSession, settings: AgentSettings | undefined): Promise<void> {
    if (settings !== undefined) await keepSettings(session, settings)
    if (session.isSilent) return
    session.isSilent = true
    session.statusAt = undefined
    await live.remove(statusKey(session.printer_id))
    tell(session.printer_id, { type: 'status', status: null })
  }

  /** The agent answers a command. */
  async function acknowledge(session: AgentSession, ack: CommandAck['ack']): Promise<void> {
    await printers.commandAcked(session.printer_id, ack.id, { result: ack.result, error: ack.error })
  }

  /** The agent says that the printer waits for another filament. */
  async function noteFilamentChange({ printer_id, user_id, tracking }: AgentSession): Promise<void> {
    const print_id = tracking.running?.id ?? null
    const event = await recordFilamentChange(database, { printer_id, user_id, print_id }, clock.now())
    if (event !== undefined) tell(printer_id, eventNotice(event))
  }

  /** Shows the printer as offline when its agent, though connected, has reported nothing for long (decision 19). */
  function expire(session: AgentSession): void {
    if (session.statusAt === undefined || clock.now() - session.statusAt < STATUS_TTL_MS) return
    session.statusAt = undefined
    tell(session.printer_id, { type: 'status', status: null })
  }

  /** The socket has closed: the printer is offline at once. Its print stays open, for the agent may be back in a moment. */
  async function close(session: AgentSession): Promise<void> {
    const { printer_id, tracking } = session
    // Another connection knows nothing of the last reading of this one.
    follow(session, undefined, undefined)
    await live.remove(statusKey(printer_id))
    tell(printer_id, { type: 'status', status: null })
    const { running, progress } = tracking
    if (running === undefined) return
    const value = { current_print_ts: running.current_print_ts, ...progress }
    await live.put(progressKey(printer_id), value, { ts: clock.now(), ttlMs: PROGRESS_TTL_MS })
  }

  async function isWatchedNow(printerId: number): Promise<boolean> {
    const printer = await findPrinter(db, printerId)
    return printer !== undefined && (await isWatched(db, printer))
  }

  return {
    open,
    apply,
    applyNoStatus,
    isToBeSent: printers.isToBeSent,
    acknowledge,
    noteFilamentChange,
    settle: settleSession,
    expire,
    close,
  }
}

async function isWatched(db: Kysely<Tables>, printer: PrinterRow): Promise<boolean> {
  return shouldWatch({ printer, print: (await findRunningPrint(db, printer.id)) ?? null })
}

function putThenPublish(live: LiveStore, bus: Bus): PutAndPublish {
  return async (key, value, options, { subject, notice }) => {
    const isApplied = await live.put(key, value, options)
    if (isApplied) bus.publish(subject, notice)
    return isApplied
  }
}
