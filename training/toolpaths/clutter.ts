import type { Bed } from './bed.js'
import { type Brush, machineSurface } from './brush.js'
import { SHOWN } from './canvas.js'
import { type Colour, filamentColour, grey, machineColour } from './colours.js'
import { drawStrand } from './draw-print.js'
import type { Random } from './random.js'
import type { Room } from './room.js'
import { growScrap, type Strand } from './strand.js'
import type { Place } from './toolpath.js'

/** Things that lie and stand about and mean nothing. */
export interface Clutter {
  readonly clips: readonly Place[]
  /** Short bits of filament: purged, or left from another print. */
  readonly scraps: readonly { readonly strand: Strand; readonly colour: Colour }[]
  readonly boxes: readonly { readonly low: Place; readonly high: Place; readonly colour: Colour }[]
  readonly spool: { readonly at: Place; readonly radius: number; readonly colour: Colour } | undefined
  /** Cables along the walls. */
  readonly wires: readonly {
    readonly from: Place
    readonly to: Place
    readonly sag: number
    readonly radius: number
    readonly colour: Colour
  }[]
}

export function makeClutter(random: Random, bed: Bed, room: Room): Clutter {
  const side = (): Place =>
    random.chance(0.5)
      ? { x: random.between(15, bed.width - 15), y: random.pick([0, bed.depth]), z: 0 }
      : { x: random.pick([0, bed.width]), y: random.between(15, bed.depth - 15), z: 0 }
  const within = (edge: number): Place => ({
    x: random.between(room.low.x + edge, room.high.x - edge),
    y: random.between(bed.depth + 50, room.high.y - edge),
    z: random.between(-30, 220),
  })
  const outer = (): Place => ({
    x: random.pick([room.low.x + 4, room.high.x - 4]),
    y: random.between(room.low.y, room.high.y),
    z: random.between(-10, 300),
  })
  return {
    clips: random.chance(0.3) ? Array.from({ length: random.whole(2, 6) }, side) : [],
    scraps: Array.from({ length: random.chance(0.3) ? random.whole(1, 5) : 0 }, () => {
      const atEdge = random.chance(0.7)
      const place = {
        x: random.between(5, bed.width - 5),
        y: atEdge ? random.between(2, 18) : random.between(5, bed.depth - 5),
        z: 0,
      }
      return { strand: growScrap(random, place, random.between(4, 22)), colour: filamentColour(random) }
    }),
    boxes: Array.from({ length: room.isEnclosure ? random.whole(0, 2) : random.whole(2, 12) }, () => {
      const low = within(30)
      return {
        low,
        high: {
          x: low.x + random.between(8, 160),
          y: low.y + random.between(5, 60),
          z: low.z + random.between(8, 160),
        },
        colour: random.chance(0.4) ? filamentColour(random) : machineColour(random),
      }
    }),
    spool: random.chance(0.2)
      ? {
          at: { x: random.between(0, bed.width), y: bed.depth + random.between(40, 90), z: random.between(60, 260) },
          radius: random.between(70, 100),
          colour: filamentColour(random),
        }
      : undefined,
    wires: Array.from({ length: random.whole(0, 3) }, () => ({
      from: outer(),
      to: outer(),
      sag: random.between(10, 120),
      radius: random.between(1, 4),
      colour: random.chance(0.7) ? grey(0.03) : filamentColour(random),
    })),
  }
}

/** Draws what lies about: `brush` what is on the bed, `fixed` what stands in the room. */
export function drawClutter(brush: Brush, fixed: Brush, clutter: Clutter): void {
  for (const { x, y } of clutter.clips) drawClip(brush, x, y)
  for (const { strand, colour } of clutter.scraps)
    drawStrand(brush, strand, 1, { colour, gloss: 0.2, shows: SHOWN.machine })
  fixed.paint.edge = 0.3
  for (const { low, high, colour } of clutter.boxes) fixed.box(low, high, machineSurface(colour))
  for (const { from, to, sag, radius, colour } of clutter.wires) {
    let last = from
    for (let n = 1; n <= 14; n++) {
      const share = n / 14
      const next = {
        x: from.x + (to.x - from.x) * share,
        y: from.y + (to.y - from.y) * share,
        z: from.z + (to.z - from.z) * share - 4 * sag * share * (1 - share),
      }
      fixed.bar(last, next, radius, machineSurface(colour, 0.2))
      last = next
    }
  }
  if (clutter.spool !== undefined) drawSpool(fixed, clutter.spool)
}

/** A binder clip: a black wedge with two wire handles. */
function drawClip(brush: Brush, x: number, y: number): void {
  brush.paint.edge = 0.3
  brush.box({ x: x - 8, y: y - 5, z: -6 }, { x: x + 8, y: y + 5, z: 4 }, machineSurface(grey(0.02), 0.4))
  const wire = machineSurface(grey(0.65), 0.8)
  for (const [dx, dy] of [
    [-6, 12],
    [6, 12],
  ] as const)
    brush.bar({ x: x + dx, y, z: 4 }, { x: x + dx * 0.4, y: y + dy, z: 5 }, 0.9, wire)
  brush.bar({ x: x - 2.4, y: y + 12, z: 5 }, { x: x + 2.4, y: y + 12, z: 5 }, 0.9, wire)
}

function drawSpool(fixed: Brush, { at, radius, colour }: NonNullable<Clutter['spool']>): void {
  const ring = (reach: number, y: number, thick: number, tint: Colour): void => {
    for (let i = 0; i < 30; i++) {
      const point = (n: number): Place => ({
        x: at.x + Math.cos((n / 30) * 6.283) * reach,
        y,
        z: at.z + Math.sin((n / 30) * 6.283) * reach,
      })
      fixed.bar(point(i), point(i + 1), thick, machineSurface(tint, 0.2))
    }
  }
  fixed.paint.edge = 0.3
  for (let i = 0; i < 8; i++) ring(radius * (0.45 + 0.05 * i), at.y + 4, 3.5, colour)
  ring(radius, at.y, 4, grey(0.05))
  ring(radius * 0.4, at.y, 5, grey(0.05))
}
