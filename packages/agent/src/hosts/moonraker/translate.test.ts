import { readFileSync } from 'node:fs'
import { PrinterStatus } from '@printwarden/protocol'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { HostPhase, HostSnapshot } from '../../host.js'
import { NEW_TRACKER, track } from '../../tracking/print-tracker.js'
import { readFileFacts } from './file-metadata.js'
import { downOf, klippyDown } from './klippy.js'
import { readMessage } from './messages.js'
import { mergeObjects, printStatsOf, readPatch, readStatus, subscriptionOf, type Objects } from './objects.js'
import { isPrinting, printEvents } from './print-events.js'
import { applyObjects, endedJob, NEW_VIEW, phaseOf, snapshotOf, type View } from './translate.js'

const Line = z.object({ t: z.number(), recv: z.unknown() })

/** What a real Moonraker 0.11 with a real Klippy said; looks at which nothing of note had changed were merged into the next one. */
function recording(): z.infer<typeof Line>[] {
  const text = readFileSync(new URL('recorded/prints-and-faults.jsonl', import.meta.url), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)))
}

/** Plays the recording as the host does; answers what the tracker makes of it, every phase in order, and every snapshot. */
function replay(): { events: string[]; phases: HostPhase[]; snapshots: HostSnapshot[] } {
  let view: View = NEW_VIEW
  let tracker = NEW_TRACKER
  const events: string[] = []
  const phases: HostPhase[] = []
  const snapshots: HostSnapshot[] = []
  for (const { t, recv } of recording()) {
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
    const change = (objects: Objects) => {
      const before = printStatsOf(view.objects)
      const down = downOf(objects)
      if (down) return goDown(down)
      view = applyObjects(view, objects)
      const happened = printEvents(before, printStatsOf(objects))
      if (happened.includes('started')) tell()
      for (const event of happened) feed({ type: 'print', event })
      tell()
    }
    const goDown = (down: NonNullable<View['down']>) => {
      if (isPrinting(printStatsOf(view.objects))) feed({ type: 'print', event: 'failed' })
      view = { ...NEW_VIEW, down }
      tell()
    }
    const message = readMessage(JSON.stringify(recv))
    if (message.type === 'answer') {
      view = applyObjects(NEW_VIEW, readStatus(message.result))
      tell()
    } else if (message.type === 'notice' && message.method === 'notify_status_update') {
      change(mergeObjects(view.objects, readPatch(message.params[0])))
    } else if (message.type === 'notice' && message.method === 'notify_klippy_disconnected') {
      goDown(klippyDown('disconnected'))
    }
  }
  return { events, phases, snapshots }
}

describe('recorded traffic', () => {
  test('a print with a pause, one that is cancelled, one that runs out of filament and is lost, an emergency stop, a lost board', () => {
    const { events, phases } = replay()
    expect(events).toEqual([
      'PrintStarted',
      'PrintPaused',
      'PrintResumed',
      'PrintDone',
      'PrintStarted',
      'PrintCancelled',
      'PrintStarted',
      'PrintPaused',
      'PrintFailed',
    ])
    expect(phases).toEqual([
      'idle',
      'printing',
      'paused',
      'printing',
      'idle',
      'printing',
      'idle',
      'printing',
      'paused',
      'offline',
      'idle',
      'offline',
      'idle',
      'offline',
    ])
  })

  test('every snapshot is a valid status, and the faults have their reasons', () => {
    const { snapshots } = replay()
    for (const { status } of snapshots) expect(PrinterStatus.safeParse({ _ts: 1, ...status }).error).toBeUndefined()
    const reasons = snapshots.flatMap(({ status }) => status.state.error ?? [])
    expect([...new Set(reasons)]).toEqual([
      'Klipper is not running',
      'Shutdown due to webhooks request',
      "Lost communication with MCU 'mcu'",
    ])
  })

  test('progress is that of M73, and never falls in a print', () => {
    const { snapshots } = replay()
    const first = snapshots.slice(0, snapshots.findIndex(({ outcome }) => outcome === 'done') + 1)
    const told = first.flatMap(({ status }) => status.progress?.completion ?? [])
    expect(told).toEqual(told.toSorted((a, b) => a - b))
    expect(told).toContain(7)
    expect(told.at(-1)).toBe(100)
  })
})

const OBJECTS: Objects = {
  print_stats: {
    filename: 'parts/boat.gcode',
    state: 'printing',
    total_duration: 130.4,
    print_duration: 100,
    message: '',
    info: { total_layer: null, current_layer: null },
  },
  virtual_sdcard: { progress: 0.5, file_position: 500 },
  display_status: { progress: 0.5, message: 'Layer 5' },
  pause_resume: { is_paused: false },
  gcode_move: { gcode_position: [1, 2, 1.0, 4], speed_factor: 1.2, extrude_factor: 0.95 },
  fan: { speed: 0.4 },
  extruder: { temperature: 204.9, target: 205 },
  extruder1: { temperature: 30, target: 0 },
  heater_bed: { temperature: 60, target: 60 },
  'heater_generic chamber': { temperature: 44, target: 45 },
  'temperature_sensor chamber': { temperature: 43 },
  'temperature_sensor raspberry_pi': { temperature: 51 },
}
const facts = readFileFacts({
  size: 1000,
  modified: 1_795_000_000.7,
  estimated_time: 300,
  layer_height: 0.2,
  first_layer_height: 0.2,
  object_height: 20,
  filament_total: 1234,
  gcode_start_byte: 100,
  gcode_end_byte: 900,
})
const viewOf = (change: Objects = {}, known: Partial<View> = {}): View =>
  applyObjects(
    { ...NEW_VIEW, facts: { filename: 'parts/boat.gcode', value: facts }, ...known },
    mergeObjects(OBJECTS, change),
  )
