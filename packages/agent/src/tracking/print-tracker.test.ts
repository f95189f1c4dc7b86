import type { Job } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import type { HostPhase, HostSnapshot, PrintOutcome } from '../host.js'
import { HostError } from '../host.js'
import { stateOfPhase } from './host-state.js'
import { currentPrintTs, NEW_TRACKER, track, type Tracker, type TrackerInput } from './print-tracker.js'

const START_WALL_MS = 1_800_000_000_000

const job = (path: string): Job => ({ file: { name: path, path, display: path } })

interface Seen {
  completion?: number | null
  printTime?: number
  path?: string | null
  outcome?: PrintOutcome
}

function snapshot(phase: HostPhase, seen: Seen = {}): TrackerInput {
  const { completion, printTime, path = 'a.gcode', outcome = null } = seen
  const value: HostSnapshot = {
    phase,
    outcome,
    status: {
      state: stateOfPhase(phase),
      ...(path === null ? {} : { job: job(path) }),
      progress: { completion: completion ?? null, printTime: printTime ?? null },
    },
  }
  return { type: 'snapshot', snapshot: value }
}

const host = (event: 'started' | 'paused' | 'resumed' | PrintOutcome): TrackerInput => ({ type: 'print', event })
const lost: TrackerInput = { type: 'unreachable', error: new HostError('unreachable', 'gone'), retryInMs: 1000 }
const tick: TrackerInput = { type: 'tick' }

/** Feeds `[seconds since start, input]` one after the other; answers the events as "type@seconds" and the last tracker. */
function feed(inputs: [number, TrackerInput][], from: Tracker = NEW_TRACKER) {
  let tracker = from
  const events: string[] = []
  const prints: number[] = []
  for (const [seconds, input] of inputs) {
    const monotonicMs = 10_000_000 + seconds * 1000
    const step = track(tracker, input, { monotonicMs, wallMs: START_WALL_MS + seconds * 1000 })
    tracker = step.tracker
    for (const event of step.events) {
      events.push(`${event.type}@${(event.atMs - 10_000_000) / 1000}`)
      prints.push(event.printTs)
    }
  }
  return { events, prints, tracker }
}

const idle: [number, TrackerInput] = [0, snapshot('idle')]

