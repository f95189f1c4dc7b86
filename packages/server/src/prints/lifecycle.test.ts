import type { PrintEventType } from '@printwarden/protocol'
import { describe, expect, test } from 'vitest'
import {
  applyReport,
  type Effect,
  END_EVENT_GRACE_MS,
  NO_PROGRESS,
  NOTHING_RUNS,
  type Report,
  settle,
  settleDueAt,
  type Tracking,
} from './lifecycle.js'
import type { TrackedPrint } from './tracked-print.js'

const T = 100
const OTHER = 200
const NOW = 50_000

function print(changes: Partial<TrackedPrint> = {}): TrackedPrint {
  return {
    id: 1,
    current_print_ts: T,
    state: 'running',
    filename: 'a.gcode',
    started_at: 10_000,
    finished_at: null,
    cancelled_at: null,
    failed_at: null,
    end_assumed: false,
    print_time: null,
    filament_used: null,
    ...changes,
  }
}

const finished = (changes: Partial<TrackedPrint> = {}) =>
  print({ state: 'finished', finished_at: 40_000, print_time: 30, ...changes })
const assumedCancelled = (changes: Partial<TrackedPrint> = {}) =>
  print({ state: 'cancelled', cancelled_at: 40_000, end_assumed: true, print_time: 30, ...changes })

const running = (changes: Partial<TrackedPrint> = {}, completion: number | null = 50): Tracking => ({
  running: print(changes),
  progress: { completion, print_time: 30, filament_used: 120 },
  idle_since: undefined,
})

function report(changes: Partial<Omit<Report, 'event'>> & { event?: PrintEventType; age?: number } = {}): Report {
  const { event, age = 0, ...rest } = changes
  const at = rest.at ?? NOW
  return {
    current_print_ts: T,
    late: false,
    offline: false,
    paused: undefined,
    filename: 'a.gcode',
    progress: NO_PROGRESS,
    recorded: undefined,
    ...rest,
    at,
    event: event === undefined ? undefined : { type: event, at: at - age },
  }
}

/** Effects as short lines, so that a row of the table shows the whole story. */
function story(effects: readonly Effect[]): string[] {
  return effects.map((effect) => {
    const { id, current_print_ts: name, state, end_assumed } = effect.print
    if (effect.type === 'tell') return `tell ${name} ${effect.happening.type} at ${effect.happening.at}`
    return `${id === undefined ? 'insert' : 'update'} ${name} ${state}${end_assumed ? ' (assumed)' : ''}`
  })
}

interface Row {
  name: string
  from: Tracking
  report: Report
  effects: string[]
  /** State of the running print afterwards. */
  running: `${number} ${'running' | 'paused'}` | undefined
  /** Fields of the last saved print. */
  saved?: Partial<TrackedPrint>
}

