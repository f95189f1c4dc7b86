import type { Temperature } from '@printwarden/protocol'
import type { Objects } from './objects.js'
import { numberOf } from './objects.js'

const MEASURES = /^(extruder\d*$|heater_bed$|(heater_generic|temperature_fan|temperature_sensor) )/

/**
 * All heaters and sensors. Those that every printer has bear the names of the wire (`tool0`, `bed`), others their own; a sensor
 * has no target.
 */
export function temperaturesOf(objects: Objects): Record<string, Temperature> {
  const temperatures: Record<string, Temperature> = {}
  for (const name of Object.keys(objects)) {
    const actual = MEASURES.test(name) ? numberOf(objects, name, 'temperature') : undefined
    if (actual === undefined) continue
    const short = wireName(name)
    // A heater and a sensor may bear one name: the second one keeps its kind in front.
    const key = short in temperatures ? name : short
    temperatures[key] = { actual, target: numberOf(objects, name, 'target') ?? null }
  }
  return temperatures
}

/** The name of a heater on the wire. */
export function wireName(object: string): string {
  if (object === 'heater_bed') return 'bed'
  const tool = /^extruder(\d*)$/.exec(object)
  if (tool) return `tool${tool[1] || '0'}`
  return object.slice(object.indexOf(' ') + 1)
}
