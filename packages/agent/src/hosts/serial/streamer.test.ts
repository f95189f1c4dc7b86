import { expect, test } from 'vitest'
import { numberedLine } from './line-protocol.js'
import { readFirmwareLine } from './reports.js'
import { canTake, newStreamer, stateOf, stepStreamer, type Streamer, type StreamerInput } from './streamer.js'

type Step = string | { give: string } | { past: string } | { job: Streamer['job'] } | { afterMs: number }

/** Plays steps, a text being a line of the firmware; what was written, told and counted comes back. */
function play(steps: readonly Step[]) {
  let nowMs = 0
  let streamer = newStreamer(nowMs)
  const written: string[] = []
  const told: string[] = []
  const states: string[] = []
  for (const step of steps) {
    const input = inputOf(step)
    if (typeof step === 'object' && 'afterMs' in step) nowMs += step.afterMs
    if (input.type === 'give') expect(canTake(streamer)).toBe(true)
    const { streamer: next, effects } = stepStreamer(streamer, input, nowMs)
    streamer = next
    states.push(stateOf(streamer))
    for (const effect of effects) {
      if (effect.type === 'write') written.push(effect.data)
      else if (effect.type === 'done') told.push(`done ${effect.line.text}`)
      else told.push(effect.type)
    }
  }
  return { written, told, states, streamer }
}

function inputOf(step: Step): StreamerInput {
  if (typeof step === 'string') return { type: 'firmware', line: readFirmwareLine(step) }
  if ('give' in step) return { type: 'give', text: step.give }
  if ('past' in step) return { type: 'past_the_queue', text: step.past }
  if ('job' in step) return { type: 'job', job: step.job }
  return { type: 'time' }
}

const GREETED: readonly Step[] = [{ give: 'M110 N0' }, 'ok']
const N = numberedLine