const starts: Row[] = [
  {
    name: 'PrintStarted on an idle printer starts a print',
    from: NOTHING_RUNS,
    report: report({ event: 'PrintStarted' }),
    effects: ['insert 100 running', 'tell 100 STARTED at 50000'],
    running: '100 running',
    saved: {
      id: undefined,
      filename: 'a.gcode',
      started_at: NOW,
      finished_at: null,
      cancelled_at: null,
      failed_at: null,
    },
  },
  {
    name: 'the start is the time of receipt less the age of the event',
    from: NOTHING_RUNS,
    report: report({ event: 'PrintStarted', age: 30_000 }),
    effects: ['insert 100 running', 'tell 100 STARTED at 20000'],
    running: '100 running',
    saved: { started_at: 20_000 },
  },
  {
    name: 'a print seen half-way starts when it is seen',
    from: NOTHING_RUNS,
    report: report({ progress: { completion: 40, print_time: 900, filament_used: null }, paused: false }),
    effects: ['insert 100 running', 'tell 100 STARTED at 50000'],
    running: '100 running',
    saved: { started_at: NOW },
  },
  {
    name: 'a print seen half-way and paused is paused',
    from: NOTHING_RUNS,
    report: report({ paused: true }),
    effects: ['insert 100 paused', 'tell 100 STARTED at 50000', 'tell 100 PAUSED at 50000'],
    running: '100 paused',
  },
  {
    name: 'a print first heard of by its pause is paused',
    from: NOTHING_RUNS,
    report: report({ event: 'PrintPaused' }),
    effects: ['insert 100 paused', 'tell 100 STARTED at 50000', 'tell 100 PAUSED at 50000'],
    running: '100 paused',
  },
  {
    name: 'a print first heard of by its end is recorded whole',
    from: NOTHING_RUNS,
    report: report({ event: 'PrintDone', age: 1000 }),
    effects: ['insert 100 finished', 'tell 100 STARTED at 49000', 'tell 100 ENDED at 49000'],
    running: undefined,
    saved: { started_at: 49_000, finished_at: 49_000 },
  },
  {
    name: 'a new print of an unreachable host is still a new print',
    from: NOTHING_RUNS,
    report: report({ offline: true }),
    effects: ['insert 100 running', 'tell 100 STARTED at 50000'],
    running: '100 running',
  },
  {
    name: 'a print without a file name has an empty one',
    from: NOTHING_RUNS,
    report: report({ event: 'PrintStarted', filename: undefined }),
    effects: ['insert 100 running', 'tell 100 STARTED at 50000'],
    running: '100 running',
    saved: { filename: '' },
  },
  {
    name: 'a file name that comes later is filled in',
    from: running({ filename: '' }),
    report: report({ filename: 'late.gcode' }),
    effects: ['update 100 running'],
    running: '100 running',
    saved: { filename: 'late.gcode' },
  },
  {
    name: 'a known file name stays',
    from: running(),
    report: report({ filename: 'other.gcode' }),
    effects: [],
    running: '100 running',
  },
  {
    name: 'PrintStarted of the running print changes nothing',
    from: running(),
    report: report({ event: 'PrintStarted' }),
    effects: [],
    running: '100 running',
  },
  {
    name: 'PrintStarted that comes after its print was seen corrects the start',
    from: running({ started_at: 45_000 }),
    report: report({ event: 'PrintStarted', age: 20_000 }),
    effects: ['update 100 running'],
    running: '100 running',
    saved: { started_at: 30_000 },
  },
  {
    name: 'PrintStarted without a name starts nothing',
    from: NOTHING_RUNS,
    report: report({ current_print_ts: -1, event: 'PrintStarted' }),
    effects: [],
    running: undefined,
  },
  {
    name: 'idle on an idle printer changes nothing',
    from: NOTHING_RUNS,
    report: report({ current_print_ts: -1 }),
    effects: [],
    running: undefined,
  },
]

const middles: Row[] = [
  {
    name: 'the same current_print_ts is the same print',
    from: running(),
    report: report({ paused: false }),
    effects: [],
    running: '100 running',
  },
  {
    name: 'PrintPaused pauses',
    from: running(),
    report: report({ event: 'PrintPaused', age: 100 }),
    effects: ['update 100 paused', 'tell 100 PAUSED at 49900'],
    running: '100 paused',
  },
  {
    name: 'a repeated PrintPaused changes nothing',
    from: running({ state: 'paused' }),
    report: report({ event: 'PrintPaused' }),
    effects: [],
    running: '100 paused',
  },
  {
    name: 'PrintResumed resumes',
    from: running({ state: 'paused' }),
    report: report({ event: 'PrintResumed' }),
    effects: ['update 100 running', 'tell 100 RESUMED at 50000'],
    running: '100 running',
  },
  {
    name: 'a repeated PrintResumed changes nothing',
    from: running(),
    report: report({ event: 'PrintResumed' }),
    effects: [],
    running: '100 running',
  },
  {
    name: 'the event decides, not the flags beside it',
    from: running(),
    report: report({ event: 'PrintPaused', paused: false }),
    effects: ['update 100 paused', 'tell 100 PAUSED at 50000'],
    running: '100 paused',
  },
  {
    name: 'the paused flag mends a lost PrintPaused',
    from: running(),
    report: report({ paused: true }),
    effects: ['update 100 paused', 'tell 100 PAUSED at 50000'],
    running: '100 paused',
  },
  {
    name: 'the printing flag mends a lost PrintResumed',
    from: running({ state: 'paused' }),
    report: report({ paused: false }),
    effects: ['update 100 running', 'tell 100 RESUMED at 50000'],
    running: '100 running',
  },
  {
    name: 'flags in between change nothing',
    from: running({ state: 'paused' }),
    report: report({ paused: undefined }),
    effects: [],
    running: '100 paused',
  },
  {
    name: 'Offline under the running print keeps it open',
    from: running(),
    report: report({ offline: true }),
    effects: [],
    running: '100 running',
  },
  {
    name: 'Offline without a print keeps it open too',
    from: running(),
    report: report({ current_print_ts: -1, offline: true, at: NOW + 600_000 }),
    effects: [],
    running: '100 running',
  },
  {
    name: 'a late message without an event changes nothing, whatever it names',
    from: running(),
    report: report({ current_print_ts: OTHER, late: true, paused: true }),
    effects: [],
    running: '100 running',
  },
  {
    name: 'a late message counts for its event',
    from: running(),
    report: report({ late: true, event: 'PrintPaused', age: 5000 }),
    effects: ['update 100 paused', 'tell 100 PAUSED at 45000'],
    running: '100 paused',
  },
]

