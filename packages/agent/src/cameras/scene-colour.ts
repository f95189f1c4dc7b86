import type { Random } from './scene-random.js'

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number]

/** The filaments people print with most. */
const FILAMENTS: readonly [Colour, ...Colour[]] = [
  [226, 88, 24],
  [205, 32, 38],
  [232, 232, 226],
  [232, 232, 226],
  [38, 40, 44],
  [128, 132, 136],
  [28, 98, 190],
  [40, 140, 72],
  [240, 190, 36],
  [120, 60, 160],
  [30, 160, 170],
  [214, 172, 120],
  [232, 110, 150],
]

/** The colour of the filament on this printer. */
export function filamentColour(random: Random): Colour {
  const [r, g, b] = random.pick(FILAMENTS)
  const k = random.range(0.85, 1.08)
  return [r * k, g * k, b * k]
}

/** `colour` under `light` (1 = as it is); above 1 it turns towards white, as plastic does where a lamp is reflected. */
export function lit(colour: Colour, light: number): string {
  const over = Math.max(0, light - 1) * 150
  const bound = Math.min(light, 1)
  const part = (value: number): string =>
    Math.round(Math.min(255, Math.max(0, value * bound + over)))
      .toString(16)
      .padStart(2, '0')
  return `#${part(colour[0])}${part(colour[1])}${part(colour[2])}`
}

/** The colour between two colours. */
export function mix(a: Colour, b: Colour, t: number): Colour {
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t]
}
