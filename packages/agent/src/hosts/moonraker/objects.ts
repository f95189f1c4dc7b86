import type { PrintObject } from '@printwarden/protocol'
import { z } from 'zod'

/** Klipper's objects as Moonraker tells them: names of objects, each with its fields. */
export type Objects = Readonly<Record<string, Readonly<Record<string, unknown>>>>

const Patch = z.record(z.string(), z.record(z.string(), z.unknown()).catch({}))
const Status = z.object({ status: Patch })

/** Fields of an update, or the whole of a fresh subscription. */
export function readPatch(value: unknown): Objects {
  return Patch.safeParse(value).data ?? {}
}

/** The objects of the answer to `printer.objects.subscribe` or `printer.objects.query`. */
export function readStatus(result: unknown): Objects {
  return Status.safeParse(result).data?.status ?? {}
}

/** An update carries only the fields that have changed. */
export function mergeObjects(objects: Objects, patch: Objects): Objects {
  const merged = { ...objects }
  for (const [name, fields] of Object.entries(patch)) merged[name] = { ...objects[name], ...fields }
  return merged
}

/** What is read of each object; of those with a name of their own only the first word counts. */
const WANTED: Record<string, readonly string[]> = {
  webhooks: ['state', 'state_message'],
  print_stats: ['filename', 'total_duration', 'print_duration', 'state', 'message', 'info'],
  virtual_sdcard: ['progress', 'file_position'],
  display_status: ['progress', 'message'],
  pause_resume: ['is_paused'],
  exclude_object: ['objects', 'excluded_objects'],
  gcode_move: ['gcode_position', 'speed_factor', 'extrude_factor'],
  fan: ['speed'],
  heater_bed: ['temperature', 'target'],
  heater_generic: ['temperature', 'target'],
  temperature_fan: ['temperature', 'target'],
  temperature_sensor: ['temperature'],
  filament_switch_sensor: ['filament_detected', 'enabled'],
  filament_motion_sensor: ['filament_detected', 'enabled'],
}
const EXTRUDER = /^extruder\d*$/

/** What to subscribe to on a printer that has objects of these names. */
export function subscriptionOf(names: readonly string[]): Record<string, readonly string[]> {
  const wanted = names.flatMap((name): [string, readonly string[]][] => {
    const fields = EXTRUDER.test(name) ? ['temperature', 'target'] : WANTED[name.split(' ')[0] ?? '']
    return fields ? [[name, fields]] : []
  })
  return Object.fromEntries(wanted)
}

const number = z.number().nullish().catch(undefined)
const text = z.string().catch('')

const PrintStats = z.object({
  filename: text,
  total_duration: z.number().catch(0),
  print_duration: z.number().catch(0),
  state: z.enum(['standby', 'printing', 'paused', 'complete', 'cancelled', 'error']).catch('standby'),
  message: text,
  info: z.object({ total_layer: number, current_layer: number }).catch({}),
})
/** Times are in seconds; `total_duration` counts from the start, `print_duration` without pauses and heating up. */
export type PrintStats = z.infer<typeof PrintStats>

/** Klipper's own word on the print. A printer without `[virtual_sdcard]` has none and is idle for us. */
export function printStatsOf(objects: Objects): PrintStats {
  return PrintStats.parse(objects['print_stats'] ?? {})
}

/** One number of one object. */
export function numberOf(objects: Objects, object: string, field: string): number | undefined {
  return number.parse(objects[object]?.[field]) ?? undefined
}

/** Whether `pause_resume` has finished pausing; undefined on a printer without `[pause_resume]`. */
export function isPausedOf(objects: Objects): boolean | undefined {
  return z.boolean().optional().catch(undefined).parse(objects['pause_resume']?.['is_paused'])
}

/** What M117 has put on the display; null when it is empty, undefined on a printer without `[display_status]`. */
export function messageOf(objects: Objects): string | null | undefined {
  return z.string().nullish().catch(undefined).parse(objects['display_status']?.['message'])
}

/** Where the head is, in the coordinates of the G-code. */
export function heightOf(objects: Objects): number | undefined {
  const position = z.array(z.number()).safeParse(objects['gcode_move']?.['gcode_position']).data
  return position?.[2]
}

const Names = z.array(z.string()).catch([])
const Named = z.array(z.looseObject({ name: z.string().min(1).max(200) })).catch([])
/** They travel with each status. */
const MOST_OBJECTS = 200

/** The objects that the file tells apart; undefined on a printer without `[exclude_object]`, or when the file names none. */
export function printObjectsOf(objects: Objects): PrintObject[] | undefined {
  const known = objects['exclude_object']
  if (known === undefined) return undefined
  const excluded = new Set(Names.parse(known['excluded_objects']))
  const told = Named.parse(known['objects']).slice(0, MOST_OBJECTS)
  return told.length === 0 ? undefined : told.map(({ name }) => ({ name, excluded: excluded.has(name) }))
}

/** The G-code that leaves an object out; undefined when the name cannot be a word of G-code. */
export function excludeScript(name: string): string | undefined {
  return /^[^"'\\;#\p{Cc}]+$/u.test(name) ? `EXCLUDE_OBJECT NAME="${name}"` : undefined
}
