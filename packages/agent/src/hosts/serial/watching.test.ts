import { expect, test } from 'vitest'
import { readFirmwareLine } from './reports.js'
import { NEW_WATCHED, stepWatched, type Watched, type WatchInput } from './watching.js'

/** A line of the firmware, a command of ours, `answered` when it was, or `unplugged`. */
type Step = string | { command: 'pause' | 'resume' | 'cancel' }

function watch(steps: readonly Step[]): { watched: Watched; events: string[] } {
  let watched = NEW_WATCHED
  const events: string[] = []
  for (const step of steps) {
    const next = stepWatched(watched, inputOf(step))
    watched = next.watched
    events.push(...next.events)
  }
  return { watched, events }
}

function inputOf(step: Step): WatchInput {
  if (step === 'answered') return { type: 'answered' }
  if (step === 'unplugged') return { type: 'disconnected' }
  if (typeof step === 'string') return { type: 'line', line: readFirmwareLine(step) }
  return { type: 'command', command: step.command }
}

const IDLE = 'Not SD printing'
const at = (byte: number): string => `SD printing byte ${byte}/1000`

test.each<{ name: string; steps: Step[]; events: string[]; watched: Partial<Watched> }>([
  { name: 'nothing is printed', steps: [IDLE], events: [], watched: { phase: 'idle', known: true } },
  {
    name: 'a print begins',
    steps: [IDLE, 'File opened: part.gco Size: 1000', at(10)],
    events: ['started'],
    watched: { phase: 'printing', fileName: 'part.gco', byte: 10, size: 1000 },
  },
  {
    name: 'one that ran before us is no news',
    steps: [at(500)],
    events: [],
    watched: { phase: 'printing', byte: 500 },
  },
  {
    name: 'it is done',
    steps: [IDLE, at(10), 'Done printing file', IDLE],
    events: ['started', 'done'],
    watched: { phase: 'idle', outcome: 'done' },
  },
  {
    name: 'done, told the other way round',
    steps: [IDLE, at(990), IDLE, 'Done printing file'],
    events: ['started', 'done'],
    watched: { outcome: 'done' },
  },
  {
    name: 'it ends at its end without a word',
    steps: [IDLE, at(999), IDLE, IDLE],
    events: ['started', 'done'],
    watched: { outcome: 'done' },
  },
  {
    name: 'it ends in the middle',
    steps: [IDLE, at(400), IDLE, IDLE],
    events: ['started', 'cancelled'],
    watched: { outcome: 'cancelled' },
  },
  {
    name: 'we pause, and it stands still',
    steps: [IDLE, at(10), { command: 'pause' }, 'answered', at(20), at(20)],
    events: ['started', 'paused'],
    watched: { phase: 'paused' },
  },
  {
    name: 'we pause an old firmware',
    steps: [IDLE, at(10), { command: 'pause' }, 'answered', IDLE],
    events: ['started', 'paused'],
    watched: { phase: 'paused' },
  },
  {
    name: 'it heats, and comes to the pause later',
    steps: [IDLE, at(10), { command: 'pause' }, at(10), at(10), at(20)],
    events: ['started'],
    watched: { phase: 'pausing' },
  },
  {
    name: 'it heats before it goes on',
    steps: [IDLE, at(10), '//action:paused', { command: 'resume' }, at(10), at(10)],
    events: ['started', 'paused'],
    watched: { phase: 'resuming' },
  },
  {
    name: 'a pause that is not heeded is none',
    steps: [IDLE, at(10), { command: 'pause' }, 'answered', at(20), at(30), at(40)],
    events: ['started'],
    watched: { phase: 'printing' },
  },
  {
    name: 'a pause that was lost with the cable is none',
    steps: [IDLE, at(10), { command: 'pause' }, 'unplugged', at(20), at(30), at(40)],
    events: ['started'],
    watched: { phase: 'printing' },
  },
  {
    name: 'a pause that came through before the cable was lost',
    steps: [IDLE, at(10), { command: 'pause' }, 'unplugged', at(20), at(20)],
    events: ['started', 'paused'],
    watched: { phase: 'paused' },
  },
  {
    name: 'a cancel that was lost with the cable is none',
    steps: [IDLE, at(10), { command: 'cancel' }, 'unplugged', at(20)],
    events: ['started'],
    watched: { phase: 'printing' },
  },
  {
    name: 'an old firmware stays paused',
    steps: [IDLE, at(10), { command: 'pause' }, 'answered', IDLE, IDLE, IDLE],
    events: ['started', 'paused'],
    watched: { phase: 'paused' },
  },
  {
    name: 'the last line that was read does not resume it',
    steps: [IDLE, at(10), '//action:paused', at(20), at(20), at(20)],
    events: ['started', 'paused'],
    watched: { phase: 'paused' },
  },
  {
    name: 'somebody resumes it at the printer',
    steps: [IDLE, at(10), '//action:paused', at(20), at(30)],
    events: ['started', 'paused', 'resumed'],
    watched: { phase: 'printing' },
  },
  {
    name: 'it says so itself',
    steps: [IDLE, at(10), '//action:pause', '//action:resume'],
    events: ['started', 'paused', 'resumed'],
    watched: { phase: 'printing' },
  },
  {
    name: 'we resume',
    steps: [IDLE, at(10), '//action:paused', { command: 'resume' }, 'answered', at(10)],
    events: ['started', 'paused', 'resumed'],
    watched: { phase: 'printing' },
  },
  {
    name: 'it waits for filament',
    steps: [IDLE, at(10), 'echo:busy: paused for user'],
    events: ['started', 'paused'],
    watched: { phase: 'paused' },
  },
  {
    name: 'we cancel',
    steps: [IDLE, at(10), { command: 'cancel' }, at(20), IDLE],
    events: ['started', 'cancelled'],
    watched: { phase: 'idle', outcome: 'cancelled' },
  },
  {
    name: 'somebody cancels at the printer',
    steps: [IDLE, at(10), '//action:cancel'],
    events: ['started', 'cancelled'],
    watched: { phase: 'idle' },
  },
  {
    name: 'it is reset',
    steps: [IDLE, at(10), 'start'],
    events: ['started', 'failed'],
    watched: { outcome: 'failed', error: 'the printer was reset' },
  },
  {
    name: 'it has a fault',
    steps: [IDLE, at(10), 'Error:Printer halted. kill() called!'],
    events: ['started', 'failed'],
    watched: { outcome: 'failed' },
  },
  {
    name: 'an error that is none for the print',
    steps: [IDLE, at(10), 'Error:checksum mismatch, Last Line: 3'],
    events: ['started'],
    watched: { phase: 'printing' },
  },
  {
    name: 'it goes on while nobody looks',
    steps: [IDLE, at(10), 'unplugged', at(600)],
    events: ['started'],
    watched: { phase: 'printing', byte: 600 },
  },
  {
    name: 'it ends while nobody looks: how, nobody knows',
    steps: [IDLE, at(10), 'unplugged', IDLE],
    events: ['started'],
    watched: { phase: 'idle', outcome: null },
  },
  {
    name: 'the same words without a print mean nothing',
    steps: [IDLE, 'Done printing file', '//action:cancel', 'start', '//action:resume'],
    events: [],
    watched: { phase: 'idle', outcome: null },
  },
])('$name', ({ steps, events, watched }) => {
  const seen = watch(steps)
  expect(seen.events).toEqual(events)
  expect(seen.watched).toMatchObject(watched)
})
