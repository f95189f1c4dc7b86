import { StatusMessage, type Job, type PrintEventType } from '@printwarden/protocol'
import { HostError, type HostPhase, type PrintOutcome } from '../host.js'
import { stateOfPhase } from './host-state.js'
import { eventMessage } from '../reports/outbox.js'
import { NEW_TRACKER, track, type Tracker, type TrackerInput } from './print-tracker.js'
import { NEW_VIEW, printerStatus, statusMessage, type HostView } from '../reports/status-message.js'
import { restoreRecord, storeRecord } from './tracker-record.js'
import type { Cause } from './transitions.js'

/** A made-up agent of which only what decides is real: the tracker, and what its messages say. Its clocks are moved by hand. */
export interface Player {
  /** Every message it sends, in order: events as they happen, and a status after each input. */
  readonly messages: StatusMessage[]
  tracker: Tracker
  wallMs: number
  monotonicMs: number
  bootId: string
  feed(input: TrackerInput): void
  cause(cause: Cause): void
  /** Writes everything down, forgets it, and reads it again. */
  restart(): void
}

const ID = '7b0d4c0e-51f6-4b0a-9c1e-0d7f6c3d2b1a'
const job = (path: string): Job => ({ file: { name: path, path, display: path } })

/** What a host shows. */
export function shown(
  phase: HostPhase,
  {
    path = 'a.gcode',
    completion = 40,
    outcome = null,
  }: { path?: string; completion?: number | null; outcome?: PrintOutcome | null } = {},
): TrackerInput {
  const progress = { completion, printTime: 100 }
  return {
    type: 'snapshot',
    snapshot: { phase, outcome, status: { state: stateOfPhase(phase), job: job(path), progress } },
  }
}

export const LOST: TrackerInput = { type: 'unreachable', error: new HostError('unreachable', 'gone'), retryInMs: 1000 }

export function openPlayer(): Player {
  let view: HostView = NEW_VIEW

  function seen(input: TrackerInput): void {
    if (input.type === 'snapshot') view = { ...view, snapshot: input.snapshot, reachable: true }
    if (input.type === 'unreachable') view = { ...view, reachable: false }
  }

  function tell(): void {
    player.messages.push(StatusMessage.parse(statusMessage(player.tracker, view, player.wallMs)))
  }

  const player: Player = {
    messages: [],
    tracker: NEW_TRACKER,
    wallMs: 1_800_000_000_000,
    monotonicMs: 5_000_000,
    bootId: 'boot-1',
    feed: (input) => {
      seen(input)
      const step = track(player.tracker, input, player)
      player.tracker = step.tracker
      for (const { type, printTs, atMs, job: of } of step.events) {
        const status = printerStatus(player.tracker, view, player.wallMs)
        const unsent = { id: ID, type, printTs, atMs, status: of ? { ...status, job: of } : status }
        player.messages.push(StatusMessage.parse(eventMessage(unsent, player.monotonicMs)))
      }
      tell()
    },
    cause: (cause) => {
      player.monotonicMs += 100
      player.wallMs += 100
      const [first = '', second = '', ...rest] = cause.split(' ')
      if (cause === 'host lost') return player.feed(LOST)
      if (cause === 'agent restarts') return player.restart()
      if (first === 'download') {
        view = { ...view, downloading: second === 'begins' }
        return tell()
      }
      if (cause === 'shows another job printing')
        return player.feed(shown('printing', { path: 'b.gcode', completion: 1 }))
      if (first === 'shows') {
        const outcome = (rest[1] ?? null) as PrintOutcome | null
        const completion = outcome === 'cancelled' ? null : second === 'idle' ? 100 : 40
        return player.feed(shown(second as HostPhase, { outcome, completion }))
      }
      if (first === 'host') return player.feed({ type: 'print', event: second as 'started' })
      player.monotonicMs += Number(first) * 1000
      player.wallMs += Number(first) * 1000
    },
    restart: () => {
      const record = { tracker: player.tracker, outbox: [], notices: [], host: null }
      player.tracker = restoreRecord(JSON.parse(JSON.stringify(storeRecord(record, player))), player).tracker
      view = NEW_VIEW
    },
  }
  return player
}

/** The events among the messages. */
export function eventsOf(messages: readonly StatusMessage[]): PrintEventType[] {
  return messages.flatMap(({ event }) => (event ? [event.event_type] : []))
}