const ends: Row[] = [
  {
    name: 'PrintDone finishes, with print time and filament as last heard',
    from: running(),
    report: report({ event: 'PrintDone' }),
    effects: ['update 100 finished', 'tell 100 ENDED at 50000'],
    running: undefined,
    saved: {
      finished_at: NOW,
      cancelled_at: null,
      failed_at: null,
      print_time: 30,
      filament_used: 120,
      end_assumed: false,
    },
  },
  {
    name: 'the numbers of the end message win when they are larger',
    from: running(),
    report: report({ event: 'PrintDone', progress: { completion: 100, print_time: 41, filament_used: 0 } }),
    effects: ['update 100 finished', 'tell 100 ENDED at 50000'],
    running: undefined,
    saved: { print_time: 41, filament_used: 120 },
  },
  {
    name: 'without a print time of the host the clock gives it',
    from: { ...running(), progress: NO_PROGRESS },
    report: report({ event: 'PrintDone', age: 4000 }),
    effects: ['update 100 finished', 'tell 100 ENDED at 46000'],
    running: undefined,
    saved: { finished_at: 46_000, print_time: 36, filament_used: null },
  },
  {
    name: 'PrintCancelled cancels',
    from: running(),
    report: report({ event: 'PrintCancelled' }),
    effects: ['update 100 cancelled', 'tell 100 ENDED at 50000'],
    running: undefined,
    saved: { finished_at: null, cancelled_at: NOW, failed_at: null },
  },
  {
    name: 'PrintFailed fails, which counts as cancelled too',
    from: running({ state: 'paused' }),
    report: report({ event: 'PrintFailed' }),
    effects: ['update 100 failed', 'tell 100 ENDED at 50000'],
    running: undefined,
    saved: { finished_at: null, cancelled_at: NOW, failed_at: NOW },
  },
  {
    name: 'an end event at 100 % is still what the event says',
    from: running({}, 100),
    report: report({ event: 'PrintFailed' }),
    effects: ['update 100 failed', 'tell 100 ENDED at 50000'],
    running: undefined,
  },
  {
    name: 'a print does not end before it began',
    from: running({ started_at: 49_000 }),
    report: report({ event: 'PrintDone', age: 30_000 }),
    effects: ['update 100 finished', 'tell 100 ENDED at 49000'],
    running: undefined,
    saved: { finished_at: 49_000 },
  },
  {
    name: 'an end event beside −1 ends the running print',
    from: running(),
    report: report({ current_print_ts: -1, event: 'PrintDone' }),
    effects: ['update 100 finished', 'tell 100 ENDED at 50000'],
    running: undefined,
  },
  {
    name: 'an event beside −1 from before the print began is not of this print',
    from: running(),
    report: report({ current_print_ts: -1, event: 'PrintFailed', age: 45_000, late: true }),
    effects: [],
    running: '100 running',
  },
  {
    name: 'PrintFailed after PrintCancelled leaves it cancelled',
    from: NOTHING_RUNS,
    report: report({
      event: 'PrintFailed',
      recorded: print({ state: 'cancelled', cancelled_at: 40_000 }),
    }),
    effects: [],
    running: undefined,
  },
  {
    name: 'PrintDone again, without an id, changes nothing',
    from: NOTHING_RUNS,
    report: report({ event: 'PrintDone', recorded: finished() }),
    effects: [],
    running: undefined,
  },
  {
    name: 'a status of a print that has ended does not open it again',
    from: NOTHING_RUNS,
    report: report({ paused: false, recorded: finished() }),
    effects: [],
    running: undefined,
  },
  {
    name: 'a status of a print that has ended leaves the running one alone',
    from: running({ id: 2, current_print_ts: OTHER }),
    report: report({ recorded: finished() }),
    effects: [],
    running: '200 running',
  },
  {
    name: 'PrintPaused of a print that has ended changes nothing',
    from: NOTHING_RUNS,
    report: report({ event: 'PrintPaused', recorded: finished() }),
    effects: [],
    running: undefined,
  },
]

