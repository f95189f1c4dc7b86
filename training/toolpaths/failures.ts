import type { Random } from './random.js'
import { growStrings, growTangle, heightsOf, type Strand } from './strand.js'
import { durationOf, type Extent, extentOf, pointAt, type Toolpath } from './toolpath.js'

/** How a print can fail. */
export const FAILURES = ['tangle', 'detached', 'air', 'blob', 'stringing', 'layer_shift', 'warping'] as const
export type FailureKind = (typeof FAILURES)[number]

/** The kinds that a detector of tangles is to find: their labels are of class 0 or 1. */
export const TANGLED: readonly FailureKind[] = ['tangle', 'detached', 'air', 'blob', 'stringing']

/** A failure of one print. */
export interface Failure {
  readonly kind: FailureKind
  /** Second of the print at which it begins. */
  readonly from: number
  /** Whether the print itself grows no further from then on. */
  readonly stopsPart: boolean
  readonly strands: readonly Strand[]
  /** Moves a point of the print to where it lies `now`; leaves it, and answers false, when the failure does not touch it. */
  bend(point: Float64Array, layer: number, now: number): boolean
  /** Radius in millimetres of the lump at the nozzle. */
  lump(now: number): number
}

/** How bad a failure is to become. */
export interface Severity {
  /** Second of the print at which it begins. */
  readonly from: number
  /** Millimetres of filament that go astray at most. */
  readonly length: number
  /** Millimetres of line a second. */
  readonly flow: number
}

const NOTHING = { strands: [], bend: () => false, lump: () => 0, stopsPart: false } as const

export function growFailure(kind: FailureKind, random: Random, toolpath: Toolpath, severity: Severity): Failure {
  const { from } = severity
  switch (kind) {
    case 'tangle':
      return { ...NOTHING, kind, from, stopsPart: true, strands: [fallen(random, toolpath, severity, () => {})] }
    case 'detached':
      return detached(random, toolpath, severity)
    case 'air':
      return {
        ...NOTHING,
        kind,
        from,
        stopsPart: true,
        strands: [fallen(random, toolpath, { ...severity, length: severity.length * 0.5 }, () => {}, 2.5)],
      }
    case 'blob': {
      const [grown, seconds] = [random.between(6, 17), random.between(200, 900)]
      const lump = (now: number): number => (now < from ? 0 : grown * Math.min(1, 0.25 + (now - from) / seconds))
      const strands = random.chance(0.6)
        ? [fallen(random, toolpath, { ...severity, length: severity.length * 0.2 }, () => {})]
        : []
      return { ...NOTHING, kind, from, stopsPart: true, strands, lump }
    }
    case 'stringing':
      return { ...NOTHING, kind, from: 0, strands: [growStrings(random, toolpath, random.between(0.15, 0.9))] }
    case 'layer_shift':
      return layerShift(random, toolpath, from)
    case 'warping':
      return warping(random, toolpath)
  }
}

function fallen(
  random: Random,
  toolpath: Toolpath,
  { from, length, flow }: Severity,
  bend: (point: Float64Array) => void,
  rise = 1,
): Strand {
  const heights = heightsOf(toolpath, pointAt(toolpath, from), bend)
  return growTangle(random, toolpath, heights, {
    from,
    length,
    flow,
    radius: random.between(0.2, 0.42),
    loops: random.spread(2.5, 15),
    rise: random.spread(1, 11) * rise,
    wander: random.spread(4, 45),
  })
}

/** Part of the bed that a print may slide or fall over: to where, and turned how. */
function detached(random: Random, toolpath: Toolpath, severity: Severity): Failure {
  const { from } = severity
  const upTo = pointAt(toolpath, from)
  const extent = extentOf({ ...toolpath, count: upTo + 1 })
  const move = toppling(random, extent)
  const strands = [fallen(random, toolpath, severity, (point) => move(point, 1))]
  const lastLayer = toolpath.layer[upTo] ?? 0
  return {
    ...NOTHING,
    kind: 'detached',
    from,
    stopsPart: true,
    strands,
    bend(point, layer, now) {
      if (now < from || layer > lastLayer) return false
      move(point, Math.min(1, (now - from) / 20))
      return true
    },
  }
}

/** A move that shoves a part aside, turns it, and tips it over its edge. */
function toppling(random: Random, { left, right, front, back }: Extent): (point: Float64Array, share: number) => void {
  const [middleX, middleY] = [(left + right) / 2, (front + back) / 2]
  const reach = Math.max(right - left, back - front) / 2
  const direction = random.between(0, 2 * Math.PI)
  const [toX, toY] = [Math.cos(direction), Math.sin(direction)]
  const shove = random.between(4, 55)
  const yaw = random.normal() * 0.5
  const tip = random.chance(0.45) ? 0 : random.chance(0.5) ? random.between(0.05, 0.4) : Math.PI / 2
  return (point, share) => {
    const turn = yaw * share
    const [x, y, z] = [(point[0] ?? 0) - middleX, (point[1] ?? 0) - middleY, point[2] ?? 0]
    const [tx, ty] = [x * Math.cos(turn) - y * Math.sin(turn), x * Math.sin(turn) + y * Math.cos(turn)]
    const along = tx * toX + ty * toY - reach
    const across = ty * toX - tx * toY
    const [cos, sin] = [Math.cos(tip * share), Math.sin(tip * share)]
    const out = reach + along * cos + z * sin + shove * share
    point[0] = middleX + out * toX - across * toY
    point[1] = middleY + out * toY + across * toX
    point[2] = z * cos - along * sin
  }
}

function layerShift(random: Random, toolpath: Toolpath, from: number): Failure {
  const shifted = toolpath.layer[pointAt(toolpath, from)] ?? 0
  const by = random.between(3, 22) * (random.chance(0.5) ? 1 : -1)
  const isAlongX = random.chance(0.5)
  return {
    ...NOTHING,
    kind: 'layer_shift',
    from,
    bend(point, layer) {
      if (layer < shifted) return false
      const axis = isAlongX ? 0 : 1
      point[axis] = (point[axis] ?? 0) + by
      return true
    },
  }
}

/** Corners that lift off the bed, the more the further they are from the middle and the higher the print has grown. */
function warping(random: Random, toolpath: Toolpath): Failure {
  const { left, right, front, back, top } = extentOf(toolpath)
  const [middleX, middleY] = [(left + right) / 2, (front + back) / 2]
  const half = Math.max(right - left, back - front) / 2
  const lift = random.between(2, 9)
  const side = random.chance(0.5) ? 0 : random.between(0, 6.3)
  const [toX, toY] = [Math.cos(side), Math.sin(side)]
  const whole = durationOf(toolpath)
  return {
    ...NOTHING,
    kind: 'warping',
    from: 0,
    bend(point, _layer, now) {
      const [x, y, z] = [(point[0] ?? 0) - middleX, (point[1] ?? 0) - middleY, point[2] ?? 0]
      const away = side === 0 ? Math.hypot(x, y) : Math.max(0, x * toX + y * toY)
      const raised =
        lift *
        Math.min(1, now / whole + 0.3) *
        Math.min(1.5, away / half) ** 2.5 *
        Math.max(0, 1 - z / Math.max(top, 12))
      point[2] = z + raised
      return raised > 0.8
    },
  }
}
