import type { PauseArgs } from '@printwarden/protocol'
import { expect, test } from 'vitest'
import { modesAfter, modesAfterGCode, NO_MODES, settledModes } from './modes.js'
import { parkingCommands, planParking, unparkingCommands, type Parked } from './parking.js'

const absolute = { axes: 'absolute', extruder: 'absolute' } as const
const hot = {
  tool0: { actual: 210, target: 215 },
  bed: { actual: 60, target: 60 },
  chamber: { actual: 30, target: null },
}

test.each<{ name: string; args: PauseArgs; plan: Partial<Parked> | undefined }>([
  { name: 'nothing asked for', args: {}, plan: undefined },
  { name: 'nothing but zeros', args: { retract: 0, lift_z: 0, tools_off: false }, plan: undefined },
  { name: 'a negative length is none', args: { retract: -5 }, plan: undefined },
  { name: 'only moves', args: { retract: 6.5, lift_z: 2.5 }, plan: { retract: 6.5, lift_z: 2.5, targets: {} } },
  { name: 'tools off', args: { tools_off: true }, plan: { targets: { tool0: 215 } } },
  { name: 'bed off', args: { bed_off: true }, plan: { targets: { bed: 60 } } },
])('planning: $name', ({ args, plan }) => {
  const planned = planParking(args, hot, absolute)
  if (plan === undefined) expect(planned).toBeUndefined()
  else expect(planned).toMatchObject(plan)
})

test('a heater that is off stays off', () => {
  expect(planParking({ tools_off: true }, { tool0: { actual: 22, target: 0 } }, absolute)).toBeUndefined()
})

const two: Parked = {
  retract: 6.5,
  lift_z: 2.5,
  targets: { bed: 60, tool1: 200, tool0: 215 },
  modes: { axes: 'absolute', extruder: 'relative' },
}

test('parking: away from the part, modes as they were, then cool down', () => {
  expect(parkingCommands(two)).toEqual([
    'G91',
    'M83',
    'G1 E-6.5',
    'G1 Z2.5',
    'G90',
    'M83',
    'M140 S0',
    'M104 T1 S0',
    'M104 T0 S0',
  ])
})

test('the way back: all heat up together, tools are waited for before the bed, then the moves in reverse', () => {
  expect(unparkingCommands(two)).toEqual([
    'M104 T0 S215',
    'M104 T1 S200',
    'M140 S60',
    'M109 T0 S215',
    'M109 T1 S200',
    'M190 S60',
    'G91',
    'M83',
    'G1 Z-2.5',
    'G1 E6.5',
    'G90',
    'M83',
  ])
})

test('a print in relative mode goes on in relative mode', () => {
  const commands = parkingCommands({ ...two, targets: {}, modes: { axes: 'relative', extruder: 'absolute' } })
  expect(commands.slice(-2)).toEqual(['G91', 'M82'])
})

test('without moves no mode is touched', () => {
  expect(parkingCommands({ ...two, retract: 0, lift_z: 0, targets: { bed: 60 } })).toEqual(['M140 S0'])
})

test.each([
  { name: 'nothing', lines: [], modes: NO_MODES },
  {
    name: 'lines with numbers and checksums',
    lines: ['Send: N4 G90*20', 'Send: N5 M83*1'],
    modes: { axes: 'absolute', extruder: 'relative' },
  },
  { name: 'the last one counts', lines: ['Send: G91', 'Send: G90'], modes: { axes: 'absolute', extruder: undefined } },
  { name: 'what the printer says is no command', lines: ['Recv: G91'], modes: NO_MODES },
])('modes from the terminal: $name', ({ lines, modes }) => {
  expect(modesAfter(NO_MODES, lines)).toEqual(modes)
})

test('modes from a file, in the spellings of slicers', () => {
  const gcode = '; G91 in a comment\nM82 ; absolute\n  g90\nN12 M83\nG1 X1 ; G91\n'
  expect(modesAfterGCode(gcode)).toEqual({ axes: 'absolute', extruder: 'relative' })
})

test.each([
  { name: 'nothing known', known: [NO_MODES], settled: absolute },
  {
    name: 'the wire goes before the file',
    known: [
      { axes: 'relative', extruder: undefined },
      { axes: 'absolute', extruder: 'relative' },
    ],
    settled: { axes: 'relative', extruder: 'relative' },
  },
  {
    name: 'an extruder nobody set follows the axes',
    known: [{ axes: 'relative', extruder: undefined }],
    settled: { axes: 'relative', extruder: 'relative' },
  },
] as const)('settling modes: $name', ({ known, settled }) => {
  expect(settledModes(...known)).toEqual(settled)
})
