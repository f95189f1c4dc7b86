import { readFileSync } from 'node:fs'
import { PrinterStatus } from '@printwarden/protocol'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { HostPhase, HostSnapshot } from '../../host.js'
import { NEW_TRACKER, track } from '../../tracking/print-tracker.js'
import { toFileMetadata } from './file-metadata.js'
import { readFrame } from './frames.js'
import { applyCurrent, applyEvent, NEW_VIEW, printEvent, snapshotOf, type View } from './translate.js'

const Line = z.object({
  t: z.number(),
  ws: z.record(z.string(), z.unknown()).optional(),
  rest: z.string().optional(),
  res: z.unknown().optional(),
})

/** What a real OctoPrint 1.11.8 said; repeated frames and fields that nobody reads were taken out. */
function recording(name: string): z.infer<typeof Line>[] {
  const text = readFileSync(new URL(`recorded/${name}.jsonl`, import.meta.url), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)))
}

/** Plays a recording as the host does; answers what the tracker makes of it and every phase in order. */
function replay(name: string): { events: string[]; phases: HostPhase[]; snapshots: HostSnapshot[] } {
  let view: View = NEW_VIEW
  let tracker = NEW_TRACKER
  const events: string[] = []
  const phases: HostPhase[] = []
  const snapshots: HostSnapshot[] = []
  for (const { t, ws } of recording(name)) {
    if (!ws) continue
    const now = { wallMs: 1_795_000_000_000 + t * 1000, monotonicMs: t * 1000 }
    const feed = (input: Parameters<typeof track>[1]) => {
      const step = track(tracker, input, now)
      tracker = step.tracker
      events.push(...step.events.map((event) => event.type))
    }
    const tell = () => {
      const snapshot = snapshotOf(view)
      snapshots.push(snapshot)
      if (phases.at(-1) !== snapshot.phase) phases.push(snapshot.phase)
      feed({ type: 'snapshot', snapshot })
    }
    const frame = readFrame(JSON.stringify(ws))
    if (frame.type === 'current') {
      view = applyCurrent(view, frame.current)
      tell()
    } else if (frame.type === 'event') {
      view = applyEvent(view, frame.event, frame.payload)
      if (frame.payload['state_id'] === 'STARTING') continue
      const report = printEvent(frame.event, frame.payload)
      if (frame.event === 'PrintStarted') tell()
      if (report) feed(report)
      if (frame.event !== 'PrintStarted') tell()
    }
  }
  return { events, phases, snapshots }
}

describe('recorded traffic', () => {
  test('a short print, one with a pause, and one that is cancelled', () => {
    const { events, phases } = replay('print-pause-cancel')
    expect(events).toEqual([
      'PrintStarted',
      'PrintDone',
      'PrintStarted',
      'PrintPaused',
      'PrintResumed',
      'PrintDone',
      'PrintStarted',
      'PrintCancelled',
    ])
    expect(phases).toEqual([
      'idle',
      'printing',
      'finishing',
      'idle',
      'printing',
      'pausing',
      'paused',
      'resuming',
      'printing',
      'finishing',
      'idle',
      'printing',
      'cancelling',
      'idle',
    ])
  })

  test('pauses by the printer, a thermal runaway, a pulled cable, a disconnect and an emergency stop', () => {
    const { events } = replay('errors')
    expect(events).toEqual([
      'PrintStarted',
      'PrintPaused',
      'PrintResumed',
      'PrintPaused',
      'PrintResumed',
      'PrintFailed',
      'PrintStarted',
      'PrintFailed',
      'PrintStarted',
      'PrintFailed',
    ])
  })

  test.each(['print-pause-cancel', 'errors'])('every snapshot of %s is a valid status', (name) => {
    for (const snapshot of replay(name).snapshots) {
      expect(PrinterStatus.safeParse({ _ts: 1, ...snapshot.status }).error).toBeUndefined()
    }
  })

  test('the status of a running print holds all that OctoPrint tells', () => {
    const { snapshots } = replay('print-pause-cancel')
    const paused = snapshots.findLast(({ phase, status }) => phase === 'paused' && status.state.flags.sdReady)
    expect(paused?.status).toMatchObject({
      state: { text: 'Paused', flags: { operational: true, paused: true, printing: false } },
      job: {
        file: { name: 'dwell15.gcode', origin: 'local', size: 1013 },
        estimatedPrintTime: expect.any(Number),
        user: 'agent',
      },
      currentZ: 0.2,
      progress: { completion: expect.closeTo(11.45, 1), filepos: 116, printTime: expect.any(Number) },
      temperatures: { tool0: { actual: expect.any(Number), target: 200 }, bed: { target: 60 } },
      resends: { count: 0, ratio: 0 },
      offsets: {},
    })
    // A chamber that is not there is told as null and null.
    expect(paused?.status.temperatures).not.toHaveProperty('chamber')
  })

  test('the answer about a file', () => {
    const answer = recording('print-pause-cancel').find(({ rest }) => rest === 'GET /api/files/local/fast.gcode')?.res
    expect(toFileMetadata(answer)).toEqual({ hash: 'd8539f3e41832e23816c9615dcf4028eb42f381e' })
  })
})