const assumptions: Row[] = [
  {
    name: 'another print ends the running one as cancelled',
    from: running(),
    report: report({ current_print_ts: OTHER, filename: 'b.gcode' }),
    effects: [
      'update 100 cancelled (assumed)',
      'tell 100 ENDED at 50000',
      'insert 200 running',
      'tell 200 STARTED at 50000',
    ],
    running: '200 running',
    saved: { current_print_ts: OTHER, filename: 'b.gcode', started_at: NOW },
  },
  {
    name: 'another print ends one that was at 100 % as finished',
    from: running({}, 100),
    report: report({ current_print_ts: OTHER, event: 'PrintStarted', age: 2000 }),
    effects: [
      'update 100 finished (assumed)',
      'tell 100 ENDED at 48000',
      'insert 200 running',
      'tell 200 STARTED at 48000',
    ],
    running: '200 running',
  },
  {
    name: '−1 alone does not end a print at once',
    from: running(),
    report: report({ current_print_ts: -1 }),
    effects: [],
    running: '100 running',
  },
  {
    name: '−1 within the grace ends nothing',
    from: { ...running(), idle_since: NOW - END_EVENT_GRACE_MS + 1 },
    report: report({ current_print_ts: -1 }),
    effects: [],
    running: '100 running',
  },
  {
    name: '−1 after the grace ends the print when −1 came first',
    from: { ...running(), idle_since: NOW - END_EVENT_GRACE_MS },
    report: report({ current_print_ts: -1 }),
    effects: ['update 100 cancelled (assumed)', 'tell 100 ENDED at 45000'],
    running: undefined,
    saved: { cancelled_at: 45_000, failed_at: null, print_time: 30, filament_used: 120 },
  },
  {
    name: '−1 after the grace of a print at 100 % finishes it',
    from: { ...running({}, 100), idle_since: NOW - END_EVENT_GRACE_MS },
    report: report({ current_print_ts: -1 }),
    effects: ['update 100 finished (assumed)', 'tell 100 ENDED at 45000'],
    running: undefined,
    saved: { finished_at: 45_000, cancelled_at: null },
  },
  {
    name: '100 % beside −1 finishes the print too',
    from: { ...running({}, 99), idle_since: NOW - END_EVENT_GRACE_MS },
    report: report({ current_print_ts: -1, progress: { completion: 100, print_time: null, filament_used: null } }),
    effects: ['update 100 finished (assumed)', 'tell 100 ENDED at 45000'],
    running: undefined,
  },
  {
    name: 'the end event within the grace is the truth',
    from: { ...running(), idle_since: NOW - 100 },
    report: report({ event: 'PrintDone', age: 200, late: true }),
    effects: ['update 100 finished', 'tell 100 ENDED at 49800'],
    running: undefined,
    saved: { finished_at: 49_800, cancelled_at: null, end_assumed: false },
  },
  {
    name: 'the end event after the grace corrects what was assumed',
    from: NOTHING_RUNS,
    report: report({ event: 'PrintDone', age: 20_000, late: true, recorded: assumedCancelled() }),
    effects: ['update 100 finished', 'tell 100 ENDED at 30000'],
    running: undefined,
    saved: { finished_at: 30_000, cancelled_at: null, failed_at: null, end_assumed: false },
  },
  {
    name: 'a correction leaves the running print alone',
    from: running({ id: 2, current_print_ts: OTHER }),
    report: report({ event: 'PrintFailed', late: true, recorded: assumedCancelled() }),
    effects: ['update 100 failed', 'tell 100 ENDED at 50000'],
    running: '200 running',
    saved: { failed_at: NOW, cancelled_at: NOW },
  },
  {
    name: 'a print that was assumed to have ended goes on when it is reported again',
    from: NOTHING_RUNS,
    report: report({ recorded: assumedCancelled(), paused: false }),
    effects: ['update 100 running', 'tell 100 RESUMED at 50000'],
    running: '100 running',
    saved: { cancelled_at: null, finished_at: null, end_assumed: false, print_time: null },
  },
  {
    name: 'it is found paused: nobody has resumed it',
    from: NOTHING_RUNS,
    report: report({ recorded: assumedCancelled(), paused: true }),
    effects: ['update 100 paused', 'tell 100 PAUSED at 50000'],
    running: '100 paused',
    saved: { cancelled_at: null, end_assumed: false },
  },
  {
    name: 'it does not go on beside another print',
    from: running({ id: 2, current_print_ts: OTHER }),
    report: report({ recorded: assumedCancelled(), paused: false }),
    effects: [],
    running: '200 running',
  },
  {
    name: 'a late PrintPaused does not make it go on',
    from: NOTHING_RUNS,
    report: report({ event: 'PrintPaused', late: true, recorded: assumedCancelled() }),
    effects: [],
    running: undefined,
  },
  {
    name: 'a late PrintStarted of a print before the running one is recorded beside it',
    from: running({ id: 2, current_print_ts: OTHER, started_at: 40_000 }),
    report: report({ event: 'PrintStarted', late: true, age: 20_000 }),
    effects: ['insert 100 cancelled (assumed)', 'tell 100 STARTED at 30000'],
    running: '200 running',
    saved: { started_at: 30_000, cancelled_at: 40_000 },
  },
  {
    name: 'a late PrintDone of an unknown print is recorded beside the running one',
    from: running({ id: 2, current_print_ts: OTHER, started_at: 40_000 }),
    report: report({ event: 'PrintDone', late: true, age: 20_000 }),
    effects: ['insert 100 finished', 'tell 100 STARTED at 30000', 'tell 100 ENDED at 30000'],
    running: '200 running',
    saved: { end_assumed: false },
  },
  {
    name: 'a late PrintStarted on an idle printer starts a print, for its end may follow',
    from: NOTHING_RUNS,
    report: report({ event: 'PrintStarted', late: true, age: 20_000 }),
    effects: ['insert 100 running', 'tell 100 STARTED at 30000'],
    running: '100 running',
  },
]

