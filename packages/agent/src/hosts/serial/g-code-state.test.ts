import { expect, test } from 'vitest'
import { afterCommand, afterComment, NEW_G_CODE_STATE, type GCodeState } from './g-code-state.js'

function after(lines: readonly string[]): GCodeState {
  return lines.reduce(
    (state, line) => (line.startsWith(';') ? afterComment(state, line.slice(1)) : afterCommand(state, line)),
    NEW_G_CODE_STATE,
  )
}

test.each<{ name: string; lines: string[]; state: Partial<GCodeState> }>([
  { name: 'absolute moves', lines: ['G1 X1 Y2 Z0.3 F1800'], state: { x: 1, y: 2, z: 0.3, feed: 1800 } },
  { name: 'relative moves add up', lines: ['G28', 'G91', 'G1 Z0.1', 'G0 Z0.2 X-1'], state: { x: -1, z: 0.3 } },
  { name: 'a relative move from nowhere leads nowhere', lines: ['G91', 'G1 X1'], state: { x: undefined } },
  { name: 'no spaces are needed', lines: ['G1X10.5Y-3F900'], state: { x: 10.5, y: -3, feed: 900 } },
  { name: 'leading zeros and lower case', lines: ['g01 x3'], state: { x: 3 } },
  { name: 'homing one axis', lines: ['G1 X5 Y5', 'G28 X'], state: { x: 0, y: 5 } },
  { name: 'G92 moves the origin', lines: ['G1 X5 E7', 'G92 E0'], state: { x: 5, e: 0 } },
  { name: 'absolute and relative extrusion', lines: ['G1 E5', 'M83', 'G1 E2'], state: { e: 7, extruder: 'relative' } },
  {
    name: 'modes are kept in their order, since firmwares differ in what G90 does to the extruder',
    lines: ['M83', 'G90', 'G91', 'G90'],
    state: { modeLines: ['M83', 'G90'], axes: 'absolute' },
  },
  { name: 'the other order', lines: ['G90', 'M83'], state: { modeLines: ['G90', 'M83'], extruder: 'relative' } },
  {
    name: 'rates and fan',
    lines: ['M220 S150', 'M221 S90', 'M106 S127.5'],
    state: { feedRate: 1.5, flowRate: 0.9, fanSpeed: 0.5 },
  },
  { name: 'another fan is not the part fan', lines: ['M106 P1 S255'], state: { fanSpeed: 0 } },
  { name: 'the slicer knows how long it takes', lines: ['M73 P10 R42'], state: { leftSeconds: 2520 } },
  {
    name: 'Cura counts layers from 0',
    lines: [';LAYER_COUNT:12', ';LAYER:0', ';LAYER:1'],
    state: { layer: 2, layers: 12 },
  },
  {
    name: 'PrusaSlicer marks changes',
    lines: [';BEFORE_LAYER_CHANGE', ';LAYER_CHANGE', ';Z:0.2', ';LAYER_CHANGE', '; total layers count = 7'],
    state: { layer: 2, layers: 7 },
  },
  {
    name: 'without marks, extruding higher up is a layer',
    lines: ['G28', 'G1 Z0.2', 'G1 X1 E1', 'G1 X2 E2', 'G1 Z0.6', 'G0 X9', 'G1 Z0.4', 'G1 X1 E3'],
    state: { layer: 2, layerZ: 0.4, z: 0.4 },
  },
  { name: 'priming in place is no layer', lines: ['G28', 'G1 Z5', 'G1 E10'], state: { layer: undefined } },
  { name: 'a tool change', lines: ['T1'], state: { tool: 1 } },
  { name: 'what is unknown changes nothing', lines: ['M862.3 P "MK3S"', '{', '@pause', 'X5'], state: NEW_G_CODE_STATE },
])('$name', ({ lines, state }) => {
  expect(after(lines)).toMatchObject(state)
})