test.each<{ name: string; inputs: [number, TrackerInput][]; events: string[] }>([
  {
    name: 'a print from start to end',
    inputs: [idle, [1, host('started')], [1, snapshot('printing')], [9, host('done')], [9.1, snapshot('idle')]],
    events: ['PrintStarted@1', 'PrintDone@9'],
  },
  {
    name: 'a start that the snapshots show first is one print',
    inputs: [idle, [1, snapshot('printing')], [1.1, host('started')], [2, snapshot('printing')]],
    events: ['PrintStarted@1.1'],
  },
  {
    name: 'a start that only the snapshots show is told after a while',
    inputs: [
      idle,
      [1, snapshot('printing')],
      [2, snapshot('printing')],
      [3, snapshot('printing')],
      [4, host('started')],
    ],
    events: ['PrintStarted@1'],
  },
  {
    name: 'a print that only the snapshots show is not missed for ending soon',
    inputs: [idle, [1, snapshot('printing')], [2, host('done')], [2.1, snapshot('idle')]],
    events: ['PrintStarted@1', 'PrintDone@2'],
  },
  {
    name: 'a moment of printing that the host never told of is no print',
    inputs: [idle, [1, snapshot('printing')], [2, snapshot('idle')], [4, snapshot('printing')], [5, snapshot('idle')]],
    events: [],
  },
  {
    name: 'a pause is told once the printer has paused, with the time at which it was said',
    inputs: [
      idle,
      [1, host('started')],
      [2, snapshot('pausing')],
      [3, host('paused')],
      [3.1, snapshot('pausing')],
      [5, snapshot('paused')],
    ],
    events: ['PrintStarted@1', 'PrintPaused@3'],
  },
  {
    name: 'a pause whose state never follows is told all the same',
    inputs: [idle, [1, host('started')], [3, host('paused')], [4, snapshot('pausing')], [18, tick]],
    events: ['PrintStarted@1', 'PrintPaused@3'],
  },
  {
    name: 'pause and resume',
    inputs: [
      idle,
      [1, host('started')],
      [2, host('paused')],
      [2, snapshot('paused')],
      [5, host('resumed')],
      [5, snapshot('resuming')],
      [6, snapshot('printing')],
      [7, snapshot('printing')],
    ],
    events: ['PrintStarted@1', 'PrintPaused@2', 'PrintResumed@5'],
  },
  {
    name: 'a cancel that is told as cancelled and as failed is one cancel, told when the printer is idle',
    inputs: [
      idle,
      [1, host('started')],
      [4, snapshot('cancelling')],
      [4.1, host('cancelled')],
      [4.2, host('failed')],
      [5, snapshot('cancelling')],
      [6, snapshot('idle')],
      [9, snapshot('idle')],
    ],
    events: ['PrintStarted@1', 'PrintCancelled@4.1'],
  },
  {
    name: 'an error ends the print once',
    inputs: [idle, [1, host('started')], [2, snapshot('offline')], [2, host('failed')], [2.5, snapshot('offline')]],
    events: ['PrintStarted@1', 'PrintFailed@2'],
  },
  {
    name: 'an idle moment without an end event is waited out',
    inputs: [idle, [1, host('started')], [2, snapshot('idle')], [3, snapshot('printing')]],
    events: ['PrintStarted@1'],
  },
  {
    name: 'an idle host that stays idle has ended the print',
    inputs: [
      idle,
      [1, host('started')],
      [2, snapshot('idle', { outcome: 'done' })],
      [4, snapshot('idle', { outcome: 'done' })],
    ],
    events: ['PrintStarted@1', 'PrintDone@4'],
  },
  {
    name: 'the next print starts while the end of the last is still held back',
    inputs: [idle, [1, host('started')], [3, host('done')], [3, host('started')], [4, snapshot('printing')]],
    events: ['PrintStarted@1', 'PrintDone@3', 'PrintStarted@3'],
  },
  {
    name: 'a running print found at start counts from its beginning',
    inputs: [[0, snapshot('printing', { printTime: 600 })]],
    events: ['PrintStarted@-600'],
  },
  {
    name: 'a paused print found at start',
    inputs: [[0, snapshot('paused', { printTime: 60 })]],
    events: ['PrintStarted@-60', 'PrintPaused@0'],
  },
  {
    name: 'the last moves of an ended print are no new print',
    inputs: [
      [0, snapshot('finishing')],
      [1, snapshot('cancelling')],
      [2, snapshot('idle')],
    ],
    events: [],
  },
  {
    name: 'events without a print mean nothing',
    inputs: [idle, [1, host('paused')], [2, host('failed')], [3, host('done')]],
    events: [],
  },
  {
    name: 'a host that was out of reach and comes back printing goes on with the same print',
    inputs: [
      idle,
      [1, host('started')],
      [2, snapshot('printing', { completion: 10 })],
      [3, lost],
      [9, lost],
      [30, snapshot('printing', { completion: 12 })],
    ],
    events: ['PrintStarted@1'],
  },
  {
    name: 'a host that died in mid-print and comes back empty has failed the print, once',
    inputs: [
      idle,
      [1, host('started')],
      [2, snapshot('printing', { completion: 40 })],
      [3, lost],
      [30, snapshot('offline', { path: null })],
      [31, snapshot('idle', { path: null })],
      [40, snapshot('idle', { path: null })],
    ],
    events: ['PrintStarted@1', 'PrintFailed@30'],
  },
  {
    name: 'a print that finished while the host was out of reach',
    inputs: [idle, [1, host('started')], [3, lost], [30, snapshot('idle', { completion: 100, outcome: 'done' })]],
    events: ['PrintStarted@1', 'PrintDone@30'],
  },
  {
    name: 'another file that was loaded meanwhile says nothing about this print',
    inputs: [
      idle,
      [1, host('started')],
      [2, snapshot('printing')],
      [3, lost],
      [30, snapshot('idle', { path: 'b.gcode', outcome: 'done' })],
    ],
    events: ['PrintStarted@1', 'PrintFailed@30'],
  },
  {
    name: 'another file that runs meanwhile is another print',
    inputs: [
      idle,
      [1, host('started')],
      [2, snapshot('printing')],
      [3, lost],
      [30, snapshot('printing', { path: 'b.gcode', printTime: 5 })],
    ],
    events: ['PrintStarted@1', 'PrintFailed@30', 'PrintStarted@25'],
  },
  {
    name: 'what is left of the print before is not taken for progress',
    inputs: [
      idle,
      [1, host('started')],
      [1, snapshot('printing', { completion: 100 })],
      [3, lost],
      [8, snapshot('printing', { completion: 4 })],
    ],
    events: ['PrintStarted@1'],
  },
  {
    name: 'the same file from its beginning is another print',
    inputs: [
      idle,
      [1, host('started')],
      [2, snapshot('printing', { completion: 80 })],
      [3, lost],
      [30, snapshot('printing', { completion: 5, printTime: 2 })],
    ],
    events: ['PrintStarted@1', 'PrintFailed@30', 'PrintStarted@28'],
  },
  {
    name: 'a pause that happened out of sight',
    inputs: [idle, [1, host('started')], [3, lost], [30, snapshot('paused')]],
    events: ['PrintStarted@1', 'PrintPaused@30'],
  },
  {
    name: 'an end that was held back when the host went away is told at once',
    inputs: [idle, [1, host('started')], [2, host('cancelled')], [2.1, lost]],
    events: ['PrintStarted@1', 'PrintCancelled@2'],
  },
])('$name', ({ inputs, events }) => {
  expect(feed(inputs).events).toEqual(events)
})

