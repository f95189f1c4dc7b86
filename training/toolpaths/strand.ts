import type { Random } from './random.js'
import { durationOf, type Extent, MOVE, nozzleAt, type Place, type Toolpath } from './toolpath.js'

/** Filament that does not lie where it should: points of the bed in millimetres, laid one after the other. */
export interface Strand {
  readonly count: number
  readonly x: Float32Array
  readonly y: Float32Array
  readonly z: Float32Array
  /** Second of the print at which each point was laid, rising. */
  readonly time: Float32Array
  /** 1 where a point begins a piece of its own: no line leads to it. */
  readonly begins: Uint8Array
  /** How much light reaches each point through what lies on it in the end, 0 to 1. */
  readonly open: Float32Array
  /** Millimetres. */
  readonly radius: number
}

/** Collects points into a strand. */
export class StrandBuilder {
  readonly #points: { x: number; y: number; z: number; time: number; begins: boolean }[] = []

  add(x: number, y: number, z: number, time: number, begins: boolean): void {
    this.#points.push({ x, y, z, time, begins })
  }

  get count(): number {
    return this.#points.length
  }

  /** `coveredTo` tells how high the pile is over a place in the end. */
  build(radius: number, coveredTo: (x: number, y: number) => number): Strand {
    const points = this.#points
    return {
      count: points.length,
      x: Float32Array.from(points, ({ x }) => x),
      y: Float32Array.from(points, ({ y }) => y),
      z: Float32Array.from(points, ({ z }) => z),
      time: Float32Array.from(points, ({ time }) => time),
      begins: Uint8Array.from(points, ({ begins }) => (begins ? 1 : 0)),
      open: Float32Array.from(points, ({ x, y, z }) => Math.max(0.35, 1 - Math.max(0, coveredTo(x, y) - z) * 0.06)),
      radius,
    }
  }
}

const CELL_MM = 2.5

/** How high what lies on the bed is, on a grid. */
export class HeightMap {
  readonly #cells = new Map<number, number>()

