import { expect, test } from 'vitest'
import type { Parked } from '../octoprint/parking.js'
import { NEW_G_CODE_STATE, type GCodeState } from './g-code-state.js'
import { coolDownCommands, parkCommands, unparkCommands } from './parking.js'

const ABSOLUTE = { axes: 'absolute', extruder: 'absolute' } as const
const parked = (change: Partial<Parked> = {}): Parked => ({
  retract: 0,
  lift_z: 0,
  targets: {},
  modes: ABSOLUTE,
  ...change,
})
const state = (change: Partial<GCodeState> = {}): GCodeState => ({ ...NEW_G_CODE_STATE, ...change })
const PLACE = { x: 10.5, y: 20, z: 0.3, feed: 3000 }

test.each<{ name: string; plan: Parked; commands: string[] }>([
  {
    name: 'the filament comes back before the head rises, heaters last',
    plan: parked({ retract: 2, lift_z: 5, targets: { tool0: 210, bed: 60 } }),
    commands: ['G91', 'M83', 'G1 E-2 F1800', 'G1 Z5 F600', 'M104 T0 S0', 'M140 S0'],
  },
  { name: 'heaters alone move nothing', plan: parked({ targets: { bed: 60 } }), commands: ['M140 S0'] },
])('parking: $name', ({ plan, commands }) => {
  expect(parkCommands(plan)).toEqual(commands)
})

test.each<{ name: string; plan: Parked | undefined; at: GCodeState; commands: string[] }>([
  {
    name: 'all heat up at once and are waited for, then place, height, filament, modes and feed rate',
    plan: parked({ retract: 2, lift_z: 5, targets: { bed: 60, tool0: 210 } }),
    at: state({ ...PLACE, modeLines: ['M83', 'G90'] }),
    commands: [
      'M104 T0 S210',
      'M140 S60',
      'M109 T0 S210',
      'M190 S60',
      'G90',
      'G1 X10.5 Y20 F6000',
      'G1 Z0.3 F600',
      'M83',
      'G1 E2 F1800',
      'M83',
      'G90',
      'G1 F3000',
    ],
  },
  {
    name: 'without parking the head still goes back, since somebody may have moved it',
    plan: undefined,
    at: state({ ...PLACE, modeLines: ['G90', 'M83'] }),
    commands: ['G90', 'G1 X10.5 Y20 F6000', 'G1 Z0.3 F600', 'G90', 'M83', 'G1 F3000'],
  },
  {
    name: 'an unknown place is left by as much as it was entered',
    plan: parked({ lift_z: 5 }),
    at: state({ modeLines: ['G91', 'M83'] }),
    commands: ['G91', 'G1 Z-5 F600', 'G91', 'M83'],
  },
])('resuming: $name', ({ plan, at, commands }) => {
  expect(unparkCommands(plan, at)).toEqual(commands)
})

test.each([
  { heaters: ['tool0', 'bed'], commands: ['M104 S0', 'M140 S0', 'M107', 'M84'] },
  { heaters: [], commands: ['M104 S0', 'M140 S0', 'M107', 'M84'] },
  {
    heaters: ['tool0', 'tool1', 'bed', 'chamber'],
    commands: ['M104 T0 S0', 'M104 T1 S0', 'M140 S0', 'M141 S0', 'M107', 'M84'],
  },
])('cooling down $heaters', ({ heaters, commands }) => {
  expect(coolDownCommands(heaters)).toEqual(commands)
})
