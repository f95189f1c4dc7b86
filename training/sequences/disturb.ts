import sharp from 'sharp'
import { makeRandom, type Random } from './random.js'

// What happens to a camera's picture while nothing happens to the print, done to real photos: how far the model's score moves
// then is measured, not assumed.

/**
 * jitter: noise, compression, a pixel of shake. wander: daylight and white balance, slowly. exposure: a jump of the automatic
 * exposure. lamp: the lamp goes off or another one on. head: the head and its gantry pass in front. hand: an arm reaches in.
 */
export const DISTURBANCES = { jitter: 3, wander: 2, exposure: 1, lamp: 1, head: 2, hand: 1 } as const
export type Disturbance = keyof typeof DISTURBANCES

interface Light {
  readonly gain: number
  readonly gamma: number
  /** Red over blue. */
  readonly warmth: number
  readonly noise: number
}

const WIDTH = 640
const HEIGHT = 480
export const DISTURBED_SIZE = [WIDTH, HEIGHT] as const

function lightOf(kind: Disturbance, random: Random): Light {
  const calm = { gain: 1 + 0.03 * random.normal(), gamma: 1, warmth: 1, noise: random.range(2, 5) }
  if (kind === 'wander') {
    return { ...calm, gain: random.range(0.72, 1.28), gamma: random.range(0.85, 1.2), warmth: random.range(0.9, 1.12) }
  }
  if (kind === 'exposure') return { ...calm, gain: random.pick([0.45, 0.6, 1.6, 2]), gamma: random.range(0.8, 1.25) }
  if (kind === 'lamp')
    return { ...calm, gain: random.pick([0.2, 0.3, 0.45]), warmth: random.range(0.8, 1.4), noise: 12 }
  return calm
}

function applyLight(data: Buffer, light: Light, random: Random): void {
  const { gain, gamma, warmth, noise } = light
  const tables = [Math.sqrt(warmth), 1, 1 / Math.sqrt(warmth)].map((colour) =>
    Float32Array.from({ length: 256 }, (_, value) => 255 * Math.min(1, gain * colour * (value / 255) ** gamma)),
  )
  // The sum of two even chances is near enough to a normal one, and quick.
  for (let i = 0; i < data.length; i++) {
    const value = (tables[i % 3]?.[data[i] ?? 0] ?? 0) + (random.next() + random.next() - 1) * 2.4 * noise
    data[i] = Math.max(0, Math.min(255, value))
  }
}

function headSvg(random: Random): string {
  const [x, y] = [random.range(0.1, 0.75) * WIDTH, random.range(0.05, 0.45) * HEIGHT]
  const [w, h] = [random.range(0.1, 0.2) * WIDTH, random.range(0.2, 0.35) * HEIGHT]
  const dark = Math.round(random.range(20, 60))
  const grey = `rgb(${dark},${dark},${dark + 6})`
  return `<rect x="0" y="${y + h * 0.2}" width="${WIDTH}" height="${h * 0.16}" fill="rgb(${dark + 60},${dark + 60},${dark + 64})"/>
    <rect x="${x}" y="${y}" width="${w}" height="${h}" rx="6" fill="${grey}"/>
    <circle cx="${x + w / 2}" cy="${y + h * 0.4}" r="${w * 0.3}" fill="rgb(${dark + 30},${dark + 30},${dark + 30})"/>
    <path d="M${x + w * 0.42} ${y + h} l${w * 0.08} ${h * 0.16} l${w * 0.08} ${-h * 0.16} z" fill="#b08d57"/>
    <path d="M${x + w * 0.8} ${y} q${w * 0.6} ${-h * 0.5} ${w} ${-h}" stroke="#181818" stroke-width="5" fill="none"/>`
}

function handSvg(random: Random): string {
  const [x, y] = [random.range(0.2, 0.8) * WIDTH, random.range(0.3, 0.8) * HEIGHT]
  const from = random.pick([-40, WIDTH + 40])
  const thick = random.range(50, 95)
  const skin = random.pick(['#e0b090', '#c58c66', '#8d5a3b', '#f0c8ac', '#5b3a29'])
  const fingers = [0, 1, 2, 3].map((i) => {
    const [fx, fy] = [x + Math.sign(x - from) * thick * 0.9, y + (i - 1.5) * thick * 0.28]
    return `<path d="M${x} ${y} L${fx} ${fy}" stroke="${skin}" stroke-width="${thick * 0.2}" stroke-linecap="round"/>`
  })
  return `<g filter="url(#blur)"><path d="M${from} ${HEIGHT} L${x} ${y}" stroke="#34495e" stroke-width="${thick * 1.2}"/>
    <path d="M${from + (x - from) * 0.55} ${HEIGHT + (y - HEIGHT) * 0.55} L${x} ${y}" stroke="${skin}" stroke-width="${thick * 0.75}" stroke-linecap="round"/>
    ${fingers.join('')}</g>`
}

function overlay(kind: Disturbance, random: Random): Buffer | undefined {
  if (kind !== 'head' && kind !== 'hand') return undefined
  const shapes = kind === 'head' ? headSvg(random) : handSvg(random)
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><filter id="blur"><feGaussianBlur stdDeviation="2"/></filter>${shapes}</svg>`,
  )
}

/** The photo as a camera of 640 by 480 pixels would give it under a disturbance; the same words, the same picture. */
export async function disturbed(photo: Buffer, kind: Disturbance, ...seed: (string | number)[]): Promise<Buffer> {
  const random = makeRandom(kind, ...seed)
  const [dx, dy] = [random.below(5), random.below(5)]
  const over = overlay(kind, random)
  const base = sharp(photo)
    .autoOrient()
    .removeAlpha()
    .resize(WIDTH + 4, HEIGHT + 4, { fit: 'fill' })
    .extract({ left: dx, top: dy, width: WIDTH, height: HEIGHT })
  const shown =
    over === undefined ? base : sharp(await base.png({ compressionLevel: 0 }).toBuffer()).composite([{ input: over }])
  const { data } = await shown.toColourspace('srgb').removeAlpha().raw().toBuffer({ resolveWithObject: true })
  applyLight(data, lightOf(kind, random), random)
  return sharp(data, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .jpeg({ quality: Math.round(random.range(60, 88)) })
    .toBuffer()
}
