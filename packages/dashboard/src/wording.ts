import type { Command, Print, Printer, PrintSummary } from '@printwarden/sdk'
import { duration, secondsOf } from './format.js'

/** How something is meant, which decides its colour. */
export type Tone = 'neutral' | 'active' | 'good' | 'warning' | 'bad' | 'off'

/** A few words and how they are meant. */
export interface Words {
  readonly text: string
  readonly tone: Tone
}

const STATE_WORDS: Readonly<Record<string, Words>> = {
  Operational: { text: 'Ready', tone: 'neutral' },
  'G-Code Downloading': { text: 'Fetching file', tone: 'active' },
  Printing: { text: 'Printing', tone: 'active' },
  Pausing: { text: 'Pausing…', tone: 'warning' },
  Paused: { text: 'Paused', tone: 'warning' },
  Cancelling: { text: 'Cancelling…', tone: 'warning' },
  Offline: { text: 'Offline', tone: 'off' },
}

/** Whether nothing but a camera tells of the printer: it cannot be controlled, and a person says when it prints. */
export function isWatchedByPicture(printer: Printer): boolean {
  return printer.status?.watched_by === 'picture'
}

/** What a printer is doing. */
export function stateWords(printer: Printer): Words {
  if (printer.status === null) {
    return { text: hasNeverConnected(printer) ? 'Never connected' : 'Offline', tone: 'off' }
  }
  const { text, flags } = printer.status.state
  if (flags.error === true) return { text: 'Error', tone: 'bad' }
  if (flags.resuming) return { text: 'Resuming…', tone: 'active' }
  // Nobody knows whether such a printer is ready.
  if (isWatchedByPicture(printer)) return flags.printing ? { text: 'Being watched', tone: 'active' } : NOT_WATCHED
  return STATE_WORDS[text] ?? { text, tone: 'neutral' }
}

const NOT_WATCHED: Words = { text: 'Not being watched', tone: 'neutral' }

/** Whether no agent has ever spoken for the printer. */
export function hasNeverConnected(printer: Printer): boolean {
  return printer.agent_name === null && printer.status === null && printer.pic === null
}

/** Whether nothing is known of the printer now. */
export function isOffline(printer: Printer): boolean {
  return printer.status === null || printer.status.state.text === 'Offline'
}

/** Whether the agent is there while the printer itself is not connected to its host. */
export function isUnconnected(printer: Printer): boolean {
  return printer.status?.state.text === 'Offline' && !isWatchedByPicture(printer)
}

/** Whether its pictures are checked, and if not, why not. */
export function watchingWords(printer: Printer): Words {
  if (printer.not_watching_reason === null) return { text: 'Watching for failures', tone: 'good' }
  // The whole of it, with what to do, stands above the printers.
  if (printer.not_watching_code === 'detector_unavailable')
    return { text: 'Failure detection is not available', tone: 'off' }
  return { text: printer.not_watching_reason, tone: printer.not_watching_code === 'not_printing' ? 'neutral' : 'off' }
}

/** The three bands of the failure gauge. */
export type Band = 'fine' | 'odd' | 'failing'

/** The band that a value of the gauge (0–1) lies in. */
export function bandOf(value: number): Band {
  if (value <= 1 / 3) return 'fine'
  return value <= 2 / 3 ? 'odd' : 'failing'
}

/** What a band means. */
export const BAND_WORDS: Readonly<Record<Band, string>> = {
  fine: 'Looks fine',
  odd: 'Looks odd',
  failing: 'Looks like a failure',
}

/** What a band meant when it was last looked at. */
export const HELD_BAND_WORDS: Readonly<Record<Band, string>> = {
  fine: 'Looked fine',
  odd: 'Looked odd',
  failing: 'Looked like a failure',
}

/** How much the gauge can be trusted: it is live, held at its last value because the print stands still, or says nothing. */
export function gaugeState(printer: Printer): 'live' | 'held' | 'off' {
  if (printer.not_watching_code === null) return 'live'
  const isStanding = printer.not_watching_code === 'not_printing' && printer.current_print !== null
  return isStanding && printer.normalized_p > 0 ? 'held' : 'off'
}

/** Whether the print has a failure alert that nobody has answered. */
export function hasOpenAlert(print: PrintSummary | null): boolean {
  if (print === null || print.alerted_at === null || print.alert_muted_at !== null) return false
  return print.alert_acknowledged_at === null || print.alert_acknowledged_at < print.alerted_at
}

/** What can be asked of the printer now. */
export interface Controls {
  readonly canPause: boolean
  readonly canResume: boolean
  readonly canCancel: boolean
  /** Why nothing or not everything can be asked; undefined when nothing stands in the way. */
  readonly hint: string | undefined
}

const NOTHING: Controls = { canPause: false, canResume: false, canCancel: false, hint: undefined }
const BUSY: Controls = { ...NOTHING, hint: 'The printer is busy with the last command.' }

const CONTROLS: Readonly<Record<string, Controls>> = {
  Printing: { ...NOTHING, canPause: true, canCancel: true },
  Paused: { ...NOTHING, canResume: true, canCancel: true },
  Pausing: BUSY,
  Cancelling: BUSY,
}

