import {
  AgentSettings,
  type CommandAck,
  NO_PRINT,
  PRINT_EVENT_TYPES,
  type PrintEventType,
  StatusMessage,
} from '@printwarden/protocol'
import type { Frame } from '../frame.js'
import type { DeviationKind } from './deviations.js'
import { type Fields, isEmpty, isFields } from './plain.js'
import { type Awaited, takenUp, type UpstreamSession } from './session.js'
import { type KnownAgent, readSettings } from './settings.js'
import { unknownState } from './state.js'
import { readStatus } from './status.js'

/** One print named by two start times: as long as they are no further apart, and the file is the same (wire facts, section 4.2). */
const SAME_PRINT_SECONDS = 20

/** An event of the host that is none of the print's (wire facts, section 4.3): its line in the history is all there is to it. */
const FILAMENT_CHANGE = 'FilamentChange'

/** What the server knows when a message arrives. */
export interface KnownFacts {
  /** The time of arrival in Unix seconds. */
  readonly at: number
  readonly running: { readonly current_print_ts: number; readonly filename: string } | undefined
  readonly agent: KnownAgent
}

/** What a message says, in our words, and what is to be remembered of it. */
export interface Reading {
  readonly frames: readonly Frame[]
  readonly deviations: readonly DeviationKind[]
  readonly session: UpstreamSession
}

/** Reads one message of an upstream agent (wire facts, sections 3.2 and 4). */
export function fromAgent(value: unknown, session: UpstreamSession, known: KnownFacts): Reading {
  if (!isFields(value)) return { frames: [], deviations: ['unreadable'], session }
  if (typeof value['janus'] === 'string') {
    return relayed({ type: 'relay', channel: 'janus', message: { janus: value['janus'] } }, session)
  }
  // Answers to what this server never asks for.
  if ('janus' in value || 'http.tunnelv2' in value || 'ws.tunnel' in value || 'http.tunnel' in value) {
    return { frames: [], deviations: [], session }
  }
  return 'passthru' in value ? readPassthru(value['passthru'], session) : readMessage(value, session, known)
}

const relayed = (frame: Frame, session: UpstreamSession): Reading => ({ frames: [frame], deviations: [], session })

/** The reply to a download that the server asked for is for the server; everything else is passed on. */
function readPassthru(passthru: unknown, session: UpstreamSession): Reading {
  if (!isFields(passthru)) return { frames: [], deviations: ['unreadable'], session }
  const answered = session.awaited.find((command) => command.cmd === 'print' && command.ref === passthru['ref'])
  if (answered === undefined) return relayed({ type: 'relay', channel: 'passthru', message: { passthru } }, session)
  const awaited = session.awaited.filter((command) => command !== answered)
  return relayed({ type: 'command_ack', ack: answerOf(answered, passthru) }, { ...session, awaited })
}

function answerOf({ id }: Awaited, { ret, error }: Fields): CommandAck['ack'] {
  const refusal = error ?? (isFields(ret) ? ret['error'] : undefined)
  if (refusal === undefined || refusal === null) return { id, result: ret }
  const detail = typeof refusal === 'string' ? refusal : 'The agent did not take the file.'
  return { id, error: { code: 'rejected', detail: detail.slice(0, 500) } }
}

function readMessage(raw: Fields, session: UpstreamSession, known: KnownFacts): Reading {
  const deviations: DeviationKind[] = []
  // Each kind once a message, however often it is in it.
  const note = (kind: DeviationKind): void => void (deviations.includes(kind) || deviations.push(kind))
  const told = ownNames(raw, note)
  const settings = isFields(told.settings) ? readSettings(told.settings, known.agent, note) : undefined
  const isFilamentChange = isFields(told.event) && told.event['event_type'] === FILAMENT_CHANGE
  const event = isFilamentChange ? undefined : readEvent(told.event, note)
  const changes: readonly Frame[] = isFilamentChange ? [{ type: 'filament_change' }] : []
  const ts = printTs(raw['current_print_ts'])
  const hasStatus = isFields(told.status) && !isEmpty(told.status)
  if (!hasStatus) note(isEmpty(raw) ? 'empty_message' : 'status_left_out')
  // Without a status an event still tells of the print, under a printer of which nothing is known.
  if (!hasStatus && event === undefined)
    return { frames: [{ type: 'no_status', ...checked(settings, note) }, ...changes], deviations, session }

  const fileId = raw['tsd_gcode_file_id']
  if (fileId !== undefined) note('legacy_file_id')
  const status = hasStatus
    ? readStatus(told.status as Fields, { at: known.at, fileId, note })
    : { _ts: known.at, state: unknownState() }
  const named = namePrint(
    { ts, filename: filenameOf(told.event, status), hasEvent: event !== undefined },
    session,
    known,
    note,
  )
  const message = parse(
    { current_print_ts: named.ts, status, ...(event && { event }), ...(settings && { settings }) },
    note,
  )
  if (message === undefined) {
    note('unreadable')
    return { frames: changes, deviations, session }
  }
  const { ids, session: next } = takenUp(noteEnd(named.session, message, note), message.status.state.flags)
  const answers = ids.map((id): Frame => ({ type: 'command_ack', ack: { id, result: null } }))
  const rest: readonly Frame[] = hasStatus ? [] : [{ type: 'no_status' }]
  return { frames: [...answers, { type: 'status', message }, ...rest, ...changes], deviations, session: next }
}

