import { filamentColour, type Colour } from './scene-colour.js'
import { clamp, makeView, type Point3, type View } from './scene-geometry.js'
import { makePart, PART_FAMILIES, type Part } from './scene-parts.js'
import { makePrinter, type Printer } from './scene-printer.js'
import { makeRandom, type Random } from './scene-random.js'
import type { Light } from './scene-solid.js'

/** What stays the same in all pictures of one print. */
export interface Setting {
  view: View
  light: Light
  printer: Printer
  filament: Colour
  part: Part
}

function makeLight(random: Random): Light {
  const direction = { x: random.range(-0.55, 0.55), y: -0.45, z: 0.66 }
  const length = Math.hypot(direction.x, direction.y, direction.z)
  return {
    direction: { x: direction.x / length, y: direction.y / length, z: direction.z / length },
    ambient: random.range(0.32, 0.46),
  }
}

/** The setting of one seed. */
export function makeSetting(seed: number): Setting {
  const random = makeRandom(seed)
  const part = makePart(random.pick(PART_FAMILIES), makeRandom(seed, 1))
  const view = makeView({
    target: { x: random.range(-12, 12), y: 0, z: 30 + part.height * 0.3 + random.range(-6, 8) },
    distance: random.range(325, 405) + part.height * 0.4,
    yaw: random.range(-0.5, 0.5),
    elevation: random.range(0.24, 0.58),
    focal: random.range(650, 760),
  })
  return {
    view,
    light: makeLight(random),
    printer: makePrinter(makeRandom(seed, 2)),
    filament: filamentColour(random),
    part,
  }
}

/** Where the nozzle is in the print's own space: somewhere on the layer of height `reached`, or parked. */
export function nozzleAt({ part, printer }: Setting, reached: number, frame: number, printing: boolean): Point3 {
  if (!printing) return { x: -printer.half * 0.7, y: 0, z: Math.max(40, reached + 30) }
  const random = makeRandom(frame, 11)
  const active = part.solids.filter((s) => s.from <= reached && reached <= s.to)
  const solid = active[Math.floor(random.next() * active.length)] ?? part.solids[0]
  if (!solid) return { x: 0, y: 0, z: reached }
  const outline = solid.outline(clamp((reached - solid.from) / (solid.to - solid.from), 0, 1))
  const point = random.pick([outline[0] ?? { x: 0, y: 0 }, ...outline])
  // A bed that rides to and fro would jump in every picture; most moves of a print are small.
  const calm = printer.frame === 'portal' ? 0.45 : 1
  return { x: point.x, y: point.y * calm, z: reached + 0.3 }
}
