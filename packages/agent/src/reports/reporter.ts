import type { AgentSettings } from '@printwarden/protocol'
import type { Clock } from '../time/clock.js'
import { isActive } from '../tracking/host-state.js'
import type { Tracker } from '../tracking/print-tracker.js'
import { isReportDue, type SentReport } from './report-policy.js'
import { SteadyTime } from '../time/steady-time.js'
import { statusMessage, type HostView } from './status-message.js'
import type { Uplink } from '../uplink/uplink.js'

/** What a report tells. */
export interface Reportable {
  readonly tracker: Tracker
  readonly view: HostView
  readonly settings: AgentSettings
  /** Whether somebody looks on. */
  readonly viewing: boolean
}

/** Sends status messages when they are due, and settings when the server does not know them. */
export class Reporter {
  private last: SentReport | undefined
  private sentSettings: string | undefined
  private readonly time: SteadyTime

  constructor(private readonly clock: Clock) {
    this.time = new SteadyTime(clock)
  }

  /** A new connection: its server may know nothing. */
  reset(): void {
    this.last = undefined
    this.sentSettings = undefined
    this.time.reset()
  }

  /** The time for a status of now. */
  timeMs(): number {
    return this.time.nowMs()
  }

  /** Sends a status message if one is due. What cannot leave now is not queued: the next one tells more. */
  report(uplink: Uplink, { tracker, view, settings, viewing }: Reportable): void {
    if (!uplink.isClear) return
    const settingsKey = JSON.stringify(settings)
    const unknown = settingsKey === this.sentSettings ? undefined : settings
    const message = statusMessage(tracker, view, this.timeMs(), unknown)
    const { prompt, objects } = message.status
    const { text, flags, error } = message.status.state
    // Somebody waits for a question, and for its end; and sees whether an object has been left out.
    const state = JSON.stringify([message.current_print_ts, text, flags, error, settingsKey, prompt?.id, objects])
    const active = view.snapshot !== null && isActive(view.snapshot.phase)
    if (!isReportDue(this.last, state, { active, viewing }, this.clock.monotonicMs())) return
    uplink.sendStatus(message)
    this.last = { atMs: this.clock.monotonicMs(), state }
    this.sentSettings = settingsKey
  }
}
