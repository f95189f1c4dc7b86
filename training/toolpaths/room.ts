import { type Bed, TEXELS_PER_MM } from './bed.js'
import type { Camera } from './camera.js'
import { type Canvas, SHOWN } from './canvas.js'
import { type Colour, fromHue, grey, mixed, scaled } from './colours.js'
import type { Light } from './light.js'
import type { Random } from './random.js'
import type { Shadow } from './shadow.js'
import type { Place } from './toolpath.js'

/** The walls around a printer: an enclosure close by, or a room. */
export interface Room {
  readonly low: Place
  readonly high: Place
  /** Left, right, front, back, floor, ceiling. */
  readonly faces: readonly Colour[]
  /** How strongly the walls are patterned. */
  readonly pattern: number
  readonly isEnclosure: boolean
}

const PATTERN = 64

export function makeRoom(random: Random, bed: Bed): Room {
  const isEnclosure = random.chance(0.55)
  const wall = random.chance(0.75)
    ? grey(isEnclosure ? random.between(0.03, 0.5) : random.between(0.15, 0.8))
    : fromHue(random.next(), random.between(0.1, 0.5), random.between(0.15, 0.7))
  const faces = Array.from({ length: 6 }, () => mixed(wall, grey(random.between(0.02, 0.8)), random.between(0, 0.5)))
  const away = (near: number, far: number): number =>
    isEnclosure ? random.between(near, near * 2) : random.between(far, far * 3)
  return {
    low: { x: -away(35, 400), y: -away(40, 500), z: -away(25, 60) },
    high: { x: bed.width + away(35, 400), y: bed.depth + away(40, 150), z: away(260, 700) },
    faces,
    pattern: random.between(0.02, 0.35),
    isEnclosure,
  }
}

/** Soft patches of light and dark that walls are patterned with. */
export function makePattern(random: Random): Float32Array {
  const coarse = Float32Array.from({ length: 64 }, () => random.between(-1, 1))
  return Float32Array.from({ length: PATTERN * PATTERN }, (_, i) => {
    const [x, y] = [(i % PATTERN) / 8, Math.floor(i / PATTERN) / 8]
    const [x0, y0] = [Math.floor(x), Math.floor(y)]
    const at = (column: number, row: number): number => coarse[(row % 8) * 8 + (column % 8)] ?? 0
    const [fx, fy] = [x - x0, y - y0]
    return (
      (at(x0, y0) * (1 - fx) + at(x0 + 1, y0) * fx) * (1 - fy) +
      (at(x0, y0 + 1) * (1 - fx) + at(x0 + 1, y0 + 1) * fx) * fy
    )
  })
}

/** What surrounds a print, as one light falls on it. */
export interface Surroundings {
  readonly bed: Bed
  readonly room: Room
  readonly pattern: Float32Array
  readonly light: Light
  readonly shadow: Shadow
  /** How far the bed has moved within the room. */
  readonly offset: Place
}

