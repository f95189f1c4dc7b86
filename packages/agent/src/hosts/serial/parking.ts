import { parkingCommands, unparkingCommands, type Parked } from '../octoprint/parking.js'
import type { GCodeState } from './g-code-state.js'

// As the printing host we know how the printer reads moves, where the head is and how fast it went: so parking may set feed rates
// of its own, and resuming restores everything.

const RETRACT_FEED = 1_800
const LIFT_FEED = 600
const TRAVEL_FEED = 6_000

/** The commands after the last move of a paused print: the filament back, up and away from the part, heaters off. */
export function parkCommands(parked: Parked): string[] {
  const { retract, lift_z } = parked
  const moves = [
    ...(retract > 0 ? [`G1 E-${mm(retract)} F${RETRACT_FEED}`] : []),
    ...(lift_z > 0 ? [`G1 Z${mm(lift_z)} F${LIFT_FEED}`] : []),
  ]
  return [...(moves.length > 0 ? ['G91', 'M83', ...moves] : []), ...parkingCommands(withoutMoves(parked))]
}

/**
 * The commands before a paused print goes on: heat and wait, back over the place, down, the filament forward, then modes and
 * feed rate as they were. `state` is that of the moment of the pause. Somebody may have moved the head meanwhile.
 */
export function unparkCommands(parked: Parked | undefined, { x, y, z, modeLines, feed }: GCodeState): string[] {
  const { retract = 0, lift_z = 0 } = parked ?? {}
  const place = [
    ...(x !== undefined && y !== undefined ? [`G1 X${mm(x)} Y${mm(y)} F${TRAVEL_FEED}`] : []),
    ...(z !== undefined ? [`G1 Z${mm(z)} F${LIFT_FEED}`] : []),
  ]
  const down = z === undefined && lift_z > 0 ? ['G91', `G1 Z-${mm(lift_z)} F${LIFT_FEED}`] : []
  const forward = retract > 0 ? ['M83', `G1 E${mm(retract)} F${RETRACT_FEED}`] : []
  return [
    ...(parked ? unparkingCommands(withoutMoves(parked)) : []),
    ...(place.length > 0 ? ['G90', ...place] : []),
    ...down,
    ...forward,
    ...modeLines,
    ...(feed === undefined ? [] : [`G1 F${mm(feed)}`]),
  ]
}

/** The commands after a print that was given up: nothing stays hot, nothing blows, nothing holds. */
export function coolDownCommands(heaters: readonly string[]): string[] {
  const tools = heaters.filter((name) => name.startsWith('tool'))
  return [
    ...(tools.length > 1 ? tools.map((name) => `M104 T${name.slice('tool'.length)} S0`) : ['M104 S0']),
    'M140 S0',
    ...(heaters.includes('chamber') ? ['M141 S0'] : []),
    'M107',
    'M84',
  ]
}

function withoutMoves(parked: Parked): Parked {
  return { ...parked, retract: 0, lift_z: 0 }
}

function mm(length: number): string {
  return String(Math.round(length * 1000) / 1000)
}
