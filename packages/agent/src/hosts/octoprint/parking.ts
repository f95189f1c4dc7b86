import type { PauseArgs, Temperature } from '@printwarden/protocol'
import { z } from 'zod'
import type { SettledModes } from './modes.js'

/** What was done to a paused print and must be undone before it goes on. It is kept on disk: the agent may restart. */
export const Parked = z.object({
  retract: z.number().nonnegative(),
  lift_z: z.number().nonnegative(),
  /** Heaters that were turned off, with the temperature to go back to: `tool0`, `bed`. */
  targets: z.record(z.string(), z.number()),
  modes: z.object({ axes: z.enum(['absolute', 'relative']), extruder: z.enum(['absolute', 'relative']) }),
  /** The path of the file that is printed. Absent where it was not kept yet. */
  file: z.string().optional(),
})
export type Parked = z.infer<typeof Parked>

/** Works out how to park a print; undefined when `args` ask for nothing. */
export function planParking(
  args: PauseArgs,
  temperatures: Readonly<Record<string, Temperature>>,
  modes: SettledModes,
): Parked | undefined {
  const { retract = 0, lift_z = 0, tools_off = false, bed_off = false } = args
  const heated = Object.entries(temperatures).flatMap(([name, { target }]): [string, number][] => {
    const isMeant = (tools_off && /^tool\d+$/.test(name)) || (bed_off && name === 'bed')
    return isMeant && typeof target === 'number' && target > 0 ? [[name, target]] : []
  })
  const parked = {
    retract: Math.max(0, retract),
    lift_z: Math.max(0, lift_z),
    targets: Object.fromEntries(heated),
    modes,
  }
  return parked.retract > 0 || parked.lift_z > 0 || heated.length > 0 ? parked : undefined
}

/** The commands after pausing: up and away from the part first, while the filament is still soft, then cool down. */
export function parkingCommands({ retract, lift_z, targets, modes }: Parked): string[] {
  const moves = [...(retract > 0 ? [`G1 E-${mm(retract)}`] : []), ...(lift_z > 0 ? [`G1 Z${mm(lift_z)}`] : [])]
  return [...relatively(moves, modes), ...Object.keys(targets).map((heater) => setTarget(heater, 0))]
}

/** The commands before resuming: all heaters begin to heat, each is waited for, then the moves in the opposite order. */
export function unparkingCommands({ retract, lift_z, targets, modes }: Parked): string[] {
  const heaters = Object.entries(targets).sort(([a], [b]) => toolsFirst(a, b))
  const moves = [...(lift_z > 0 ? [`G1 Z-${mm(lift_z)}`] : []), ...(retract > 0 ? [`G1 E${mm(retract)}`] : [])]
  return [
    ...heaters.map(([heater, target]) => setTarget(heater, target)),
    ...heaters.map(([heater, target]) => waitForTarget(heater, target)),
    ...relatively(moves, modes),
  ]
}

/**
 * No feed rate is given, since it would stay in force for the print's own moves. M82 and M83 are sent as well: for some
 * firmwares G90 and G91 include the extruder, for others they do not.
 */
function relatively(moves: readonly string[], modes: SettledModes): string[] {
  if (moves.length === 0) return []
  const axes = modes.axes === 'relative' ? 'G91' : 'G90'
  const extruder = modes.extruder === 'relative' ? 'M83' : 'M82'
  return ['G91', 'M83', ...moves, axes, extruder]
}

function setTarget(heater: string, target: number): string {
  return heater === 'bed' ? `M140 S${target}` : `M104 T${toolNumber(heater)} S${target}`
}

function waitForTarget(heater: string, target: number): string {
  return heater === 'bed' ? `M190 S${target}` : `M109 T${toolNumber(heater)} S${target}`
}

function toolNumber(heater: string): string {
  return heater.replace('tool', '')
}

function toolsFirst(a: string, b: string): number {
  return a === 'bed' ? 1 : b === 'bed' ? -1 : a.localeCompare(b)
}

function mm(length: number): string {
  return String(Math.round(length * 1000) / 1000)
}
