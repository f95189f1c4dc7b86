import type { Random } from './random.js'

/** Red, green and blue, 0 to 1, as a surface gives back white light. */
export type Colour = readonly [number, number, number]

export function grey(value: number): Colour {
  return [value, value, value]
}

export function scaled([red, green, blue]: Colour, by: number): Colour {
  return [red * by, green * by, blue * by]
}

export function mixed(a: Colour, b: Colour, share: number): Colour {
  return [a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share, a[2] + (b[2] - a[2]) * share]
}

/** A colour by hue (0 to 1), saturation and value. */
export function fromHue(hue: number, saturation: number, value: number): Colour {
  const at = (n: number): number => {
    const k = (n + hue * 6) % 6
    return value - value * saturation * Math.max(0, Math.min(k, 4 - k, 1))
  }
  return [at(5), at(3), at(1)]
}

const FILAMENTS: readonly Colour[] = [
  [0.03, 0.03, 0.035],
  [0.05, 0.05, 0.055],
  [0.85, 0.85, 0.83],
  [0.92, 0.9, 0.85],
  [0.45, 0.46, 0.48],
  [0.25, 0.26, 0.28],
  [0.85, 0.28, 0.04],
  [0.7, 0.05, 0.05],
  [0.05, 0.18, 0.6],
  [0.1, 0.45, 0.75],
  [0.08, 0.45, 0.15],
  [0.55, 0.8, 0.2],
  [0.9, 0.75, 0.1],
  [0.75, 0.6, 0.42],
  [0.6, 0.6, 0.62],
  [0.4, 0.12, 0.5],
  [0.9, 0.5, 0.6],
]

export function filamentColour(random: Random): Colour {
  if (random.chance(0.25)) return fromHue(random.next(), random.between(0.2, 0.95), random.between(0.1, 0.9))
  return random.pick(FILAMENTS)
}

/** Paints of machines: black, grey, silver, and now and then a colour. */
export function machineColour(random: Random): Colour {
  if (random.chance(0.25)) return fromHue(random.next(), random.between(0.5, 1), random.between(0.25, 0.8))
  return random.chance(0.65) ? grey(random.between(0.02, 0.12)) : grey(random.between(0.3, 0.7))
}
