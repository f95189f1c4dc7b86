import type { ImportedPrint } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { freeTs, isSameStart, printColumns } from './print-columns.js'

const START = '2026-01-01T00:00:00.000Z'
const LATER = '2026-01-01T01:00:00.000Z'

const print = (changes: Partial<ImportedPrint>): ImportedPrint => ({
  ...{ kind: 'print', source_id: 1, printer: 1, g_code_file: null, filename: 'boat.gcode', started_at: START },
  ...{ finished_at: null, cancelled_at: null, failed_at: null, uploaded_at: null, alerted_at: null },
  ...{ alert_acknowledged_at: null, alert_muted_at: null, paused_at: null, access_consented_at: null },
  ...{ video_archived_at: null, alert_overwrite: null, filament_used: null, print_time: null, parts: [] },
  ...changes,
})

test.each([
  { name: 'finished', ended: { finished_at: LATER }, state: 'finished', isCancelled: false },
  { name: 'cancelled', ended: { cancelled_at: LATER }, state: 'cancelled', isCancelled: true },
  { name: 'failed, which counts as cancelled too', ended: { failed_at: LATER }, state: 'failed', isCancelled: true },
])('a print that was $name', ({ ended, state, isCancelled }) => {
  const columns = printColumns(print(ended))
  expect(columns.state).toBe(state)
  expect(columns.cancelled_at !== null).toBe(isCancelled)
})

test('a video that was taken away there is told of as one that was taken away here', () => {
  const video = { kind: 'video', source_id: 1, answer: null, answered_at: null } as const
  expect(printColumns(print({ video_archived_at: LATER }))).toMatchObject({ timelapse_reason: 'archived' })
  expect(printColumns(print({ video_archived_at: LATER, parts: [video] }))).not.toHaveProperty('timelapse_reason')
})

test.each([
  { taken: [], ts: 1767225600 },
  { taken: [1767225600], ts: 1767225601 },
  { taken: [1767225600, 1767225601, 1767225603], ts: 1767225602 },
])('beside $taken the name is $ts', ({ taken, ts }) => {
  expect(freeTs(Date.parse(START) + 900, new Set(taken))).toBe(ts)
})

test.each([
  { ts: 1767225600, isSame: true },
  { ts: 1767225620, isSame: true },
  { ts: 1767225579, isSame: false },
])('$ts began when the other did: $isSame', ({ ts, isSame }) => {
  expect(isSameStart(ts, START)).toBe(isSame)
})
