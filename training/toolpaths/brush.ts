import type { Camera } from './camera.js'
import { type Canvas, makePaint, type Paint, SHOWN, type Spot } from './canvas.js'
import type { Colour } from './colours.js'
import type { Light } from './light.js'
import type { Place } from './toolpath.js'

/** How a thing looks. */
export interface Surface {
  readonly colour: Colour
  /** How strongly it shines where the lamp is mirrored, 0 to 1. */
  readonly gloss: number
  /** One of `SHOWN`. */
  readonly shows: number
}

/** Whoever puts up a camera puts it where no bar or cable hides everything: nearer ones than this are not there. */
const NEAREST_MACHINE = 90

const spot = (): Spot => ({ x: 0, y: 0, depth: 0 })

/** Draws lit things of space into a canvas. All lengths in millimetres. */
export class Brush {
  readonly paint: Paint = makePaint()
  readonly #into = new Float64Array(3)
  readonly #from = spot()
  readonly #to = spot()
  readonly #third = spot()

  constructor(
    readonly canvas: Canvas,
    readonly camera: Camera,
    readonly light: Light,
    /** What is added to every place: machines stand elsewhere than the bed that moves in them. */
    readonly shift: Place = { x: 0, y: 0, z: 0 },
  ) {}

  /** A brush on the same canvas for what stands elsewhere. */
  shifted(shift: Place): Brush {
    return new Brush(this.canvas, this.camera, this.light, shift)
  }