const statusOf = (change: Objects = {}, known: Partial<View> = {}) => snapshotOf(viewOf(change, known)).status

describe('a snapshot', () => {
  test('tells the file, the head and all temperatures', () => {
    expect(statusOf()).toMatchObject({
      job: {
        file: { name: 'boat.gcode', path: 'parts/boat.gcode', size: 1000, date: 1_795_000_000, origin: 'local' },
        estimatedPrintTime: 300,
        filament: { tool0: { length: 1234 } },
      },
      progress: { completion: 50, filepos: 500, printTime: 130, printTimeLeft: 200, printTimeLeftOrigin: 'analysis' },
      display_status: { message: 'Layer 5' },
      currentLayerHeight: 5,
      currentZ: 1,
      currentFeedRate: 1.2,
      currentFlowRate: 0.95,
      currentFanSpeed: 0.4,
      file_metadata: {
        service: { totalLayerCount: 100 },
        analysis: { printingArea: { maxZ: 20 }, estimatedPrintTime: 300 },
      },
      temperatures: {
        tool0: { actual: 204.9, target: 205 },
        tool1: { actual: 30, target: 0 },
        bed: { actual: 60, target: 60 },
        chamber: { actual: 44, target: 45 },
        'temperature_sensor chamber': { actual: 43, target: null },
        raspberry_pi: { actual: 51, target: null },
      },
    })
  })

  test.each([
    { name: 'by M73 where there is one', change: { display_status: { progress: 0.3 } }, completion: 30 },
    {
      name: 'by the bytes of the G-code alone, without header and settings',
      change: { virtual_sdcard: { file_position: 300, progress: 0.5 } },
      completion: 25,
    },
    {
      name: 'none before the first extrusion',
      change: { print_stats: { ...OBJECTS['print_stats'], print_duration: 0 } },
      completion: 0,
    },
    {
      name: 'all of a finished print',
      change: { print_stats: { ...OBJECTS['print_stats'], state: 'complete' } },
      completion: 100,
    },
  ])('progress: $name', ({ change, completion }) => {
    expect(statusOf(change).progress?.completion).toBe(completion)
  })

  test('progress of M73 outlives Klipper’s memory of it in a pause', () => {
    const printing = viewOf({ display_status: { progress: 0.3 } })
    const forgotten = { display_status: { progress: 0.5 }, print_stats: { state: 'paused' } }
    const paused = applyObjects(printing, mergeObjects(printing.objects, forgotten))
    expect(snapshotOf(paused).status.progress?.completion).toBe(30)
  })

  test('the layer is what the slicer says, where it does', () => {
    const info = { total_layer: 90, current_layer: 12 }
    const status = statusOf({ print_stats: { info } })
    expect(status).toMatchObject({ currentLayerHeight: 12, file_metadata: { service: { totalLayerCount: 90 } } })
  })

  test('time left without an estimate is by how it went so far', () => {
    const status = statusOf({}, { facts: undefined })
    expect(status.progress).toMatchObject({ printTimeLeft: 100, printTimeLeftOrigin: 'linear' })
  })

  test('an error of the G-code is told while the printer itself is well', () => {
    const { status, outcome } = snapshotOf(viewOf({ print_stats: { state: 'error', message: 'Move out of range' } }))
    expect(status.state).toMatchObject({ text: 'Operational', error: 'Move out of range', flags: { error: true } })
    expect(outcome).toBe('failed')
  })

  test('an empty Klipper with a job of the history', () => {
    const lastJob = endedJob({ filename: 'old.gcode', status: 'klippy_shutdown' })
    const view = viewOf({ print_stats: { filename: '', state: 'standby' } }, { lastJob })
    expect(snapshotOf(view)).toMatchObject({ outcome: 'failed', status: { job: { file: { path: 'old.gcode' } } } })
    for (const status of ['in_progress', 'interrupted', 'server_exit']) {
      expect(endedJob({ filename: 'now.gcode', status })).toBeUndefined()
    }
  })
})

test.each([
  { state: 'printing', asked: null, phase: 'printing' },
  { state: 'printing', asked: 'pause', phase: 'pausing' },
  { state: 'printing', asked: 'cancel', phase: 'cancelling' },
  { state: 'printing', asked: 'resume', phase: 'printing' },
  { state: 'paused', asked: null, phase: 'paused' },
  { state: 'paused', asked: 'pause', phase: 'pausing' },
  { state: 'paused', asked: 'resume', phase: 'resuming' },
  { state: 'paused', asked: 'cancel', phase: 'cancelling' },
  { state: 'complete', asked: 'pause', phase: 'idle' },
  { state: 'cancelled', asked: 'cancel', phase: 'cancelling' },
  { state: 'standby', asked: null, phase: 'idle' },
  { state: 'error', asked: null, phase: 'idle' },
  { state: 'of the future', asked: null, phase: 'idle' },
] as const)('$state while asked to $asked is $phase', ({ state, asked, phase }) => {
  expect(phaseOf(viewOf({ print_stats: { state } }, { asked }))).toBe(phase)
})

test('only what is read is subscribed to', () => {
  expect(
    subscriptionOf(['extruder', 'extruder2', 'extruder_stepper x', 'gcode_macro A', 'temperature_sensor b', 'mcu']),
  ).toEqual({
    extruder: ['temperature', 'target'],
    extruder2: ['temperature', 'target'],
    'temperature_sensor b': ['temperature'],
  })
})
