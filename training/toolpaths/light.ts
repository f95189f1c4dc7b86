import type { Colour } from './colours.js'
import type { Random } from './random.js'
import type { Place } from './toolpath.js'

/** The light in and around a printer. */
export interface Light {
  /** Direction towards the lamp, of length 1. */
  readonly towards: Place
  readonly lamp: Colour
  /** What comes from everywhere. */
  readonly around: Colour
  /** How bright the lamp's image is on what is glossy. */
  readonly glare: number
  /** Whether the camera sees in infrared: all is grey. */
  readonly isInfrared: boolean
}

export const LIGHTS = ['day', 'lamp', 'side', 'dark', 'red', 'warm', 'cold', 'coloured', 'infrared'] as const
export type LightName = (typeof LIGHTS)[number]

const COLOURS: Record<LightName, readonly [lamp: Colour, around: Colour]> = {
  day: [
    [0.7, 0.68, 0.62],
    [0.5, 0.54, 0.62],
  ],
  lamp: [
    [1.1, 1.08, 1],
    [0.18, 0.18, 0.19],
  ],
  side: [
    [1.3, 1.25, 1.15],
    [0.1, 0.1, 0.12],
  ],
  dark: [
    [0.14, 0.13, 0.12],
    [0.045, 0.045, 0.055],
  ],
  red: [
    [0.95, 0.07, 0.05],
    [0.2, 0.02, 0.02],
  ],
  warm: [
    [1, 0.68, 0.36],
    [0.26, 0.2, 0.13],
  ],
  cold: [
    [0.75, 0.92, 1.15],
    [0.2, 0.25, 0.33],
  ],
  coloured: [
    [0.5, 0.2, 0.9],
    [0.14, 0.1, 0.22],
  ],
  infrared: [
    [0.9, 0.9, 0.9],
    [0.16, 0.16, 0.16],
  ],
}

/** How often each light is found. */
const COMMON: readonly LightName[] = [
  'day',
  'day',
  'day',
  'lamp',
  'lamp',
  'lamp',
  'lamp',
  'side',
  'side',
  'dark',
  'dark',
  'red',
  'warm',
  'warm',
  'cold',
  'cold',
  'infrared',
]

export function commonLight(random: Random): LightName {
  return random.pick(COMMON)
}

export function makeLight(name: LightName, random: Random): Light {
  const [lamp, around] = COLOURS[name]
  const angle = random.between(0, 6.3)
  const height = name === 'side' ? random.between(0.15, 0.6) : random.between(0.5, 2.5)
  const length = Math.hypot(1, height)
  const strength = random.between(0.75, 1.25)
  return {
    towards: { x: Math.cos(angle) / length, y: Math.sin(angle) / length, z: height / length },
    lamp: [lamp[0] * strength, lamp[1] * strength, lamp[2] * strength],
    around,
    glare: random.chance(0.4) ? random.between(0.3, 2) : random.between(0, 0.3),
    isInfrared: name === 'infrared',
  }
}