  /** Where a place is in the picture; false when it is behind the camera. */
  spotOf(x: number, y: number, z: number, into: Spot): boolean {
    const { shift } = this
    if (!this.camera.project(x + shift.x, y + shift.y, z + shift.z, this.#into)) return false
    into.x = this.#into[0] ?? 0
    into.y = this.#into[1] ?? 0
    into.depth = this.#into[2] ?? 0
    return true
  }

  /** Sets the paint for a surface that faces along (nx, ny, nz), of length 1, seen along (vx, vy, vz). `open` dims it. */
  lit(surface: Surface, nx: number, ny: number, nz: number, vx: number, vy: number, vz: number, open: number): void {
    const { towards, lamp, around } = this.light
    const facing = nx * towards.x + ny * towards.y + nz * towards.z
    const direct = (facing > 0 ? facing * 0.85 : 0) + 0.15 * (facing + 1)
    const soft = 0.7 + 0.3 * nz
    const mirrored = -(
      vx * (towards.x - 2 * facing * nx) +
      vy * (towards.y - 2 * facing * ny) +
      vz * (towards.z - 2 * facing * nz)
    )
    const shine = mirrored < -0.6 ? surface.gloss * ((-mirrored - 0.6) * 2.5) ** 6 : 0
    const { paint } = this
    const { colour } = surface
    paint.red = colour[0] * open * (lamp[0] * direct + around[0] * soft) + shine * lamp[0] * open
    paint.green = colour[1] * open * (lamp[1] * direct + around[1] * soft) + shine * lamp[1] * open
    paint.blue = colour[2] * open * (lamp[2] * direct + around[2] * soft) + shine * lamp[2] * open
    paint.shows = surface.shows
  }

  /** A round bar from `a` to `b`; long ones in pieces, so that a wide lens bends them. */
  bar(a: Place, b: Place, radius: number, surface: Surface, radiusB = radius): void {
    const length = Math.hypot(b.x - a.x, b.y - a.y, b.z - a.z)
    const pieces = Math.max(1, Math.ceil(length / 25))
    let [x, y, z] = [a.x, a.y, a.z]
    for (let i = 1; i <= pieces; i++) {
      const share = i / pieces
      const [tx, ty, tz] = [a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share, a.z + (b.z - a.z) * share]
      const begin = radius + (radiusB - radius) * ((i - 1) / pieces)
      this.line(x, y, z, tx, ty, tz, begin, radius + (radiusB - radius) * share, surface, 1, false)
      ;[x, y, z] = [tx, ty, tz]
    }
  }

  /** One straight round line. `isWall`: lies between others above and below, so that only its side is seen. */
  line(
    ax: number,
    ay: number,
    az: number,
    bx: number,
    by: number,
    bz: number,
    radiusA: number,
    radiusB: number,
    surface: Surface,
    open: number,
    isWall: boolean,
  ): void {
    if (!this.spotOf(ax, ay, az, this.#from) || !this.spotOf(bx, by, bz, this.#to)) return
    if (surface.shows === SHOWN.machine && Math.min(this.#from.depth, this.#to.depth) < NEAREST_MACHINE) return
    const { at, focal } = this.camera
    const dx = bx - ax
    const dy = by - ay
    const dz = bz - az
    const length = Math.sqrt(dx * dx + dy * dy + dz * dz) || 1
    let vx = ax + this.shift.x - at.x
    let vy = ay + this.shift.y - at.y
    let vz = az + this.shift.z - at.z
    const far = Math.sqrt(vx * vx + vy * vy + vz * vz) || 1
    vx /= far
    vy /= far
    vz /= far
    const along = (vx * dx + vy * dy + vz * dz) / (length * length)
    let nx = along * dx - vx
    let ny = along * dy - vy
    let nz = along * dz - vz
    if (isWall) nz *= 0.35
    const size = Math.sqrt(nx * nx + ny * ny + nz * nz) || 1
    nx /= size
    ny /= size
    nz /= size
    this.lit(surface, nx, ny, nz, vx, vy, vz, open)
    const { depth } = this.#from
    const toDepth = this.#to.depth
    this.canvas.line(
      this.#from,
      (radiusA * focal) / depth,
      this.#to,
      (radiusB * focal) / toDepth,
      Math.max(radiusA, radiusB),
      this.paint,
    )
  }

  /** A box along the axes; without its top where something flat lies on it. */
  box(low: Place, high: Place, surface: Surface, hasTop = true): void {
    const { x: x0, y: y0, z: z0 } = low
    const { x: x1, y: y1, z: z1 } = high
    this.#face([x0, y0, z0], [x1, y0, z0], [x0, y0, z1], [0, -1, 0], surface)
    this.#face([x0, y1, z0], [x1, y1, z0], [x0, y1, z1], [0, 1, 0], surface)
    this.#face([x0, y0, z0], [x0, y1, z0], [x0, y0, z1], [-1, 0, 0], surface)
    this.#face([x1, y0, z0], [x1, y1, z0], [x1, y0, z1], [1, 0, 0], surface)
    if (hasTop) this.#face([x0, y0, z1], [x1, y0, z1], [x0, y1, z1], [0, 0, 1], surface)
    this.#face([x0, y0, z0], [x1, y0, z0], [x0, y1, z0], [0, 0, -1], surface)
  }

  /** A flat face: a corner and its two neighbours. In pieces where it is long. */
  #face(a: Corner, b: Corner, d: Corner, normal: Corner, surface: Surface): void {
    const { at } = this.camera
    const [px, py, pz] = [a[0] + this.shift.x - at.x, a[1] + this.shift.y - at.y, a[2] + this.shift.z - at.z]
    if (px * normal[0] + py * normal[1] + pz * normal[2] >= 0) return
    const far = Math.hypot(px, py, pz) || 1
    this.lit(surface, normal[0], normal[1], normal[2], px / far, py / far, pz / far, 1)
    const across = Math.min(12, Math.ceil(distance(a, b) / 40))
    const down = Math.min(12, Math.ceil(distance(a, d) / 40))
    for (let i = 0; i < across; i++) {
      for (let n = 0; n < down; n++) {
        const corner = (u: number, v: number): Corner =>
          [0, 1, 2].map(
            (k) => (a[k] ?? 0) + ((b[k] ?? 0) - (a[k] ?? 0)) * u + ((d[k] ?? 0) - (a[k] ?? 0)) * v,
          ) as unknown as Corner
        const [u0, u1, v0, v1] = [i / across, (i + 1) / across, n / down, (n + 1) / down]
        this.#triangle(corner(u0, v0), corner(u1, v0), corner(u1, v1))
        this.#triangle(corner(u0, v0), corner(u1, v1), corner(u0, v1))
      }
    }
  }

  #triangle(a: Corner, b: Corner, c: Corner): void {
    if (!this.spotOf(...a, this.#from) || !this.spotOf(...b, this.#to) || !this.spotOf(...c, this.#third)) return
    this.canvas.triangle(this.#from, this.#to, this.#third, this.paint)
  }
}

type Corner = readonly [number, number, number]

function distance(a: Corner, b: Corner): number {
  return Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2])
}

/** A surface of the machine. */
export function machineSurface(colour: Colour, gloss = 0.15): Surface {
  return { colour, gloss, shows: SHOWN.machine }
}