test.each<{ name: string; steps: Step[]; written?: string[]; told?: string[]; state?: string }>([
  { name: 'nothing to do is idle', steps: [], written: [], told: [], state: 'idle' },
  { name: 'a line that is out waits for its ok', steps: [{ give: 'G28' }], written: [N(1, 'G28')], state: 'waiting' },
  { name: 'its ok ends the wait', steps: [{ give: 'G28' }, 'ok'], told: ['done G28'], state: 'idle' },
  { name: 'a running file wants the next line', steps: [{ job: 'running' }], state: 'sending' },
  { name: 'a paused file wants none', steps: [{ job: 'paused' }], state: 'paused' },
  {
    name: 'our own commands still go while it is paused',
    steps: [{ job: 'paused' }, { give: 'M105' }, 'ok T:20 /0'],
    told: ['done M105'],
    state: 'paused',
  },
  { name: 'an ok that nobody waits for is nothing', steps: ['ok', 'ok'], told: [], state: 'idle' },
  {
    name: 'temperatures, positions and echoes are no answer',
    steps: [{ give: 'G28' }, 'T:20 /0', 'X:0 Y:0 Z:0 E:0', 'echo:hello', '\x80'],
    told: [],
    state: 'waiting',
  },
  {
    name: 'a line is sent again after the ok of the request',
    steps: [{ give: 'G28' }, 'Error:checksum mismatch', 'Resend: 1', 'ok'],
    written: [N(1, 'G28'), N(1, 'G28')],
    state: 'waiting',
  },
  { name: 'before that ok nothing goes', steps: [{ give: 'G28' }, 'Resend: 1'], state: 'resending' },
  {
    name: 'without that ok it goes after a while',
    steps: [{ give: 'G28' }, 'Resend: 1', { afterMs: 1_000 }],
    written: [N(1, 'G28'), N(1, 'G28')],
  },
  {
    name: 'all lines from the one that was asked for are sent again, one by one',
    steps: [{ give: 'G1' }, 'ok', { give: 'G2' }, 'Resend: 1', 'ok', 'ok', 'ok'],
    written: [N(1, 'G1'), N(2, 'G2'), N(1, 'G1'), N(2, 'G2')],
    state: 'idle',
  },
  {
    name: 'a request for the line that comes next means that all arrived',
    steps: [{ give: 'G1' }, 'Resend: 2', 'ok', { give: 'G2' }],
    written: [N(1, 'G1'), N(2, 'G2')],
    told: ['done G1'],
  },
  {
    name: 'a request for a line that never was is noise, the ok after it counts',
    steps: [{ give: 'G1' }, 'Resend: 9', 'ok', { give: 'G2' }],
    written: [N(1, 'G1'), N(2, 'G2')],
  },
  {
    name: 'a request without end is a lost printer',
    steps: [
      { give: 'G1' },
      ...Array.from({ length: 21 }, () => ['Resend: 1', 'ok'])
        .flat()
        .slice(0, -1),
    ],
    told: ['lost'],
  },
  {
    name: 'silence is asked, and the answer with temperatures settles both lines',
    steps: [{ give: 'G1' }, { afterMs: 10_000 }, 'ok T:20 /0'],
    written: [N(1, 'G1'), N(2, 'M105')],
    told: ['done G1', 'done M105'],
    state: 'idle',
  },
  {
    name: 'two answers settle one line each',
    steps: [{ give: 'G1' }, { afterMs: 10_000 }, 'ok', 'ok T:20 /0'],
    told: ['done G1', 'done M105'],
    state: 'idle',
  },
  {
    name: 'a line that got lost is asked for once another one follows',
    steps: [{ give: 'G1' }, { afterMs: 10_000 }, 'Resend: 1', 'ok', 'ok', 'ok T:20 /0'],
    written: [N(1, 'G1'), N(2, 'M105'), N(1, 'G1'), N(2, 'M105')],
    state: 'idle',
  },
  {
    name: 'a firmware that says that it waits is asked at once',
    steps: [{ give: 'G1' }, { afterMs: 1_000 }, 'wait'],
    written: [N(1, 'G1'), N(2, 'M105')],
  },
  {
    name: 'busy gives it more time',
    steps: [{ give: 'G28' }, { afterMs: 9_000 }, 'busy: processing', { afterMs: 9_000 }],
    written: [N(1, 'G28')],
  },
  {
    name: 'who waits for somebody is never asked',
    steps: [{ give: 'M600' }, { afterMs: 20_000 }, 'wait', { afterMs: 5_000 }, 'wait'],
    written: [N(1, 'M600')],
  },
  {
    name: 'a firmware that says nothing at all is lost',
    steps: [{ give: 'G1' }, { afterMs: 10_000 }, { afterMs: 10_000 }, { afterMs: 10_000 }],
    told: ['lost'],
  },
  {
    name: 'while it heats it may be silent for long',
    steps: [{ give: 'M109 S200' }, ...Array.from({ length: 80 }, () => ({ afterMs: 10_000 }))],
    written: [N(1, 'M109 S200'), N(2, 'M105')],
    told: [],
    state: 'waiting',
  },
  {
    name: 'an answer that stays away while it talks of other things is taken for lost',
    steps: [{ give: 'G1' }, { afterMs: 10_000 }, 'T:20 /0', { afterMs: 10_000 }, 'T:20 /0', { afterMs: 10_000 }],
    told: ['done G1', 'done M105'],
    state: 'idle',
  },
  {
    name: 'what goes past the queue has no number, and an ok of its own',
    steps: [{ give: 'M109 S200' }, { past: 'M108' }, 'ok', 'ok', { give: 'G28' }],
    written: [N(1, 'M109 S200'), 'M108\n', N(2, 'G28')],
    told: ['done M109 S200', 'done M108'],
  },
  { name: 'start is a reset', steps: ['start'], told: ['reset'] },
  {
    name: 'but not when the file lets the printer say it',
    steps: [{ give: 'M118 start' }, 'start', 'ok'],
    told: ['done M118 start'],
  },
])('$name', ({ steps, written, told, state }) => {
  const played = play([...GREETED, ...steps])
  if (written) expect(played.written.slice(1)).toEqual(written)
  if (told) expect(played.told.slice(1)).toEqual(told)
  if (state) expect(played.states.at(-1)).toBe(state)
})

test('the first line sets the number', () => {
  expect(play(GREETED).written).toEqual(['N0 M110 N0*125\n'])
})

test('only the last lines are kept', () => {
  const { streamer } = play([...GREETED, ...Array.from({ length: 500 }, (): Step[] => [{ give: 'G1' }, 'ok']).flat()])
  expect(streamer.history).toHaveLength(50)
  expect(streamer.transmitted).toBe(501)
})
