import { expect, test } from 'vitest'
import { actionOf, byWords, type CommandBehind, commandFor, namesOf } from './last-action.js'
import type { Happening, TrackedPrint } from './tracked-print.js'

const print = (changes: Partial<TrackedPrint> = {}): TrackedPrint => ({
  id: 7,
  current_print_ts: 1,
  state: 'running',
  filename: 'boat.gcode',
  started_at: 0,
  finished_at: null,
  cancelled_at: null,
  failed_at: null,
  end_assumed: false,
  print_time: null,
  filament_used: null,
  ...changes,
})
const happened = (type: Happening['type'], changes: Partial<Happening> = {}): Happening => ({
  type,
  at: 1000,
  ...changes,
})
const system: CommandBehind = { initiator: 'system', initiator_name: null, reason: 'failing', alert_id: 3 }

test.each([
  ['STARTED', 'running', undefined],
  ['PAUSED', 'paused', 'pause'],
  ['RESUMED', 'running', 'resume'],
  ['ENDED', 'cancelled', 'cancel'],
  ['ENDED', 'failed', 'cancel'],
  ['ENDED', 'finished', undefined],
] as const)('%s of a print that is %s is the work of the command %s', (type, state, cmd) => {
  expect(commandFor(happened(type), print({ state }))).toBe(cmd)
})

test('whoever told that a watched print was cancelled is behind its end', () => {
  expect(namesOf('cancel')).toEqual(['cancel', 'stop_watching'])
  expect(namesOf('pause')).toEqual(['pause'])
})

test('a pause by the server names the alert', () => {
  expect(actionOf(happened('PAUSED'), print({ state: 'paused' }), system)).toEqual({
    ...{ action: 'paused', by: 'system', name: null, reason: 'failing', alert_id: 3 },
    at: '1970-01-01T00:00:01.000Z',
  })
})

test('what no command explains was done at the printer', () => {
  expect(actionOf(happened('RESUMED'), print(), undefined)).toMatchObject({ action: 'resumed', by: 'printer' })
  expect(actionOf(happened('ENDED'), print({ state: 'cancelled' }), undefined)).toMatchObject({ by: 'printer' })
})

test('nobody is named for a failed print, an assumed end, or a print that is reported again', () => {
  expect(actionOf(happened('ENDED'), print({ state: 'failed' }), undefined)).toBeUndefined()
  expect(actionOf(happened('ENDED'), print({ state: 'cancelled', end_assumed: true }), undefined)).toBeUndefined()
  expect(actionOf(happened('RESUMED', { isFoundAgain: true }), print(), undefined)).toBeUndefined()
  expect(actionOf(happened('PAUSED', { isFoundAgain: true }), print({ state: 'paused' }), system)).toBeUndefined()
})

test.each([
  [{ by: 'system', name: null, reason: 'failing' }, 'by Printwarden, because it looked like a failure'],
  [{ by: 'user', name: 'Anna Berg', reason: null }, 'by Anna Berg'],
  [{ by: 'user', name: 'Anna Berg', reason: 'assistant' }, 'by Anna Berg, as the assistant proposed'],
  [{ by: 'app', name: 'OrcaSlicer', reason: null }, 'by the app OrcaSlicer'],
  [{ by: 'app', name: null, reason: null }, 'by an app'],
  [{ by: 'printer', name: null, reason: null }, 'at the printer or by its file'],
] as const)('%j is told as "%s"', (action, words) => {
  expect(byWords(action)).toBe(words)
})
