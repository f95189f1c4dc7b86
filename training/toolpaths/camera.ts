import type { Place } from './toolpath.js'

/** A camera: where it stands, what it looks at, how wide it sees. Millimetres, degrees. */
export interface Pose {
  readonly at: Place
  readonly towards: Place
  /** The angle seen from left to right, degrees. */
  readonly view: number
  /** Barrel distortion: how much nearer to the middle a point at one focal length from it comes; 0 for none. */
  readonly barrel: number
  /** Turn about its own axis, degrees. */
  readonly roll: number
}

/** Points of space to points of a picture and back. */
export interface Camera {
  readonly width: number
  readonly height: number
  readonly at: Place
  /** Pixels for one millimetre at one millimetre's distance. */
  readonly focal: number
  /** Writes column, row and depth (millimetres along the axis) of a point to `into`; false when it is behind the camera. */
  project(x: number, y: number, z: number, into: Float64Array): boolean
  /** The direction from the camera through a pixel's middle, not of length 1; its part along the axis is 1. */
  ray(column: number, row: number, into: Float64Array): void
}

const NEAREST_MM = 4
const BARREL_STEPS = 512

/** Barrel distortion must not fold the picture over: beyond this, squared and in focal lengths, it grows no more. */
function farthest(barrel: number): number {
  return barrel <= 0 ? Infinity : 0.9 / (3 * barrel)
}

type Vector = readonly [number, number, number]

function normalised([x, y, z]: Vector): Vector {
  const length = Math.hypot(x, y, z) || 1
  return [x / length, y / length, z / length]
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

export function makeCamera(pose: Pose, width: number, height: number): Camera {
  const { at, towards, barrel } = pose
  const forward = normalised([towards.x - at.x, towards.y - at.y, towards.z - at.z])
  const isSteep = Math.abs(forward[2]) > 0.999
  const flat = normalised(cross(forward, isSteep ? [0, 1, 0] : [0, 0, 1]))
  const up = cross(flat, forward)
  const turn = (pose.roll * Math.PI) / 180
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
  const right = flat.map((value, i) => value * cos + (up[i] ?? 0) * sin) as unknown as Vector
  const down = flat.map((value, i) => value * sin - (up[i] ?? 0) * cos) as unknown as Vector
  const [forwardX, forwardY, forwardZ] = forward
  const [rightX, rightY, rightZ] = right
  const [downX, downY, downZ] = down
  const limit = farthest(barrel)
  const focal = width / 2 / Math.tan((pose.view * Math.PI) / 360)
  const [middleX, middleY] = [width / 2, height / 2]
  const unbent = unbendingTable(barrel, limit, Math.hypot(middleX, middleY) / focal)

  return {
    width,
    height,
    at,
    focal,
    project(x, y, z, into) {
      const dx = x - at.x
      const dy = y - at.y
      const dz = z - at.z
      const depth = dx * forwardX + dy * forwardY + dz * forwardZ
      if (depth < NEAREST_MM) return false
      const a = (dx * rightX + dy * rightY + dz * rightZ) / depth
      const b = (dx * downX + dy * downY + dz * downZ) / depth
      const bend = 1 - barrel * Math.min(limit, a * a + b * b)
      into[0] = middleX + focal * a * bend
      into[1] = middleY + focal * b * bend
      into[2] = depth
      return true
    },
    ray(column, row, into) {
      let a = (column + 0.5 - middleX) / focal
      let b = (row + 0.5 - middleY) / focal
      if (unbent !== undefined) {
        const grow = unbent(Math.sqrt(a * a + b * b))
        a *= grow
        b *= grow
      }
      into[0] = forwardX + a * rightX + b * downX
      into[1] = forwardY + a * rightY + b * downY
      into[2] = forwardZ + a * rightZ + b * downZ
    },
  }
}

/** From the distance to the middle as seen to the factor that undoes the distortion. */
function unbendingTable(barrel: number, limit: number, reach: number): ((seen: number) => number) | undefined {
  if (barrel <= 0) return undefined
  const table = Float32Array.from({ length: BARREL_STEPS + 2 }, (_, i) => {
    const seen = (i / BARREL_STEPS) * reach
    let real = seen
    for (let n = 0; n < 12; n++) real = seen / (1 - barrel * Math.min(limit, real * real))
    return seen === 0 ? 1 : real / seen
  })
  return (seen) => table[Math.min(BARREL_STEPS, Math.round((seen / reach) * BARREL_STEPS))] ?? 1
}