/** The three sections, whichever name they go by. */
function ownNames(raw: Fields, note: (kind: DeviationKind) => void) {
  const { settings, status, event, octoprint_settings, octoprint_data, octoprint_event } = raw
  const isOld = octoprint_settings !== undefined || octoprint_data !== undefined || octoprint_event !== undefined
  if (isOld) note('legacy_names')
  return {
    settings: settings ?? octoprint_settings,
    status: status ?? octoprint_data,
    event: event ?? octoprint_event,
  }
}

function readEvent(event: unknown, note: (kind: DeviationKind) => void) {
  if (event === undefined || event === null) return undefined
  const { event_type, data } = isFields(event) ? event : {}
  if (!isEventType(event_type)) {
    note('event_unknown')
    return undefined
  }
  return { event_type, ...(isFields(data) ? { data } : {}) }
}

const isEventType = (type: unknown): type is PrintEventType => PRINT_EVENT_TYPES.includes(type as PrintEventType)

/** undefined is unknown: the agent has lost its printer and says nothing of a print. */
function printTs(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value === 0) return undefined
  return value < 0 ? NO_PRINT : value
}

function filenameOf(event: unknown, status: Fields): string | undefined {
  const data = isFields(event) ? event['data'] : undefined
  if (isFields(data) && typeof data['name'] === 'string' && data['name'] !== '') return data['name']
  const job = status['job']
  const file = isFields(job) ? job['file'] : undefined
  return isFields(file) && typeof file['name'] === 'string' ? file['name'] : undefined
}

/** By which start time the server knows the print that a message is about. */
function namePrint(
  told: { readonly ts: number | undefined; readonly filename: string | undefined; readonly hasEvent: boolean },
  session: UpstreamSession,
  { running }: KnownFacts,
  note: (kind: DeviationKind) => void,
): { readonly ts: number; readonly session: UpstreamSession } {
  const { ts, filename } = told
  if (ts === undefined) {
    note('print_ts_left_out')
    return { ts: running?.current_print_ts ?? NO_PRINT, session }
  }
  if (ts === NO_PRINT || ts === running?.current_print_ts) return { ts, session }
  if (session.alias?.told === ts) return { ts: session.alias.meant, session }
  if (running === undefined) {
    if (filename !== undefined || told.hasEvent) return { ts, session }
    note('print_without_file')
    return { ts: NO_PRINT, session }
  }
  const ahead = running.current_print_ts - ts
  const isSame = filename === running.filename && ahead >= -SAME_PRINT_SECONDS && ahead < SAME_PRINT_SECONDS
  if (!isSame) return { ts, session }
  note('print_ts_changed')
  const meant = running.current_print_ts
  return { ts: meant, session: { ...session, alias: { told: ts, meant } } }
}

/** A cancelled print is told to have failed right after; the lifecycle lets the first end stand. */
function noteEnd(
  session: UpstreamSession,
  { current_print_ts, event }: StatusMessage,
  note: (kind: DeviationKind) => void,
): UpstreamSession {
  if (event?.event_type === 'PrintCancelled') return { ...session, cancelled: current_print_ts }
  if (event?.event_type === 'PrintFailed' && session.cancelled === current_print_ts) note('failed_after_cancel')
  return session
}

function checked(settings: Fields | undefined, note: (kind: DeviationKind) => void): { settings?: AgentSettings } {
  if (settings === undefined) return {}
  const parsed = AgentSettings.safeParse(settings)
  if (parsed.success) return { settings: parsed.data }
  note('wrong_type')
  const wrong = new Set(parsed.error.issues.map(({ path }) => path[0]))
  const left = Object.entries(settings).filter(([key]) => !wrong.has(key))
  const again = AgentSettings.safeParse(Object.fromEntries(left))
  return again.success ? { settings: again.data } : {}
}

/** The message as the schema has it. A section of the status or the settings that is not so is left out: the rest is worth having. */
function parse(told: Fields, note: (kind: DeviationKind) => void): StatusMessage | undefined {
  const parsed = StatusMessage.safeParse(told)
  if (parsed.success) return parsed.data
  note('wrong_type')
  const wrong = parsed.error.issues.map(({ path }) => path.slice(0, 2).join('.'))
  const kept = Object.entries(told).flatMap(([name, value]): [string, unknown][] => {
    if (!isFields(value)) return [[name, value]]
    const left = Object.entries(value).filter(([key]) => !wrong.includes(`${name}.${key}`))
    // Settings without the agent's name are none.
    return name === 'settings' && wrong.includes('settings.agent') ? [] : [[name, Object.fromEntries(left)]]
  })
  return StatusMessage.safeParse(Object.fromEntries(kept)).data
}