const strays: Row[] = [
  {
    name: 'a stored running print that was not in memory is taken up',
    from: NOTHING_RUNS,
    report: report({ recorded: print(), paused: true }),
    effects: ['update 100 paused', 'tell 100 PAUSED at 50000'],
    running: '100 paused',
  },
  {
    name: 'a status under the running print ends the grace',
    from: { ...running(), idle_since: NOW - 1000 },
    report: report({ paused: false }),
    effects: [],
    running: '100 running',
  },
]

describe.each([
  ['starts', starts],
  ['while it runs', middles],
  ['ends', ends],
  ['assumed ends', assumptions],
  ['strays', strays],
])('%s', (_, rows) => {
  test.each(rows)('$name', (row) => {
    const step = applyReport(row.from, row.report)
    expect(story(step.effects)).toEqual(row.effects)
    const now = step.tracking.running
    expect(now ? `${now.current_print_ts} ${now.state}` : undefined).toBe(row.running)
    const saved = step.effects.findLast((effect) => effect.type === 'save')
    if (row.saved) expect(saved?.print).toMatchObject(row.saved)
  })

  const repeatable = rows.filter((row) => row.effects.length > 0 && row.report.current_print_ts === T)
  test.each(repeatable)('once done, nothing is left to do: $name', (row) => {
    const first = applyReport(row.from, row.report)
    const saved = first.effects.findLast((effect) => effect.type === 'save' && effect.print.current_print_ts === T)
    const recorded = first.tracking.running?.current_print_ts === T ? undefined : (saved?.print ?? row.report.recorded)
    expect(story(applyReport(first.tracking, { ...row.report, recorded }).effects)).toEqual([])
  })
})

