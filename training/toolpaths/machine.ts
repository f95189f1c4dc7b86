import type { Bed } from './bed.js'
import { type Brush, machineSurface, type Surface } from './brush.js'
import { type Colour, fromHue, grey, machineColour } from './colours.js'
import type { Random } from './random.js'
import type { Place } from './toolpath.js'

/** How a printer moves: its bed to and fro, its bed down, or its head alone. */
export const MOTIONS = ['slinger', 'lowering', 'fixed'] as const
export type Motion = (typeof MOTIONS)[number]

interface Cable {
  readonly colour: Colour
  readonly radius: number
  /** Where it leads, from the head, and how far it bows aside. */
  readonly to: Place
  readonly bow: Place
}

/** A printer's build: what of it is drawn, in millimetres and colours. */
export interface Machine {
  readonly motion: Motion
  readonly head: { readonly width: number; readonly depth: number; readonly height: number; readonly colour: Colour }
  /** Nothing but the hot end: no cover, cables in sight. */
  readonly isBare: boolean
  readonly block: Colour
  readonly fan: { readonly radius: number; readonly colour: Colour } | undefined
  readonly duct: Colour | undefined
  readonly cables: readonly Cable[]
  readonly beam: { readonly isRods: boolean; readonly size: number; readonly colour: Colour; readonly above: number }
  readonly posts: { readonly colour: Colour; readonly size: number; readonly away: number }
  readonly hasScrews: boolean
  readonly bedColour: Colour
  readonly bedThickness: number
}

function makeCables(random: Random, isBare: boolean): Cable[] {
  const [toX, toY, toZ] = [random.between(-90, 90), random.between(20, 120), random.between(70, 260)]
  const bundle = random.chance(0.5) ? grey(0.03) : undefined
  return Array.from({ length: isBare ? random.whole(4, 11) : random.whole(1, 5) }, () => ({
    colour:
      bundle ??
      (random.chance(0.5)
        ? grey(random.pick([0.02, 0.04, 0.8]))
        : fromHue(random.pick([0, 0.05, 0.16, 0.33, 0.6]), 0.9, 0.6)),
    radius: isBare ? random.between(0.6, 1.4) : random.between(1, 4.5),
    to: { x: toX + random.normal() * 12, y: toY + random.normal() * 10, z: toZ + random.normal() * 12 },
    bow: { x: random.normal() * 45, y: random.normal() * 25, z: random.between(-10, 60) },
  }))
}

export function makeMachine(random: Random): Machine {
  const isBare = random.chance(0.25)
  return {
    motion: random.pick(['slinger', 'slinger', 'lowering', 'lowering', 'fixed']),
    head: {
      width: random.between(28, 62),
      depth: random.between(22, 48),
      height: random.between(30, 75),
      colour: machineColour(random),
    },
    isBare,
    block: random.pick([grey(0.6), grey(0.5), grey(0.04), [0.45, 0.04, 0.03], [0.05, 0.15, 0.5]] as const),
    fan: random.chance(0.6)
      ? { radius: random.between(12, 22), colour: random.chance(0.7) ? grey(0.02) : machineColour(random) }
      : undefined,
    duct: random.chance(0.5) ? machineColour(random) : undefined,
    cables: makeCables(random, isBare),
    beam: {
      isRods: random.chance(0.4),
      size: random.between(7, 20),
      colour: random.chance(0.5) ? grey(0.03) : grey(0.6),
      above: random.between(20, 60),
    },
    posts: {
      colour: random.chance(0.7) ? grey(0.03) : grey(0.55),
      size: random.between(10, 24),
      away: random.between(25, 50),
    },
    hasScrews: random.chance(0.4),
    bedColour: random.chance(0.7) ? grey(0.04) : grey(0.5),
    bedThickness: random.between(2.5, 9),
  }
}

/** How far the bed has moved within the machine while the nozzle is at a place of the bed. */
export function bedOffset(machine: Machine, bed: Bed, nozzle: Place): Place {
  if (machine.motion === 'slinger') return { x: 0, y: bed.depth / 2 - nozzle.y, z: 0 }
  if (machine.motion === 'lowering') return { x: 0, y: 0, z: -nozzle.z }
  return { x: 0, y: 0, z: 0 }
}

/** Draws the printer around a bed. `fixed` draws what stands still, `brush` what moves with nozzle and bed. */
export function drawMachine(brush: Brush, fixed: Brush, machine: Machine, bed: Bed, nozzle: Place): void {
  brush.paint.edge = 0.3
  brush.box(
    { x: 0, y: 0, z: -machine.bedThickness },
    { x: bed.width, y: bed.depth, z: -0.1 },
    machineSurface(machine.bedColour),
    false,
  )
  drawFrame(fixed, machine, bed)
  drawGantry(brush, machine, bed, nozzle)
  drawHead(brush, machine, nozzle)
  for (const cable of machine.cables) drawCable(brush, machine, nozzle, cable)
}

function drawFrame(fixed: Brush, { posts, motion, hasScrews }: Machine, bed: Bed): void {
  fixed.paint.edge = 0.3
  const surface = machineSurface(posts.colour)
  const rows = motion === 'slinger' ? [bed.depth / 2 + 30] : [-posts.away * 0.8, bed.depth + posts.away]
  for (const y of rows) {
    for (const x of [-posts.away - posts.size, bed.width + posts.away]) {
      const { at } = fixed.camera
      if (Math.hypot(x + fixed.shift.x - at.x, y + fixed.shift.y - at.y) < 190) continue
      fixed.box({ x, y, z: -90 }, { x: x + posts.size, y: y + posts.size, z: 380 }, surface)
      if (hasScrews && y > 0)
        fixed.bar(
          { x: x + posts.size * 1.2 * (x < 0 ? 1 : -0.3), y: y - 8, z: -60 },
          { x: x + posts.size * 1.2 * (x < 0 ? 1 : -0.3), y: y - 8, z: 360 },
          4,
          machineSurface(grey(0.65), 0.6),
        )
    }
  }
}

