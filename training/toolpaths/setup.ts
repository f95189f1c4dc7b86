import { type Bed, makeBed } from './bed.js'
import type { Pose } from './camera.js'
import { type Clutter, makeClutter } from './clutter.js'
import { type Colour, filamentColour, mixed } from './colours.js'
import { commonLight, type Light, LIGHTS, type LightName, makeLight } from './light.js'
import { type Machine, makeMachine } from './machine.js'
import type { Random } from './random.js'
import { makePattern, makeRoom, type Room } from './room.js'
import { makeSensor, type Sensor } from './sensor.js'
import type { Place } from './toolpath.js'

/** Where cameras are put. */
export const CAMERAS = ['front', 'corner', 'low', 'top', 'side', 'wide', 'close'] as const
export type CameraName = (typeof CAMERAS)[number]

/** All that stays as it is during a print. */
export interface Setup {
  readonly bed: Bed
  readonly room: Room
  readonly pattern: Float32Array
  readonly machine: Machine
  readonly clutter: Clutter
  readonly camera: CameraName
  readonly pose: Pose
  readonly lightName: LightName
  readonly light: Light
  readonly sensor: Sensor
  readonly filament: Colour
  readonly support: Colour
  readonly gloss: number
}

interface View {
  /** Degrees from straight in front, and above the bed. */
  readonly aside: readonly [number, number]
  readonly above: readonly [number, number]
  /** Millimetres from what it looks at. */
  readonly away: readonly [number, number]
  /** Degrees from left to right. */
  readonly view: readonly [number, number]
  readonly barrel: readonly [number, number]
}

const VIEWS: Record<CameraName, View> = {
  front: { aside: [-15, 15], above: [8, 40], away: [260, 460], view: [45, 70], barrel: [0, 0.05] },
  corner: { aside: [25, 55], above: [14, 40], away: [250, 450], view: [45, 75], barrel: [0, 0.08] },
  low: { aside: [-50, 50], above: [2, 12], away: [200, 380], view: [45, 75], barrel: [0, 0.06] },
  top: { aside: [-60, 60], above: [50, 80], away: [230, 380], view: [45, 75], barrel: [0, 0.08] },
  side: { aside: [60, 110], above: [10, 40], away: [240, 420], view: [45, 75], barrel: [0, 0.06] },
  wide: { aside: [-50, 50], above: [15, 50], away: [150, 260], view: [90, 125], barrel: [0.1, 0.22] },
  close: { aside: [-40, 40], above: [8, 45], away: [90, 190], view: [40, 65], barrel: [0, 0.06] },
}

/** A pose of this kind that looks at `towards`, in the machine. */
function makePose(name: CameraName, random: Random, towards: Place, room: Room): Pose {
  const { aside, above, away, view, barrel } = VIEWS[name]
  const mirrored = random.chance(0.5) ? 1 : -1
  const [turn, rise] = [
    (random.between(...aside) * mirrored * Math.PI) / 180,
    (random.between(...above) * Math.PI) / 180,
  ]
  const far = random.between(...away)
  const within = (low: number, value: number, high: number): number => Math.min(high - 8, Math.max(low + 8, value))
  return {
    at: {
      x: within(room.low.x, towards.x + Math.sin(turn) * Math.cos(rise) * far, room.high.x),
      y: within(room.low.y, towards.y - Math.cos(turn) * Math.cos(rise) * far, room.high.y),
      z: within(Math.max(room.low.z, 0), towards.z + Math.sin(rise) * far, room.high.z),
    },
    towards: {
      x: towards.x + random.normal() * far * 0.07,
      y: towards.y + random.normal() * far * 0.07,
      z: towards.z + random.normal() * far * 0.04,
    },
    view: random.between(...view),
    barrel: barrel[0] === 0 && random.chance(0.5) ? 0 : random.between(...barrel),
    roll: random.chance(0.06) ? 180 : random.normal() * 3,
  }
}

/** A printer in its surroundings. `height`: how high the print is to become, so that it is in view. */
export function makeSetup(
  random: Random,
  height: number,
  wanted: { readonly light?: LightName; readonly camera?: CameraName } = {},
): Setup {
  const bed = makeBed(random)
  const room = makeRoom(random, bed)
  const machine = makeMachine(random)
  const lightName = wanted.light ?? (random.chance(0.1) ? random.pick(LIGHTS) : commonLight(random))
  const camera = wanted.camera ?? random.pick(CAMERAS)
  const middle = machine.motion === 'lowering' ? -height * 0.25 : height * 0.35
  const filament = random.chance(0.12) ? likeBed(bed) : filamentColour(random)
  return {
    bed,
    room,
    pattern: makePattern(random),
    machine,
    clutter: makeClutter(random, bed, room),
    camera,
    pose: makePose(camera, random, { x: bed.width / 2, y: bed.depth / 2, z: middle }, room),
    lightName,
    light: makeLight(lightName, random),
    sensor: makeSensor(random),
    filament,
    support: random.chance(0.8) ? filament : mixed(filament, filamentColour(random), 0.6),
    gloss: random.chance(0.25) ? random.between(0.5, 1) : random.between(0.05, 0.35),
  }
}

/** Filament of the bed's own colour. */
function likeBed({ texels }: Bed): Colour {
  return [texels[0] ?? 0, texels[1] ?? 0, texels[2] ?? 0]
}
