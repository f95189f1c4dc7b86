import { describe, expect, test } from 'vitest'
import { safeFileName } from './file-name.js'
import { heatingScript, isHot, parkingScript, planParking, unparkingScript } from './parking.js'

const printer = {
  toolhead: { extruder: 'extruder', position: [10, 10, 5, 0], axis_maximum: [200, 200, 200, 0], homed_axes: 'xyz' },
  extruder: { can_extrude: true, target: 205, temperature: 204 },
  extruder1: { can_extrude: false, target: 0, temperature: 30 },
  heater_bed: { target: 60, temperature: 60 },
  'heater_generic chamber': { target: 45, temperature: 45 },
}
const all = { retract: 6.5, lift_z: 2.5, tools_off: true, bed_off: true }

describe('the plan', () => {
  test.each([
    { name: 'everything', args: all, plan: { retract: 6.5, lift_z: 2.5, targets: { extruder: 205, heater_bed: 60 } } },
    {
      name: 'heaters that are off stay off',
      args: { tools_off: true },
      plan: { retract: 0, lift_z: 0, targets: { extruder: 205 } },
    },
    { name: 'nothing', args: {}, plan: undefined },
    { name: 'less than nothing', args: { retract: -5, lift_z: -1 }, plan: undefined },
  ])('$name', ({ args, plan }) => {
    expect(planParking(args, printer)).toEqual(plan)
  })

  test.each([
    {
      name: 'cold filament is not pulled',
      change: { extruder: { can_extrude: false, target: 0 } },
      plan: { retract: 0, lift_z: 2.5 },
    },
    {
      name: 'another tool is in use, cold',
      change: { toolhead: { ...printer.toolhead, extruder: 'extruder1' } },
      plan: { retract: 0 },
    },
    {
      name: 'no further than the top',
      change: { toolhead: { ...printer.toolhead, position: [0, 0, 199] } },
      plan: { lift_z: 1 },
    },
    {
      name: 'no lift of an axis that is lost',
      change: { toolhead: { ...printer.toolhead, homed_axes: 'xy' } },
      plan: { lift_z: 0 },
    },
    {
      name: 'a printer that tells nothing',
      change: { toolhead: {}, extruder: {} },
      plan: { retract: 0, lift_z: 0, targets: { heater_bed: 60 } },
    },
  ])('$name', ({ change, plan }) => {
    expect(planParking(all, { ...printer, ...change })).toMatchObject(plan)
  })
})

test('nothing to undo gives no script', () => {
  const parked = { retract: 0, lift_z: 3, targets: {} }
  expect([heatingScript(parked), unparkingScript(parked)]).toEqual(['', ''])
  expect(parkingScript(parked)).toContain('G1 Z3 F600')
})

test.each([
  { temperature: 204, hot: true },
  { temperature: 203, hot: true },
  { temperature: 202.9, hot: false },
])('at $temperature of 205 hot is $hot', ({ temperature, hot }) => {
  const parked = { retract: 0, lift_z: 0, targets: { extruder: 205 } }
  expect(isHot(parked, { extruder: { temperature } })).toBe(hot)
})

test.each([
  { name: 'Großes Boot (v2).gcode', safe: 'Großes Boot (v2).gcode' },
  { name: 'a"b;c#d*e\\f.gcode', safe: 'a_b_c_d_e_f.gcode' },
  { name: '../../etc/x.gcode', safe: '_.._.._etc_x.gcode' },
  { name: 'two\nlines.gcode', safe: 'two_lines.gcode' },
])('$name is stored as $safe', ({ name, safe }) => {
  expect(safeFileName(name)).toBe(safe)
})