const current = (flags: string[], more: object = {}) => {
  const frame = readFrame(
    JSON.stringify({ current: { state: { flags: Object.fromEntries(flags.map((flag) => [flag, true])) }, ...more } }),
  )
  if (frame.type !== 'current') throw new Error('not a current frame')
  return frame.current
}
const printing = current(['operational', 'printing'])
const job = (name: string | null, completion: number | null) => ({
  job: { file: { name, path: name } },
  progress: { completion },
})

describe('a state that an event has announced', () => {
  const announced = applyEvent(applyCurrent(NEW_VIEW, printing), 'PrinterStateChanged', { state_id: 'PAUSED' })

  test('counts at once', () => {
    expect(snapshotOf(announced)).toMatchObject({ phase: 'paused', status: { state: { text: 'Paused' } } })
  })

  test('outlives a frame that lags behind', () => {
    expect(snapshotOf(applyCurrent(announced, printing)).phase).toBe('paused')
  })

  test('gives way to frames that go on contradicting it', () => {
    expect(snapshotOf(applyCurrent(applyCurrent(announced, printing), printing)).phase).toBe('printing')
  })

  test('is settled by the frame that shows it', () => {
    const shown = applyCurrent(announced, current(['operational', 'paused']))
    expect(snapshotOf(applyCurrent(shown, printing)).phase).toBe('printing')
  })
})

test('the reason of a failure is told with it, before the frames tell it', () => {
  const offline = applyEvent(applyCurrent(NEW_VIEW, printing), 'PrinterStateChanged', { state_id: 'OFFLINE' })
  const failed = applyEvent(offline, 'PrintFailed', { reason: 'error', error: 'Thermal Runaway' })
  expect(snapshotOf(failed).status.state).toMatchObject({ text: 'Offline', error: 'Thermal Runaway' })
  const shown = applyCurrent(failed, current(['closedOrError']))
  expect(snapshotOf(shown).status.state).not.toHaveProperty('error')
})

