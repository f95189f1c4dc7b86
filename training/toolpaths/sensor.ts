import type { Canvas } from './canvas.js'
import type { Random } from './random.js'

/** What a camera makes of the light. */
export interface Sensor {
  /** How far a point is spread, in pixels. */
  readonly blur: number
  /** How far the picture moved while it was taken, in pixels along rows; 0 for none. */
  readonly smear: number
  /** Noise of one pixel, of 255, in good light. */
  readonly noise: number
  /** How bright the picture comes out: 1 is as it should be. */
  readonly exposure: number
  /** Gains of red, green, blue. */
  readonly balance: readonly [number, number, number]
  readonly saturation: number
  readonly contrast: number
  /** How much darker the corners are, 0 to 1. */
  readonly vignette: number
  /** JPEG quality. */
  readonly quality: number
}

export function makeSensor(random: Random): Sensor {
  const isGood = random.chance(0.5)
  return {
    blur: isGood ? random.between(0.3, 0.8) : random.spread(0.6, 2.6),
    smear: random.chance(0.08) ? random.between(2, 7) : 0,
    noise: random.spread(0.8, 7),
    exposure: random.between(0.65, 1.35),
    balance: [random.between(0.88, 1.12), 1, random.between(0.86, 1.14)],
    saturation: random.between(0.6, 1.25),
    contrast: random.between(0.9, 1.5),
    vignette: random.between(0, 0.45),
    quality: Math.round(random.between(45, 92)),
  }
}

const MEAN_WANTED = 0.2
/** Cameras brighten dark scenes, up to here. */
const MOST_GAIN = 5
const CURVE_STEPS = 4096
const CURVE_END = 4
const NOISE_VALUES = 1 << 16

/** Mean of red, green and blue over every 16th pixel. */
function meanLight({ light }: Canvas): number {
  let [sum, count] = [0, 0]
  for (let i = 0; i < light.length; i += 48) {
    sum += Math.min(1.5, ((light[i] ?? 0) + (light[i + 1] ?? 0) + (light[i + 2] ?? 0)) / 3)
    count++
  }
  return sum / Math.max(1, count)
}

/** One pass of a moving mean along rows (`step` 3) or columns (`step` 3 times the width). */
function smooth(
  from: Float32Array,
  to: Float32Array,
  lines: number,
  lineStep: number,
  length: number,
  step: number,
  radius: number,
): void {
  const scale = 1 / (2 * radius + 1)
  for (let line = 0; line < lines; line++) {
    for (let channel = 0; channel < 3; channel++) {
      const start = line * lineStep + channel
      const end = start + (length - 1) * step
      let sum = (from[start] ?? 0) * (radius + 1)
      for (let i = 1; i <= radius; i++) sum += from[Math.min(end, start + i * step)] ?? 0
      for (let i = 0, at = start; i < length; i++, at += step) {
        to[at] = sum * scale
        sum += (from[Math.min(end, at + (radius + 1) * step)] ?? 0) - (from[Math.max(start, at - radius * step)] ?? 0)
      }
    }
  }
}

/** A weighted mean of three neighbours: blurs of less than a pixel. `share` is the weight of both neighbours together. */
function soften(
  light: Float32Array,
  lines: number,
  lineStep: number,
  length: number,
  step: number,
  share: number,
): void {
  const side = share / 2
  for (let line = 0; line < lines; line++) {
    for (let channel = 0; channel < 3; channel++) {
      let at = line * lineStep + channel
      let last = light[at] ?? 0
      for (let i = 0; i < length; i++, at += step) {
        const here = light[at] ?? 0
        const next = i + 1 < length ? (light[at + step] ?? 0) : here
        light[at] = here * (1 - share) + (last + next) * side
        last = here
      }
    }
  }
}

function blurred(canvas: Canvas, sensor: Sensor): Float32Array {
  const { width, height, light } = canvas
  const row = width * 3
  const spare = new Float32Array(light.length)
  const radius = Math.floor(sensor.blur)
  for (let pass = 0; pass < (radius > 0 ? 2 : 0); pass++) {
    smooth(light, spare, height, row, width, 3, radius)
    smooth(spare, light, width, 3, height, row, radius)
  }
  const share = Math.min(0.66, sensor.blur * 0.6)
  soften(light, height, row, width, 3, share)
  soften(light, width, 3, height, row, share)
  if (sensor.smear < 1) return light
  smooth(light, spare, height, row, width, 3, Math.round(sensor.smear / 2))
  return spare
}

/** From light to a byte: gamma, with bright parts eased towards white. */
function toneCurve(contrast: number): Uint8Array {
  return Uint8Array.from({ length: CURVE_STEPS + 1 }, (_, i) => {
    const light = (i / CURVE_STEPS) * CURVE_END
    const eased = light < 0.7 ? light : 0.7 + 0.3 * (1 - Math.exp(-(light - 0.7) / 0.3))
    const shown = eased ** (1 / 2.2)
    return Math.round(255 * Math.min(1, Math.max(0, 0.46 + (shown - 0.46) * contrast)))
  })
}

/** The picture that a camera takes of a canvas: red, green, blue bytes. The canvas's light is used up. */
export function takePicture(canvas: Canvas, sensor: Sensor, random: Random, isInfrared: boolean): Uint8Array {
  const { width, height } = canvas
  const gain = Math.min(MOST_GAIN, MEAN_WANTED / Math.max(1e-4, meanLight(canvas))) ** 0.75 * sensor.exposure
  const light = blurred(canvas, sensor)
  const curve = toneCurve(sensor.contrast)
  const grain = Float32Array.from({ length: 4099 }, () => random.normal())
  const noise = sensor.noise * Math.max(0.7, Math.sqrt(gain))
  const saturation = isInfrared ? 0 : sensor.saturation
  const [redGain, greenGain, blueGain] = sensor.balance.map(
    (balance) => balance * gain * (CURVE_STEPS / CURVE_END),
  ) as [number, number, number]
  const picture = new Uint8ClampedArray(width * height * 3)
  const corner = (sensor.vignette / (width * width + height * height)) * 4
  let dice = Math.floor(random.next() * NOISE_VALUES)
  for (let y = 0, at = 0; y < height; y++) {
    const dy = y - height / 2
    for (let x = 0; x < width; x++, at += 3) {
      const dx = x - width / 2
      const shade = 1 - corner * (dx * dx + dy * dy)
      const red = curve[Math.min(CURVE_STEPS, ((light[at] ?? 0) * redGain * shade) | 0)] ?? 0
      const green = curve[Math.min(CURVE_STEPS, ((light[at + 1] ?? 0) * greenGain * shade) | 0)] ?? 0
      const blue = curve[Math.min(CURVE_STEPS, ((light[at + 2] ?? 0) * blueGain * shade) | 0)] ?? 0
      const mean = red * 0.3 + green * 0.59 + blue * 0.11
      dice = (Math.imul(dice, 1664525) + 1013904223) >>> 0
      const jitter = (grain[dice % 4099] ?? 0) * noise
      const tint = (grain[(dice >>> 9) % 4099] ?? 0) * noise * 0.4 * saturation
      picture[at] = mean + (red - mean) * saturation + jitter + tint
      picture[at + 1] = mean + (green - mean) * saturation + jitter
      picture[at + 2] = mean + (blue - mean) * saturation + jitter - tint
    }
  }
  return new Uint8Array(picture.buffer)
}
