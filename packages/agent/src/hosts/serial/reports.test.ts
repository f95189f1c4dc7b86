import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mergeReadings, readFirmwareLine } from './reports.js'

const T = (actual: number, target: number | null) => ({ actual, target })

test.each([
  ['ok', { type: 'ok' }],
  ['ok\r', { type: 'ok' }],
  ['\x80\x00ok', { type: 'ok' }],
  ['ok N12 P15 B3', { type: 'ok' }],
  ['okay then', { type: 'other' }],
  ['ok T:21.30 /0.00 B:20.10 /60.00 @:0 B@:0', { type: 'ok', temperatures: { tool0: T(21.3, 0), bed: T(20.1, 60) } }],
  ['ok T:21.30/ 0.00 B:21.30/ 0.00 @:64', { type: 'ok', temperatures: { tool0: T(21.3, 0), bed: T(21.3, 0) } }],
  [
    'T:25.1 /200.0 B:24.0 /0.0 T0:25.1 /200.0 T1:23.9 /0.0 @:127 B@:0 @0:127 @1:0',
    { type: 'temperatures', temperatures: { tool0: T(25.1, 200), tool1: T(23.9, 0), bed: T(24, 0) } },
  ],
  [' T:55.27 E:0 W:3', { type: 'temperatures', temperatures: { tool0: T(55.27, null) } }],
  ['T:-12.5 /0.0 C:31.0 /40.0', { type: 'temperatures', temperatures: { tool0: T(-12.5, 0), chamber: T(31, 40) } }],
  ['ok X:1.0 Y:2.0 Z:0.30 E:4.0 Count: A:100', { type: 'ok', position: { x: 1, y: 2, z: 0.3, e: 4 } }],
  ['X:1.00 Y:-2.00 Z:0.30 E:0.00 Count X:80 Y:0 Z:120', { type: 'position', position: { x: 1, y: -2, z: 0.3, e: 0 } }],
  ['Resend: 15', { type: 'resend', number: 15 }],
  ['Resend:2', { type: 'resend', number: 2 }],
  ['rs 15', { type: 'resend', number: 15 }],
  ['rs N15', { type: 'resend', number: 15 }],
  ['echo:busy: processing', { type: 'busy', forUser: false }],
  ['busy:processing', { type: 'busy', forUser: false }],
  ['echo:busy: paused for user', { type: 'busy', forUser: true }],
  ['wait', { type: 'wait' }],
  ['start', { type: 'start' }],
  ['\x00\xfestart', { type: 'start' }],
  ['echo:start of something', { type: 'other' }],
  ['SD printing byte 153/755', { type: 'sd_progress', byte: 153, size: 755 }],
  ['Not SD printing', { type: 'sd_idle' }],
  ['Done printing file', { type: 'sd_done' }],
  ['File opened: a_long_sd_name.gco  Size: 755', { type: 'sd_file', name: 'a_long_sd_name.gco', size: 755 }],
  ['Current file: PART~1.GCO a part.gcode', { type: 'sd_file', name: 'a part.gcode' }],
  ['Current file: PART.GCO', { type: 'sd_file', name: 'PART.GCO' }],
  ['Current file: (no file)', { type: 'other' }],
  ['Cap:AUTOREPORT_TEMP:1', { type: 'capability', name: 'AUTOREPORT_TEMP', enabled: true }],
  ['Cap:EXTENDED_M20:0', { type: 'capability', name: 'EXTENDED_M20', enabled: false }],
  [
    'FIRMWARE_NAME:Marlin 2.1.2 (Oct  1 2023) SOURCE_CODE_URL:github.com/MarlinFirmware/Marlin PROTOCOL_VERSION:1.0',
    { type: 'firmware', name: 'Marlin 2.1.2 (Oct  1 2023)' },
  ],
  ['echo:Unknown command: "M524"', { type: 'unknown_command', command: 'M524' }],
  ['//action:paused', { type: 'action', action: 'paused', text: '' }],
  ['// action:notification Hi there', { type: 'action', action: 'notification', text: 'Hi there' }],
  ['//action:out_of_filament T0', { type: 'action', action: 'out_of_filament', text: 'T0' }],
  ['// just a comment', { type: 'other' }],
  ['Error:checksum mismatch, Last Line: 12', { type: 'error', text: 'checksum mismatch, Last Line: 12', fatal: false }],
  ['Error:Printer halted. kill() called!', { type: 'error', text: 'Printer halted. kill() called!', fatal: true }],
  [
    'Error:Heating failed, system stopped! Heater_ID: 0',
    { type: 'error', text: 'Heating failed, system stopped! Heater_ID: 0', fatal: true },
  ],
  ['fatal: Heater/sensor error', { type: 'error', text: 'Heater/sensor error', fatal: true }],
  ["!! Lost communication with MCU 'mcu'", { type: 'error', text: "Lost communication with MCU 'mcu'", fatal: true }],
  [
    'echo:EMERGENCY SHUTDOWN DETECTED. KILLED.',
    { type: 'error', text: 'EMERGENCY SHUTDOWN DETECTED. KILLED.', fatal: true },
  ],
  ['echo:; Steps per unit:', { type: 'other' }],
  ['echo:  M92 X80.00 Y80.00 Z400.00 E93.00', { type: 'other' }],
  ['echo:Hardcoded Default Settings Loaded', { type: 'other' }],
  ['\x80\x81\xff\x00', { type: 'other' }],
  ['', { type: 'other' }],
])('%j', (raw, line) => {
  expect(readFirmwareLine(raw)).toEqual(line)
})

test('rubbish of any kind is read without complaint', () => {
  for (let seed = 1; seed < 2_000; seed += 1) {
    const length = (seed * 7) % 200
    const raw = Array.from({ length }, (_, index) => String.fromCharCode((seed * 31 + index * seed) % 256)).join('')
    expect(readFirmwareLine(raw)).toHaveProperty('type')
  }
})

test('a reading without a target keeps the target that was told before', () => {
  const before = { tool0: T(20, 200), bed: T(50, 60) }
  expect(mergeReadings(before, { tool0: T(55, null) })).toEqual({ tool0: T(55, 200), bed: T(50, 60) })
  expect(mergeReadings({}, { chamber: T(30, null) })).toEqual({ chamber: T(30, null) })
})

test('of a recorded conversation only frames of file lists and echoes mean nothing', () => {
  const recorded = readFileSync(new URL('recorded/simulated-marlin.txt', import.meta.url), 'utf8')
  const received = [...recorded.matchAll(/^[\d.]+ < (.*)$/gm)].map(([, line = '']) => line)
  expect(received.length).toBeGreaterThan(60)
  const meaningless = received.filter((line) => readFirmwareLine(line).type === 'other')
  expect([...new Set(meaningless)]).toEqual(['Begin file list', 'End file list', 'File selected', 'echo:hello'])
})

test.each([
  ['CUBE~1.GCO 1234 a long name.gcode', { name: 'CUBE~1.GCO', size: 1234 }],
  ['/BIN/BOAT.GCO 12', { name: '/BIN/BOAT.GCO', size: 12 }],
  ['plain.gcode', { name: 'plain.gcode', size: null }],
])('%j is a file of the card', (text, file) => {
  expect(readFirmwareLine(text)).toEqual({ type: 'sd_entry', ...file })
})

test.each([
  'File opened: a.gcode Size: 10',
  'Current file: SHORT.GCO a.gcode',
  'echo:Now fresh file: a.gcode',
  'a.gcodes',
])('%j is none', (text) => {
  expect(readFirmwareLine(text).type).not.toBe('sd_entry')
})
