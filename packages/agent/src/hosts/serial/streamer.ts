import { isLongCommand, isNudge, isUserWait, NUDGE } from './command-kinds.js'
import { numberedLine } from './line-protocol.js'
import type { FirmwareLine } from './reports.js'

/**
 * idle: nothing is out and no file is streamed; sending: the next line of the file may go out; waiting: a line is out whose `ok`
 * has not come; resending: the firmware wants lines again; paused: as idle, with a file that waits.
 */
export type StreamerState = 'idle' | 'sending' | 'waiting' | 'resending' | 'paused'

/** A line that was sent. `number` is undefined for one that went past the queue, without a number. */
export interface SentLine {
  readonly number: number | undefined
  readonly text: string
}

/** The line protocol from the host's side: one line is out at a time, and only its `ok` lets the next one go. */
export interface Streamer {
  readonly job: 'none' | 'running' | 'paused'
  readonly nextNumber: number
  /** The last numbered lines, oldest first: what the firmware may ask for again. */
  readonly history: readonly SentLine[]
  /** What is out, oldest first. More than one only after a line that went past the queue, or a nudge. */
  readonly unanswered: readonly SentLine[]
  /** The number from which the firmware wants the lines again. */
  readonly resendFrom: number | null
  /** How often the same line was asked for, in a row. */
  readonly repeats: number
  /** How often in a row we waited in vain. */
  readonly silences: number
  readonly waitingSinceMs: number
  readonly heardMs: number
  readonly transmitted: number
  readonly resends: number
}

export type StreamerInput =
  | { readonly type: 'firmware'; readonly line: FirmwareLine }
  /** The next line, to be given only when {@link canTake} says so. */
  | { readonly type: 'give'; readonly text: string }
  /** A line for the firmware's emergency parser: at once, whatever is out. */
  | { readonly type: 'past_the_queue'; readonly text: string }
  | { readonly type: 'job'; readonly job: Streamer['job'] }
  | { readonly type: 'time' }

export type StreamerEffect =
  | { readonly type: 'write'; readonly data: string }
  /** The firmware has carried the line out, or has put it into its own queue. Told again for a line that is sent again. */
  | { readonly type: 'done'; readonly line: SentLine }
  /** The firmware has begun anew: numbers and temperatures are gone. */
  | { readonly type: 'reset' }
  | { readonly type: 'lost'; readonly why: string }

export interface StreamerStep {
  readonly streamer: Streamer
  readonly effects: readonly StreamerEffect[]
}

const HISTORY = 50
/** A firmware says "busy" every two seconds while it works. */
const ANSWER_MS = 10_000
/** Some firmwares do not send the `ok` that belongs to a request to send again. */
const RESEND_OK_MS = 1_000
/** A firmware that says that it waits has nothing to do; a line that is out longer than this was lost, or its `ok`. */
const IDLE_MS = 1_000
const SILENCE_LIMIT_MS = 30_000
/** Heating and probing may take this long on a firmware that never says "busy". */
const LONG_SILENCE_LIMIT_MS = 15 * 60_000
/** Silences in a row after which the `ok` is taken for lost, from a firmware that talks of other things. */
const MAX_SILENCES = 3
const MAX_REPEATS = 20
/** A streamer for a connection that has just been made. Its first line should be `M110 N0`, which takes number 0. */
export function newStreamer(nowMs: number): Streamer {
  return {
    job: 'none',
    nextNumber: 0,
    history: [],
    unanswered: [],
    resendFrom: null,
    repeats: 0,
    silences: 0,
    waitingSinceMs: nowMs,
    heardMs: nowMs,
    transmitted: 0,
    resends: 0,
  }
}

export function stateOf({ job, unanswered, resendFrom }: Streamer): StreamerState {
  if (resendFrom !== null) return 'resending'
  if (unanswered.length > 0) return 'waiting'
  return job === 'none' ? 'idle' : job === 'running' ? 'sending' : 'paused'
}

/** Whether the next line may be given. Lines of a file only in the state `sending`, our own commands in `paused` and `idle` too. */
export function canTake({ unanswered, resendFrom }: Streamer): boolean {
  return unanswered.length === 0 && resendFrom === null
}

export function stepStreamer(streamer: Streamer, input: StreamerInput, nowMs: number): StreamerStep {
  switch (input.type) {
    case 'give':
      return give(streamer, input.text, nowMs)
    case 'past_the_queue': {
      const line = { number: undefined, text: input.text }
      const sent = { ...streamer, unanswered: [...streamer.unanswered, line], waitingSinceMs: nowMs }
      return { streamer: sent, effects: [{ type: 'write', data: `${input.text}\n` }] }
    }
    case 'job':
      return { streamer: { ...streamer, job: input.job }, effects: [] }
    case 'time':
      return takeTime(streamer, nowMs)
    case 'firmware':
      return takeLine({ ...streamer, heardMs: nowMs }, input.line, nowMs)
  }
}

function give(streamer: Streamer, text: string, nowMs: number): StreamerStep {
  const line = { number: streamer.nextNumber, text }
  return {
    streamer: {
      ...streamer,
      nextNumber: line.number + 1,
      history: [...streamer.history.slice(1 - HISTORY), line],
      unanswered: [...streamer.unanswered, line],
      waitingSinceMs: nowMs,
      transmitted: streamer.transmitted + 1,
    },
    effects: [{ type: 'write', data: numberedLine(line.number, text) }],
  }
}

