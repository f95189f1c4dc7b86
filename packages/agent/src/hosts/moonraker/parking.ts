import type { PauseArgs } from '@printwarden/protocol'
import { z } from 'zod'
import { numberOf, type Objects } from './objects.js'

/** What was done to a paused print and must be undone before it goes on. It is kept on disk: the agent may restart. */
export const Parked = z.object({
  /** In mm. */
  retract: z.number().nonnegative(),
  lift_z: z.number().nonnegative(),
  /** Heaters that were turned off, by Klipper's names, with the temperature to go back to. */
  targets: z.record(z.string(), z.number()),
  /** The path of the file that is printed. Absent where it was not kept yet. */
  file: z.string().optional(),
})
export type Parked = z.infer<typeof Parked>

/** Only the two kinds of heaters that pause options speak of. */
const EXTRUDER = /^extruder\d*$/
const RETRACT_FEED = 1800
const LIFT_FEED = 600
/** Within so many degrees a heater counts as hot; those that only switch on and off swing by more than one. */
export const HOT_WITHIN = 2

/** The objects that {@link planParking} must see, asked for at the moment of parking. */
export function parkingQuery(objects: Objects): Record<string, readonly string[]> {
  const extruders = Object.keys(objects).filter((name) => EXTRUDER.test(name))
  return {
    toolhead: ['extruder', 'position', 'axis_maximum', 'homed_axes'],
    ...Object.fromEntries(extruders.map((name) => [name, ['can_extrude', 'target']])),
    ...('heater_bed' in objects ? { heater_bed: ['target'] } : {}),
  }
}

const Toolhead = z.object({
  extruder: z.string().catch(''),
  position: z.array(z.number()).catch([]),
  axis_maximum: z.array(z.number()).catch([]),
  homed_axes: z.string().catch(''),
})

/** Works out how to park a print; undefined when `args` ask for nothing that can be done. */
export function planParking(args: PauseArgs, objects: Objects): Parked | undefined {
  const { tools_off = false, bed_off = false } = args
  const toolhead = Toolhead.parse(objects['toolhead'] ?? {})
  const heated = Object.keys(objects).flatMap((name): [string, number][] => {
    const isMeant = (tools_off && EXTRUDER.test(name)) || (bed_off && name === 'heater_bed')
    const target = numberOf(objects, name, 'target') ?? 0
    return isMeant && target > 0 ? [[name, target]] : []
  })
  // Klipper refuses the whole script when one move is not allowed: cold filament, or beyond the end of an axis.
  const canPull = objects[toolhead.extruder]?.['can_extrude'] === true
  const retract = canPull ? Math.max(0, args.retract ?? 0) : 0
  const lift_z = toolhead.homed_axes.includes('z') ? Math.min(Math.max(0, args.lift_z ?? 0), roomAbove(toolhead)) : 0
  if (retract === 0 && lift_z === 0 && heated.length === 0) return undefined
  return { retract, lift_z, targets: Object.fromEntries(heated) }
}

function roomAbove({ position, axis_maximum }: z.infer<typeof Toolhead>): number {
  const [height, top] = [position[2], axis_maximum[2]]
  if (height === undefined || top === undefined) return 0
  return Math.max(0, Math.floor((top - height) * 1000) / 1000)
}

/** The script after pausing: up and away from the part first, while the filament is still soft, then cool down. */
export function parkingScript({ retract, lift_z, targets }: Parked): string {
  return [
    ...relatively([
      ...(retract > 0 ? [`G1 E-${mm(retract)} F${RETRACT_FEED}`] : []),
      ...(lift_z > 0 ? [`G1 Z${mm(lift_z)} F${LIFT_FEED}`] : []),
    ]),
    ...Object.keys(targets).map((heater) => setTarget(heater, 0)),
  ].join('\n')
}

/** The script that cools down again what had begun to heat. */
export function coolingScript(parked: Parked): string {
  return parkingScript({ ...parked, retract: 0, lift_z: 0 })
}

/** The script that begins to heat again. It does not wait, so that the print can still be cancelled at once. */
export function heatingScript({ targets }: Parked): string {
  return Object.entries(targets)
    .map(([heater, target]) => setTarget(heater, target))
    .join('\n')
}

/** Whether all heaters are hot again. */
export function isHot({ targets }: Parked, objects: Objects): boolean {
  return Object.entries(targets).every(
    ([heater, target]) => (numberOf(objects, heater, 'temperature') ?? 0) >= target - HOT_WITHIN,
  )
}

/** The script right before RESUME, which itself goes back to where the print paused: so Z is not lowered here. */
export function unparkingScript({ retract }: Parked): string {
  return relatively(retract > 0 ? [`G1 E${mm(retract)} F${RETRACT_FEED}`] : []).join('\n')
}

/** The modes and the feed rate of the print are not ours to change; nor does the print learn that the filament moved. */
function relatively(moves: readonly string[]): string[] {
  if (moves.length === 0) return []
  const state = 'NAME=printwarden_park'
  return [`SAVE_GCODE_STATE ${state}`, 'G91', 'M83', ...moves, `RESTORE_GCODE_STATE ${state}`]
}

function setTarget(heater: string, target: number): string {
  return `SET_HEATER_TEMPERATURE HEATER=${heater} TARGET=${target}`
}

function mm(length: number): string {
  return String(Math.round(length * 1000) / 1000)
}