test('current_print_ts is the second of the start, the same until the end, and −1 between prints', () => {
  const started = feed([idle, [1.7, host('started')]])
  expect(currentPrintTs(started.tracker)).toBe(1_800_000_001)
  const cancelling = feed(
    [
      [60, host('cancelled')],
      [60, snapshot('cancelling')],
    ],
    started.tracker,
  )
  expect(currentPrintTs(cancelling.tracker)).toBe(1_800_000_001)
  const ended = feed([[61, snapshot('idle')]], cancelling.tracker)
  expect(ended.prints).toEqual([1_800_000_001])
  expect(currentPrintTs(ended.tracker)).toBe(-1)
})

test('no current_print_ts is given twice, not within a second nor by a clock that was set back', () => {
  const { prints, tracker } = feed([
    idle,
    [1, host('started')],
    [1.1, host('done')],
    [1.1, snapshot('idle')],
    [1.2, host('started')],
  ])
  expect(prints).toEqual([1_800_000_001, 1_800_000_001, 1_800_000_002])
  const earlier = track({ ...tracker, print: null }, host('started'), { monotonicMs: 0, wallMs: 5_000_000 })
  expect(earlier.events[0]?.printTs).toBe(1_800_000_003)
})

test('the job of a print is kept for its end, when the host has forgotten it', () => {
  const { tracker } = feed([idle, [1, host('started')], [2, snapshot('printing')]])
  const step = track(tracker, host('failed'), { monotonicMs: 0, wallMs: 0 })
  const settled = track(step.tracker, snapshot('offline', { path: null }), { monotonicMs: 0, wallMs: 0 })
  expect(settled.events[0]).toMatchObject({ type: 'PrintFailed', job: job('a.gcode') })
})

test('a start carries the file that the host names with it, not the one that it still showed', () => {
  const late = feed([idle, [1, snapshot('printing', { path: 'before.gcode' })], [1.2, snapshot('printing')]])
  expect(late.events).toEqual([])
  expect(currentPrintTs(late.tracker)).toBe(-1)
  const { tracker } = feed([[1.2, host('started')]], late.tracker)
  expect(tracker.print?.job).toBeNull()
})