/** Fills a canvas with the room and the bed. */
export function drawSurroundings(canvas: Canvas, camera: Camera, surroundings: Surroundings): void {
  const { bed, light, shadow } = surroundings
  const { x: atX, y: atY, z: atZ } = camera.at
  const { texels, columns, gloss } = bed
  const [lampRed, lampGreen, lampBlue] = scaled(light.lamp, light.towards.z)
  const [aroundRed, aroundGreen, aroundBlue] = light.around
  const wallAt = wallsOf(surroundings, camera.at)
  const ray = new Float64Array(3)
  const out = canvas.light
  for (let row = 0, pixel = 0; row < canvas.height; row++) {
    for (let column = 0; column < canvas.width; column++, pixel++) {
      camera.ray(column, row, ray)
      const dx = ray[0] ?? 0
      const dy = ray[1] ?? 0
      const dz = ray[2] ?? 0
      const far = dz < 0 ? -atZ / dz : -1
      const x = atX + far * dx
      const y = atY + far * dy
      if (far <= 0 || x < 0 || y < 0 || x >= bed.width || y >= bed.depth) {
        // Walls are smooth: every second pixel takes what is left of it.
        if ((column & 1) === 0 || canvas.shows[pixel - 1] !== SHOWN.room) wallAt(dx, dy, dz, out, pixel * 3)
        else {
          out[pixel * 3] = out[pixel * 3 - 3] ?? 0
          out[pixel * 3 + 1] = out[pixel * 3 - 2] ?? 0
          out[pixel * 3 + 2] = out[pixel * 3 - 1] ?? 0
        }
        canvas.depth[pixel] = Infinity
        canvas.shows[pixel] = SHOWN.room
        continue
      }
      const texel = (((y * TEXELS_PER_MM) | 0) * columns + ((x * TEXELS_PER_MM) | 0)) * 3
      const open = shadow.at(x, y)
      const shine = gloss > 0.01 ? glare(light, gloss, dx, dy, dz) * open : 0
      out[pixel * 3] = (texels[texel] ?? 0) * (lampRed * open + aroundRed) + shine * light.lamp[0]
      out[pixel * 3 + 1] = (texels[texel + 1] ?? 0) * (lampGreen * open + aroundGreen) + shine * light.lamp[1]
      out[pixel * 3 + 2] = (texels[texel + 2] ?? 0) * (lampBlue * open + aroundBlue) + shine * light.lamp[2]
      canvas.depth[pixel] = far
      canvas.shows[pixel] = SHOWN.bed
    }
  }
}

/** The lamp's image on the bed, blurred as the bed is rough; at flat angles the walls' too. */
function glare(light: Light, gloss: number, dx: number, dy: number, dz: number): number {
  const { towards } = light
  const scale = 1 / Math.sqrt(dx * dx + dy * dy + dz * dz)
  const along = (dx * towards.x + dy * towards.y - dz * towards.z) * scale
  const flat = 1 + dz * scale
  const sharp = along > 0.8 ? ((along - 0.8) * 5) ** (4 + gloss * 30) : 0
  return gloss * (light.glare * sharp + flat * flat * flat * 0.25)
}

type WallAt = (dx: number, dy: number, dz: number, out: Float32Array, to: number) => void

/** The light of the wall that a ray from a place inside of the room meets. */
function wallsOf({ room, pattern, light, offset }: Surroundings, at: Place): WallAt {
  const x = at.x + offset.x
  const y = at.y + offset.y
  const z = at.z + offset.z
  const { low, high } = room
  const { towards } = light
  const scale = room.isEnclosure ? 0.25 : 0.08
  const facing = [towards.x, -towards.x, towards.y, -towards.y, towards.z, 0]
  const tones = Float32Array.from(
    room.faces.flatMap((colour, face) =>
      colour.map(
        (tone, i) =>
          tone * ((light.lamp[i] ?? 0) * (Math.max(0, facing[face] ?? 0) * 0.7 + 0.1) + (light.around[i] ?? 0)),
      ),
    ),
  )
  return (dx, dy, dz, out, to) => {
    const toX = dx > 0 ? (high.x - x) / dx : (low.x - x) / dx
    const toY = dy > 0 ? (high.y - y) / dy : (low.y - y) / dy
    const toZ = dz > 0 ? (high.z - z) / dz : (low.z - z) / dz
    const far = toX < toY ? (toX < toZ ? toX : toZ) : toY < toZ ? toY : toZ
    const face = far === toX ? (dx > 0 ? 1 : 0) : far === toY ? (dy > 0 ? 3 : 2) : dz > 0 ? 5 : 4
    const hz = z + far * dz
    const u = face < 2 ? y + far * dy : x + far * dx
    const v = face < 4 ? hz : y + far * dy
    const patch = pattern[((v * scale + 99968) & (PATTERN - 1)) * PATTERN + ((u * scale + 99968) & (PATTERN - 1))] ?? 0
    const height = (hz + 30) / 200
    const shade = (1 + patch * room.pattern) * (0.7 + 0.3 * (height < 0 ? 0 : height > 1 ? 1 : height))
    out[to] = (tones[face * 3] ?? 0) * shade
    out[to + 1] = (tones[face * 3 + 1] ?? 0) * shade
    out[to + 2] = (tones[face * 3 + 2] ?? 0) * shade
  }
}