test('a message that changes nothing durable has no effects, and remembers the progress', () => {
  const told = { completion: 51, print_time: 31, filament_used: null }
  const { tracking, effects } = applyReport(running(), report({ progress: told, paused: false }))
  expect(effects).toEqual([])
  expect(tracking.progress).toEqual({ completion: 51, print_time: 31, filament_used: 120 })
})

test('a late event does not set the progress back', () => {
  const old = { completion: 10, print_time: 5, filament_used: null }
  const { tracking } = applyReport(running(), report({ late: true, event: 'PrintPaused', progress: old }))
  expect(tracking.progress.completion).toBe(50)
})

test('the grace runs out without another message', () => {
  const idle = applyReport(running(), report({ current_print_ts: -1 })).tracking
  const due = settleDueAt(idle)
  expect(due).toBe(NOW + END_EVENT_GRACE_MS)
  expect(settle(idle, NOW + END_EVENT_GRACE_MS - 1)).toEqual({ tracking: idle, effects: [] })
  const step = settle(idle, NOW + END_EVENT_GRACE_MS)
  expect(story(step.effects)).toEqual(['update 100 cancelled (assumed)', 'tell 100 ENDED at 50000'])
  expect(step.tracking).toEqual(NOTHING_RUNS)
  expect(settleDueAt(step.tracking)).toBeUndefined()
})

test('a print that goes on within the grace is not ended', () => {
  const idle = applyReport(running(), report({ current_print_ts: -1 })).tracking
  const back = applyReport(idle, report({ paused: false, at: NOW + 1000 })).tracking
  expect(settleDueAt(back)).toBeUndefined()
  expect(settle(back, NOW + 60_000).effects).toEqual([])
})

test('a whole print, told by events, has each timestamp once', () => {
  let tracking: Tracking = NOTHING_RUNS
  const happenings: string[] = []
  let stored: TrackedPrint | undefined
  const tell = (at: number, changes: Parameters<typeof report>[0]) => {
    const recorded = tracking.running ? undefined : stored
    const step = applyReport(tracking, report({ at, recorded, ...changes }))
    for (const effect of step.effects) {
      if (effect.type === 'tell') happenings.push(`${effect.happening.type} ${effect.happening.at}`)
      else stored = { ...effect.print, id: 1 }
    }
    tracking = step.tracking.running ? { ...step.tracking, running: stored } : step.tracking
  }
  tell(1000, { event: 'PrintStarted' })
  tell(2000, { paused: false, progress: { completion: 10, print_time: 1, filament_used: 5 } })
  tell(3000, { event: 'PrintPaused' })
  tell(4000, { paused: true })
  tell(5000, { event: 'PrintResumed' })
  tell(6000, { paused: false, offline: false })
  tell(7000, { event: 'PrintDone', progress: { completion: 100, print_time: 5, filament_used: 50 } })
  tell(7500, { event: 'PrintDone' })
  tell(8000, { current_print_ts: -1 })
  tell(9000, { event: 'PrintFailed' })
  expect(happenings).toEqual(['STARTED 1000', 'PAUSED 3000', 'RESUMED 5000', 'ENDED 7000'])
  expect(stored).toMatchObject({
    state: 'finished',
    started_at: 1000,
    finished_at: 7000,
    cancelled_at: null,
    print_time: 5,
  })
  expect(tracking).toEqual(NOTHING_RUNS)
})