describe('the job', () => {
  test('a start brings its file before the frames do, and begins at 0 %', () => {
    const before = applyCurrent(NEW_VIEW, current(['operational', 'ready'], job('old.gcode', 100)))
    const starting = applyEvent(before, 'PrinterStateChanged', { state_id: 'STARTING' })
    const started = applyEvent(starting, 'PrintStarted', {
      name: 'new.gcode',
      path: 'f/new.gcode',
      origin: 'local',
      size: 5,
    })
    const stale = applyCurrent(started, current(['operational', 'ready'], job('old.gcode', 100)))
    for (const view of [started, stale]) {
      expect(snapshotOf(view).status).toMatchObject({
        job: { file: { name: 'new.gcode', path: 'f/new.gcode', display: 'new.gcode', size: 5 } },
        progress: { completion: 0 },
      })
    }
  })

  describe('that has started is not taken for the one before by a frame with the new state and the old job', () => {
    const before = applyCurrent(NEW_VIEW, current(['operational', 'ready'], job('old.gcode', 100)))
    const started = applyEvent(before, 'PrintStarted', { name: 'new.gcode', path: 'new.gcode', origin: 'local' })
    const printingOld = current(['operational', 'printing'], job('old.gcode', 100))
    const printingNew = current(['operational', 'printing'], job('new.gcode', 3))
    const shown = (view: View) => snapshotOf(view).status
    const after = (frames: number) =>
      Array.from({ length: frames }).reduce<View>((view) => applyCurrent(view, printingOld), started)

    test.each([1, 2, 4])('%i such frames', (frames) => {
      const stale = after(frames)
      expect(shown(stale)).toMatchObject({ job: { file: { path: 'new.gcode' } }, progress: { completion: 0 } })
      expect(shown(applyCurrent(stale, printingNew)).progress?.completion).toBe(3)
    })

    test('frames that go on with it are believed', () => {
      expect(shown(after(5)).job?.file.path).toBe('old.gcode')
    })

    test('once the frames have followed, they are believed at once', () => {
      expect(shown(applyCurrent(applyCurrent(started, printingNew), printingOld)).job?.file.path).toBe('old.gcode')
    })

    test('an idle printer may show any job', () => {
      const idle = applyCurrent(
        applyCurrent(started, printingNew),
        current(['operational', 'ready'], job('b.gcode', 0)),
      )
      expect(shown(idle).job?.file.path).toBe('b.gcode')
    })
  })

  test('an end brings 100 % before the frames do', () => {
    const before = applyCurrent(NEW_VIEW, current(['operational', 'printing'], job('a.gcode', 98.2)))
    expect(snapshotOf(applyEvent(before, 'PrintDone', { time: 61.4 })).status.progress).toMatchObject({
      completion: 100,
      printTime: 61,
      printTimeLeft: 0,
    })
  })

  test.each([
    { name: 'finished: still loaded, at 100 %', more: job('a.gcode', 100), outcome: 'done' },
    { name: 'cancelled: still loaded, progress emptied', more: job('a.gcode', null), outcome: 'cancelled' },
    { name: 'nothing loaded', more: job(null, null), outcome: null },
  ])('an idle host tells how the last run ended. $name', ({ more, outcome }) => {
    expect(snapshotOf(applyCurrent(NEW_VIEW, current(['operational', 'ready'], more))).outcome).toBe(outcome)
  })

  test('while it runs, nothing has ended', () => {
    expect(
      snapshotOf(applyCurrent(NEW_VIEW, current(['operational', 'printing'], job('a.gcode', 100)))).outcome,
    ).toBeNull()
  })
})

test.each([
  { event: 'PrintFailed', payload: { reason: 'cancelled' }, means: 'cancelled' },
  { event: 'PrintFailed', payload: { reason: 'error' }, means: 'failed' },
  { event: 'PrintCancelled', payload: {}, means: 'cancelled' },
  { event: 'PrintCancelling', payload: {}, means: undefined },
  { event: 'FilamentChange', payload: {}, means: undefined },
])('$event $payload means $means', ({ event, payload, means }) => {
  expect(printEvent(event, payload)).toEqual(means && { type: 'print', event: means })
})

test('filament without a job, and numbers that are none, leave no trace', () => {
  const odd = current(['operational', 'printing'], {
    job: { file: { name: 'a', path: 'a', size: 'big' }, filament: { length: null, volume: null }, user: null },
    resends: { count: null, ratio: 'x' },
    currentZ: 'up',
    offsets: [],
    temps: [{ time: 5, tool0: 7, bed: { actual: 60, target: 'hot' } }],
  })
  const { status } = snapshotOf(applyCurrent(NEW_VIEW, odd))
  expect(status.job).toEqual({
    file: { name: 'a', path: 'a', display: 'a' },
    estimatedPrintTime: null,
    averagePrintTime: null,
    lastPrintTime: null,
  })
  expect(status.temperatures).toEqual({ bed: { actual: 60, target: null } })
  expect(status).not.toHaveProperty('currentZ')
})