function drawGantry(brush: Brush, { beam, head, motion, posts }: Machine, bed: Bed, nozzle: Place): void {
  brush.paint.edge = 0.45
  const [z, y] = [nozzle.z + beam.above, nozzle.y + head.depth / 2 + 6]
  const [left, right] = [-posts.away, bed.width + posts.away]
  const surface = machineSurface(beam.colour, beam.isRods ? 0.7 : 0.15)
  if (beam.isRods) {
    brush.bar({ x: left, y, z }, { x: right, y, z }, 4, surface)
    brush.bar({ x: left, y, z: z + 45 }, { x: right, y, z: z + 45 }, 4, surface)
  } else brush.box({ x: left, y, z }, { x: right, y: y + beam.size, z: z + beam.size * 1.6 }, surface)
  brush.bar({ x: left, y: y - 2, z: z + 22 }, { x: right, y: y - 2, z: z + 22 }, 1.2, machineSurface(grey(0.02), 0.02))
  if (motion === 'slinger') return
  for (const x of [left, right])
    if (Math.abs(brush.camera.at.x - x) > 130)
      brush.bar({ x, y: -30, z: z + 8 }, { x, y: bed.depth + 40, z: z + 8 }, beam.isRods ? 4 : beam.size * 0.5, surface)
}

function drawHead(brush: Brush, machine: Machine, nozzle: Place): void {
  const { head, isBare, fan } = machine
  const { x, y, z } = nozzle
  const up = (by: number): Place => ({ x, y, z: z + by })
  const block = machineSurface(machine.block, 0.5)
  brush.paint.edge = 0.4
  brush.bar(up(0.5), up(4), 0.6, machineSurface([0.55, 0.4, 0.16], 0.7), 3)
  brush.box({ x: x - 9, y: y - 8, z: z + 4 }, { x: x + 9, y: y + 12, z: z + 15 }, block)
  brush.bar(up(15), up(20), 3, machineSurface(grey(0.6), 0.6))
  if (isBare)
    for (let fin = 0; fin < 9; fin++)
      brush.box(
        { x: x - 11, y: y - 11, z: z + 19 + fin * 3 },
        { x: x + 11, y: y + 11, z: z + 20.2 + fin * 3 },
        machineSurface(grey(0.6), 0.5),
      )
  const low = { x: x - head.width / 2, y: y - head.depth / 2, z: z + (isBare ? 48 : 21) }
  const high = { x: x + head.width / 2, y: y + head.depth / 2, z: low.z + head.height * (isBare ? 0.5 : 1) }
  brush.box(low, high, machineSurface(head.colour, 0.25))
  if (fan !== undefined) drawFan(brush, { x, y: low.y - 0.6, z: Math.max(low.z, z + 18) + fan.radius * 1.1 }, fan)
  if (machine.duct === undefined) return
  const duct = machineSurface(machine.duct, 0.2)
  for (const side of [-1, 1]) {
    brush.bar(
      { x: x + side * head.width * 0.45, y: y - 6, z: low.z + 6 },
      { x: x + side * 13, y, z: z + 5 },
      6,
      duct,
      3,
    )
  }
}

function drawFan(brush: Brush, middle: Place, { radius, colour }: { radius: number; colour: Colour }): void {
  const dark = machineSurface(grey(0.015), 0.05)
  const ring = machineSurface(colour, 0.2)
  const at = (angle: number, reach: number): Place => ({
    x: middle.x + Math.cos(angle) * reach,
    y: middle.y,
    z: middle.z + Math.sin(angle) * reach,
  })
  for (let i = 0; i < 7; i++)
    brush.bar(at((i / 7) * 6.283, radius * 0.3), at((i / 7) * 6.283 + 0.5, radius * 0.9), radius * 0.16, dark)
  for (const reach of [radius, radius * 0.66]) {
    for (let i = 0; i < 20; i++) brush.bar(at((i / 20) * 6.283, reach), at(((i + 1) / 20) * 6.283, reach), 0.9, ring)
  }
  brush.bar(at(0, 0), at(0, 0.5), radius * 0.3, ring)
}

function drawCable(brush: Brush, { head, isBare }: Machine, nozzle: Place, cable: Cable): void {
  const surface: Surface = machineSurface(cable.colour, 0.25)
  const from = {
    x: nozzle.x + cable.bow.x * 0.1,
    y: nozzle.y + (isBare ? 4 : head.depth * 0.3),
    z: nozzle.z + (isBare ? 14 : 18 + head.height * 0.9),
  }
  brush.paint.edge = 0.5
  let last = from
  for (let n = 1; n <= 16; n++) {
    const share = n / 16
    const bend = Math.sin(share * Math.PI)
    const next = {
      x: from.x + cable.to.x * share + cable.bow.x * bend,
      y: from.y + cable.to.y * share + cable.bow.y * bend,
      z: from.z + cable.to.z * share + cable.bow.z * bend,
    }
    brush.bar(last, next, cable.radius, surface)
    last = next
  }
}
