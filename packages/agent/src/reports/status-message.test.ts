import { StatusMessage } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import type { HostSnapshot } from '../host.js'
import { stateOfPhase } from '../tracking/host-state.js'
import { NEW_TRACKER, type Tracker } from '../tracking/print-tracker.js'
import { agentSettings, NEW_VIEW, statusMessage } from './status-message.js'

const job = { file: { name: 'a.gcode', path: 'a.gcode', display: 'a.gcode' } }
const print = { ts: 1_800_000_000, paused: false, job, completion: 40, unconfirmedSinceMs: null }
const printing: Tracker = { ...NEW_TRACKER, print, lastTs: print.ts }
const snapshot: HostSnapshot = {
  phase: 'printing',
  outcome: null,
  status: {
    state: stateOfPhase('printing'),
    job,
    progress: { completion: 40 },
    temperatures: { tool0: { actual: 210, target: 210 } },
  },
}

test('the status of a printer that prints', () => {
  expect(statusMessage(printing, { ...NEW_VIEW, snapshot, reachable: true }, 1_800_000_060_500)).toEqual({
    current_print_ts: 1_800_000_000,
    status: { _ts: 1_800_000_060.5, ...snapshot.status },
  })
})

test('between prints current_print_ts is −1', () => {
  expect(statusMessage(NEW_TRACKER, { ...NEW_VIEW, snapshot, reachable: true }, 0).current_print_ts).toBe(-1)
})

test('a host out of reach makes the printer Offline under the running print', () => {
  const message = statusMessage(printing, { ...NEW_VIEW, snapshot }, 0)
  expect(message.current_print_ts).toBe(1_800_000_000)
  expect(message.status.state).toMatchObject({ text: 'Offline', flags: { operational: false, closedOrError: true } })
  expect(message.status).toMatchObject({ job, progress: { completion: 40 } })
  expect(message.status.temperatures).toBeUndefined()
})

test('a host that was never reached is Offline without a job', () => {
  const { status } = statusMessage(NEW_TRACKER, NEW_VIEW, 5000)
  expect(status).toEqual({ _ts: 5, state: stateOfPhase('offline') })
})

test('the job of a print is told even when the host has unloaded it', () => {
  const offline: HostSnapshot = { phase: 'offline', outcome: null, status: { state: stateOfPhase('offline') } }
  expect(statusMessage(printing, { ...NEW_VIEW, snapshot: offline, reachable: true }, 0).status.job).toEqual(job)
})

test('while a file is fetched the printer says so', () => {
  const idle: HostSnapshot = { phase: 'idle', outcome: null, status: { state: stateOfPhase('idle') } }
  const { status } = statusMessage(NEW_TRACKER, { ...NEW_VIEW, snapshot: idle, reachable: true, downloading: true }, 0)
  expect(status.state.text).toBe('G-Code Downloading')
})

test('the job names the stored file it was started from, and no other', () => {
  const view = { ...NEW_VIEW, snapshot, reachable: true }
  const named = statusMessage(printing, { ...view, storedFile: { id: 7, path: 'a.gcode' } }, 0)
  expect(named.status.job?.file.service_g_code_file_id).toBe(7)
  const other = statusMessage(printing, { ...view, storedFile: { id: 7, path: 'b.gcode' } }, 0)
  expect(other.status.job?.file).not.toHaveProperty('service_g_code_file_id')
})

test.each([
  { width: 640, height: 480, ratio: '4:3' },
  { width: 1920, height: 1080, ratio: '16:9' },
  { width: 1000, height: 999, ratio: '1000:999' },
])('a camera of $width × $height has the ratio $ratio', ({ width, height, ratio }) => {
  const { webcams } = agentSettings([{ label: 'bed', primary: true, size: { width, height } }], null, [], '1.0.0')
  expect(webcams?.[0]).toMatchObject({ name: 'bed', is_primary_camera: true, streamRatio: ratio, rotation: 0 })
})

test('a message with settings is valid', () => {
  const settings = agentSettings(
    [{ label: '', primary: true, size: null }],
    [{ name: 'PLA', extruder: 210 }],
    ['pause'],
    '1.0.0',
  )
  const message = statusMessage(printing, { ...NEW_VIEW, snapshot, reachable: true }, 1000, settings)
  expect(StatusMessage.safeParse(message).error).toBeUndefined()
})