/** Which buttons of the printer work. */
export function controlsOf(printer: Printer): Controls {
  if (printer.current_print === null) return { ...NOTHING, hint: 'Nothing is being printed.' }
  if (printer.status === null || isOffline(printer)) {
    return { ...NOTHING, hint: 'The printer cannot be reached, so it cannot be controlled.' }
  }
  if (isWatchedByPicture(printer))
    return { ...NOTHING, hint: 'Only its camera tells of this printer: pause or cancel at the printer itself.' }
  const known = CONTROLS[printer.status.state.text]
  return known ?? { ...NOTHING, hint: 'The printer is not in a state in which it can be controlled.' }
}

/** What a command does, in words: asked for, and done. */
const COMMAND_WORDS: Readonly<Record<Command['cmd'], { ask: string; done: string }>> = {
  pause: { ask: 'Pause', done: 'Paused' },
  resume: { ask: 'Resume', done: 'Resumed' },
  cancel: { ask: 'Cancel', done: 'Cancelled' },
  print: { ask: 'Print', done: 'Printing' },
  snapshot: { ask: 'Snapshot', done: 'Picture taken' },
  connect: { ask: 'Connect', done: 'Connected' },
  start_watching: { ask: 'Start watching', done: 'Watching' },
  stop_watching: { ask: 'Stop watching', done: 'No longer watching' },
  emergency_stop: { ask: 'Emergency stop', done: 'Stopped' },
  restart_firmware: { ask: 'Restart the firmware', done: 'Restarted' },
  exclude_object: { ask: 'Leave an object out', done: 'Left out' },
  answer_prompt: { ask: 'Answer', done: 'Answered' },
  list_files: { ask: 'List of files', done: 'List received' },
  print_file: { ask: 'Print', done: 'Printing' },
}

/** One step of a command's way. */
export interface Step {
  readonly text: string
  readonly state: 'done' | 'now' | 'ahead' | 'failed'
  /** When it was reached, ISO 8601. */
  readonly at: string | null
}

/** A command's way: sent, accepted by the agent, seen in the printer's state; or where it ended instead. */
export function commandSteps(command: Command): { title: string; steps: Step[] } {
  const words = COMMAND_WORDS[command.cmd]
  const by = command.initiator === 'system' ? ' (automatic)' : ''
  const sent: Step = { text: 'Sent', state: 'done', at: command.created_at }
  const accepted: Step = { text: 'Accepted by the agent', state: 'done', at: command.acked_at }
  const steps = stepsAfterSending(command, words.done, accepted)
  return { title: `${words.ask}${by}`, steps: [sent, ...steps] }
}

function stepsAfterSending(command: Command, done: string, accepted: Step): Step[] {
  const ahead = (text: string): Step => ({ text, state: 'ahead', at: null })
  switch (command.status) {
    case 'sent':
      return [{ ...accepted, text: 'Waiting for the agent', state: 'now' }, ahead(done)]
    case 'acked':
      return [accepted, { text: 'Waiting for the printer', state: 'now', at: null }]
    case 'done':
      return [...(command.acked_at === null ? [] : [accepted]), { text: done, state: 'done', at: command.done_at }]
    case 'failed':
      return [
        { text: command.error === null ? 'The agent refused' : `Refused: ${command.error}`, state: 'failed', at: null },
      ]
    case 'timed_out':
      return [
        ...(command.acked_at === null ? [] : [accepted]),
        {
          text: command.acked_at === null ? 'The agent did not answer' : 'The printer did not follow',
          state: 'failed',
          at: null,
        },
      ]
  }
}

/** Whether a command is still on its way. */
export const isUnderWay = (command: Command): boolean => command.status === 'sent' || command.status === 'acked'

const RUNNING: Words = { text: 'Running', tone: 'active' }
const PAUSED: Words = { text: 'Paused', tone: 'warning' }

/** How a print ended, or that it runs or stands still: what its printer says now, when this is its current print. */
export function resultWords(print: Print | PrintSummary, printer: Printer | undefined): Words {
  if (print.failed_at !== null) return { text: 'Failed', tone: 'bad' }
  if (print.cancelled_at !== null) return { text: 'Cancelled', tone: 'warning' }
  if (print.finished_at !== null) return { text: 'Finished', tone: 'good' }
  if (printer?.current_print?.id !== print.id || printer.status === null) return RUNNING
  // What it does on its way, and a lost connection, are told with the printer.
  return printer.status.state.flags.paused ? PAUSED : RUNNING
}

/** What became of a print's failure alert; undefined when there was none. */
export function alertWords(print: Print | PrintSummary): Words | undefined {
  if (print.alerted_at === null) return undefined
  if (print.alert_overwrite === 'FAILED') return { text: 'Alert, confirmed', tone: 'bad' }
  if (print.alert_overwrite === 'NOT_FAILED') return { text: 'False alarm', tone: 'neutral' }
  return { text: 'Alert', tone: 'bad' }
}

/** How long a print took, or has been running: "3 h 05 min"; undefined when its start is not known. */
export function printDuration(print: Print | PrintSummary, nowSeconds: number): string | undefined {
  if (print.started_at === null) return undefined
  const end = print.ended_at ?? print.finished_at ?? print.cancelled_at
  return duration((end === null ? nowSeconds : secondsOf(end)) - secondsOf(print.started_at))
}

/** What the sensitivity (1 is normal) means. */
export function sensitivityWords(value: number): string {
  if (value < 0.95) return 'Low: fewer false alarms'
  return value > 1.05 ? 'High: earlier alerts' : 'Normal'
}