function takeLine(streamer: Streamer, line: FirmwareLine, nowMs: number): StreamerStep {
  switch (line.type) {
    case 'ok':
      return takeOk(streamer, line.temperatures !== undefined, nowMs)
    case 'resend':
      return takeResend(streamer, line.number, nowMs)
    case 'wait':
      return nowMs - streamer.waitingSinceMs >= IDLE_MS ? nudge(streamer, nowMs) : { streamer, effects: [] }
    case 'busy':
      return { streamer: { ...streamer, waitingSinceMs: nowMs, silences: 0 }, effects: [] }
    case 'start':
      // What looks like a reset may be what a file let the printer say.
      if (/^M118\b/i.test(streamer.unanswered[0]?.text ?? '')) return { streamer, effects: [] }
      return { streamer, effects: [{ type: 'reset' }] }
    case 'action':
    case 'capability':
    case 'error':
    case 'firmware':
    case 'other':
    case 'position':
    case 'sd_done':
    case 'sd_entry':
    case 'sd_file':
    case 'sd_idle':
    case 'sd_progress':
    case 'temperatures':
    case 'unknown_command':
      return { streamer, effects: [] }
  }
}

function takeOk(streamer: Streamer, hasTemperatures: boolean, nowMs: number): StreamerStep {
  if (streamer.resendFrom !== null) {
    const { streamer: next, effects } = sendAgain(streamer, streamer.resendFrom, nowMs)
    return { streamer: next, effects: [...doneEffects(streamer.unanswered), ...effects] }
  }
  const [first] = streamer.unanswered
  if (!first) return { streamer, effects: [] }
  // Answers come in order: one with temperatures also answers what was out before the command that asks for them. Where nobody
  // asks any more, it is late, and answers nothing that is out now.
  const asked = hasTemperatures ? streamer.unanswered.findIndex(({ text }) => isNudge(text)) : 0
  if (asked < 0) return { streamer, effects: [] }
  const count = asked + 1
  return {
    streamer: {
      ...streamer,
      unanswered: streamer.unanswered.slice(count),
      waitingSinceMs: nowMs,
      silences: 0,
      repeats: 0,
    },
    effects: doneEffects(streamer.unanswered.slice(0, count)),
  }
}

function doneEffects(lines: readonly SentLine[]): StreamerEffect[] {
  return lines.map((line) => ({ type: 'done', line }))
}

/** The firmware has thrown away what was out, from line `number` on. */
function takeResend(streamer: Streamer, number: number, nowMs: number): StreamerStep {
  const repeats = streamer.resendFrom === number || lastSent(streamer) === number ? streamer.repeats + 1 : 1
  const asked = { ...streamer, repeats, resends: streamer.resends + 1, waitingSinceMs: nowMs, silences: 0 }
  if (repeats > MAX_REPEATS) {
    return { streamer: asked, effects: [{ type: 'lost', why: `asks for line ${number} again and again` }] }
  }
  // Noise in the number itself: the firmware will ask again, since the line that it gets next is not the one it expects.
  const isKnown = number === streamer.nextNumber || streamer.history.some((line) => line.number === number)
  if (!isKnown) return { streamer: asked, effects: [] }
  const arrived = streamer.unanswered.filter((line) => line.number !== undefined && line.number < number)
  return { streamer: { ...asked, unanswered: [], resendFrom: number }, effects: doneEffects(arrived) }
}

/** Sends line `number` again; the one after it, if there is one, follows after its `ok`. */
function sendAgain(streamer: Streamer, number: number, nowMs: number): StreamerStep {
  const line = streamer.history.find((sent) => sent.number === number)
  const resendFrom = number + 1 < streamer.nextNumber ? number + 1 : null
  if (!line) return { streamer: { ...streamer, resendFrom: null, unanswered: [] }, effects: [] }
  return {
    streamer: { ...streamer, resendFrom, unanswered: [line], waitingSinceMs: nowMs },
    effects: [{ type: 'write', data: numberedLine(number, line.text) }],
  }
}

function lastSent({ unanswered }: Streamer): number | undefined {
  return unanswered.at(-1)?.number
}

/** A line that the firmware never got, or an `ok` that we never got: the answer to one more line tells. */
function nudge(streamer: Streamer, nowMs: number): StreamerStep {
  const { unanswered, resendFrom } = streamer
  const isNeedless = unanswered.length === 0 || resendFrom !== null || unanswered.some(({ text }) => isNudge(text))
  if (isNeedless || isUserWait(unanswered[0]?.text)) return { streamer, effects: [] }
  return give(streamer, NUDGE, nowMs)
}

function takeTime(streamer: Streamer, nowMs: number): StreamerStep {
  const waitedMs = nowMs - streamer.waitingSinceMs
  const { resendFrom, unanswered } = streamer
  if (resendFrom !== null && waitedMs >= RESEND_OK_MS) return sendAgain(streamer, resendFrom, nowMs)
  if (unanswered.length === 0 || waitedMs < ANSWER_MS) return { streamer, effects: [] }

  const isLong = isLongCommand(unanswered[0]?.text)
  const silences = streamer.silences + 1
  const waited = { ...streamer, silences, waitingSinceMs: nowMs }
  if (nowMs - streamer.heardMs >= (isLong ? LONG_SILENCE_LIMIT_MS : SILENCE_LIMIT_MS)) {
    return { streamer: waited, effects: [{ type: 'lost', why: 'does not answer any more' }] }
  }
  const nudged = nudge(waited, nowMs)
  if (nudged.effects.length > 0) return nudged
  if (isLong || silences < MAX_SILENCES) return { streamer: waited, effects: [] }
  return {
    streamer: { ...waited, unanswered: [], silences: 0 },
    effects: doneEffects(unanswered),
  }
}