  #key(x: number, y: number): number {
    return (Math.floor(y / CELL_MM) + 2000) * 4096 + Math.floor(x / CELL_MM) + 2000
  }

  at(x: number, y: number): number {
    return this.#cells.get(this.#key(x, y)) ?? 0
  }

  raise(x: number, y: number, to: number): void {
    const key = this.#key(x, y)
    if (to > (this.#cells.get(key) ?? 0)) this.#cells.set(key, to)
  }
}

/** The heights of what a toolpath has laid up to a point. `bend` moves points, as a failure may. */
export function heightsOf(
  toolpath: Toolpath,
  upTo: number,
  bend: (point: Float64Array, layer: number) => void,
): HeightMap {
  const heights = new HeightMap()
  const [from, to] = [new Float64Array(3), new Float64Array(3)]
  for (let i = 1; i <= upTo; i++) {
    to.set([toolpath.x[i] ?? 0, toolpath.y[i] ?? 0, toolpath.z[i] ?? 0])
    bend(to, toolpath.layer[i] ?? 0)
    if (toolpath.kind[i] !== MOVE.travel) {
      const [ax = 0, ay = 0, bx = 0, by = 0, z = 0] = [from[0], from[1], to[0], to[1], to[2]]
      const steps = Math.ceil(Math.hypot(bx - ax, by - ay) / CELL_MM) + 1
      for (let n = 0; n <= steps; n++) heights.raise(ax + ((bx - ax) * n) / steps, ay + ((by - ay) * n) / steps, z)
    }
    from.set(to)
  }
  return heights
}

/** How filament falls that sticks to nothing. */
export interface Fall {
  /** Second at which it begins to fall, and for how many millimetres of filament it goes on. */
  readonly from: number
  readonly length: number
  /** Millimetres of line a second. */
  readonly flow: number
  readonly radius: number
  /** Size of the loops in millimetres. */
  readonly loops: number
  /** How far the loops rise above what they lie on, in millimetres. */
  readonly rise: number
  /** How far the pile wanders off the print's place, in millimetres. */
  readonly wander: number
}

/** No pile needs more points: further filament is thinned out, as it hides what lies below. */
const MOST_POINTS = 8000
const FULL_POINTS = 3000
const PIECE = 45

/**
 * Filament that falls from the nozzle while it goes on along its way: it follows slowly, coils as falling threads do, and comes
 * to lie on what is there already.
 */
export function growTangle(random: Random, toolpath: Toolpath, heights: HeightMap, fall: Fall): Strand {
  const builder = new StrandBuilder()
  const step = Math.max(0.7, fall.loops * 0.22)
  const total = Math.max(4, Math.floor(Math.min(fall.length, (durationOf(toolpath) - fall.from) * fall.flow) / step))
  const keep = total > FULL_POINTS ? (MOST_POINTS - FULL_POINTS) / Math.max(1, total - FULL_POINTS) : 1
  let nozzle = nozzleAt(toolpath, fall.from)
  let [x, y, lift] = [nozzle.x, nozzle.y, 0]
  let [angle, size, side] = [random.between(0, 6.3), fall.loops, random.chance(0.5) ? 1 : -1]
  let [driftX, driftY] = [0, 0]
  let begins = true
  for (let i = 0; i < total; i++) {
    const time = fall.from + (i * step) / fall.flow
    // The more has fallen, the further it spreads.
    const spread = 1 + Math.min(1.2, (i * step) / 25_000)
    if (i % PIECE === 0) {
      nozzle = nozzleAt(toolpath, time)
      driftX = Math.max(-1, Math.min(1, driftX + random.normal() * 0.35))
      driftY = Math.max(-1, Math.min(1, driftY + random.normal() * 0.35))
      if (random.chance(0.3)) side = -side
      if (builder.count > FULL_POINTS && !random.chance(keep)) {
        ;[x, y] = [nozzle.x + driftX * fall.wander * spread * 0.7, nozzle.y + driftY * fall.wander * spread * 0.7]
        begins = true
        i += PIECE - 1
        continue
      }
      begins ||= random.chance(0.06)
    }
    if (i % 6 === 0) {
      nozzle = nozzleAt(toolpath, time)
      size = Math.max(fall.loops * 0.35, Math.min(fall.loops * 2.4, size * Math.exp(random.normal() * 0.3)))
      lift = Math.max(-0.4 * fall.rise, Math.min(fall.rise * 2, lift * 0.75 + random.normal() * fall.rise * 0.6))
    }
    x += (nozzle.x + driftX * fall.wander * spread - x) * 0.012 * step
    y += (nozzle.y + driftY * fall.wander * spread - y) * 0.012 * step
    angle += (side * step) / size + random.normal() * 0.1
    const px = x + Math.cos(angle) * size
    const py = y + Math.sin(angle) * size
    const ground = Math.min(heights.at(px, py), nozzle.z + 6)
    const z = ground + fall.radius + Math.max(0, lift * (0.6 + 0.4 * Math.sin(angle * 0.7)))
    builder.add(px, py, z, time, begins)
    begins = false
    heights.raise(px, py, ground + fall.radius * (z > ground + 2 ? 0.25 : 0.7) * spread)
  }
  return smoothed(builder.build(fall.radius, (px, py) => heights.at(px, py)))
}

/** Takes the jumps out of the heights, which come from the grid. */
function smoothed(strand: Strand): Strand {
  const { z, begins, count } = strand
  for (const by of [1, -1]) {
    let last = z[by === 1 ? 0 : count - 1] ?? 0
    for (let n = 0; n < count; n++) {
      const i = by === 1 ? n : count - 1 - n
      last = begins[i] === 1 ? (z[i] ?? 0) : last * 0.6 + (z[i] ?? 0) * 0.4
      z[i] = last
    }
  }
  return strand
}

/** Hair-thin threads along the ways that the nozzle travels over open air, and fluff at the walls. */
export function growStrings(random: Random, toolpath: Toolpath, share: number): Strand {
  const builder = new StrandBuilder()
  for (let i = 1; i < toolpath.count && builder.count < MOST_POINTS; i++) {
    // Only a nozzle that has just laid something draws a thread behind it.
    if (toolpath.kind[i] !== MOVE.travel || toolpath.kind[i - 1] === MOVE.travel || (toolpath.z[i] ?? 0) < 1) continue
    const [ax = 0, ay = 0, bx = 0, by = 0, z = 0] = [
      toolpath.x[i - 1],
      toolpath.y[i - 1],
      toolpath.x[i],
      toolpath.y[i],
      toolpath.z[i],
    ]
    const far = Math.hypot(bx - ax, by - ay)
    if (far < 6 || far > 120 || !random.chance(share)) continue
    const reach = random.chance(0.75) ? 1 : random.between(0.2, 0.7)
    const sag = far * random.between(0.01, 0.12) * (reach < 1 ? 2.5 : 1)
    const bow = random.normal() * far * 0.03
    for (let n = 0; n <= 8; n++) {
      const at = (n / 8) * reach
      const bend = 4 * (n / 8) * (1 - n / 8)
      const drop = reach < 1 ? sag * (n / 8) ** 2 : sag * bend
      const [x, y] = [
        ax + (bx - ax) * at - (by - ay) * (bow / far) * bend,
        ay + (by - ay) * at + (bx - ax) * (bow / far) * bend,
      ]
      builder.add(x, y, Math.max(0.2, z - drop), toolpath.time[i] ?? 0, n === 0)
    }
  }
  return builder.build(random.between(0.12, 0.3), () => 0)
}

/** A short piece left on the bed, as purged material and old scraps are. */
export function growScrap(random: Random, place: Place, length: number): Strand {
  const builder = new StrandBuilder()
  let [x, y, angle] = [place.x, place.y, random.between(0, 6.3)]
  let turn = random.normal() * 0.2
  for (let i = 0; i * 1.2 < length; i++) {
    builder.add(x, y, place.z + 0.4, 0, i === 0)
    turn = turn * 0.9 + random.normal() * 0.08
    angle += turn
    x += Math.cos(angle) * 1.2
    y += Math.sin(angle) * 1.2
  }
  return builder.build(random.between(0.25, 0.6), () => 0)
}

/** The middle of what an extent covers. */
export function middleOf({ left, right, front, back, top }: Extent): Place {
  return { x: (left + right) / 2, y: (front + back) / 2, z: top / 2 }
}
