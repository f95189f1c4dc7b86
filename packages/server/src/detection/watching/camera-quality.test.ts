import sharp, { type Sharp } from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { NEW_QUALITY, type QualityState } from '../../printers/watch-state.js'
import { judgePicture } from './camera-quality.js'
import { checkPicture } from '../service/check-picture-flow.js'
import type { Thumbnail } from './thumbnail.js'

// Real JPEGs: a scene with a bed, a part and a head that moves, and the noise of a camera's sensor, drawn and encoded anew each time.

const SIZE = { width: 640, height: 480 }
let noise = 1

/** A repeatable random number, 0 to 1. */
function random(): number {
  noise = (noise * 16_807) % 2_147_483_647
  return noise / 2_147_483_647
}

function scene(headX: number, { width, height } = SIZE): Sharp {
  const lines = Array.from({ length: 12 }, (_, row) => `<path d="M60 ${250 + row * 14}H580" stroke="#889"/>`)
  return sharp(
    Buffer.from(`<svg width="${width}" height="${height}" viewBox="0 0 640 480" preserveAspectRatio="none"
      xmlns="http://www.w3.org/2000/svg"><rect width="640" height="480" fill="#567"/>
      <rect x="40" y="230" width="560" height="200" fill="#334"/>${lines.join('')}
      <rect x="260" y="250" width="120" height="90" fill="#d73"/><path d="M260 270H380M260 290H380M260 310H380" stroke="#fb6" stroke-width="3"/>
      <rect x="${headX}" y="120" width="70" height="110" fill="#222"/><circle cx="${headX + 35}" cy="150" r="18" fill="#999"/></svg>`),
  )
}

/** The picture as a camera with a noisy sensor would send it. */
async function jpeg(image: Sharp, sigma = 2): Promise<Buffer> {
  const { data, info } = await image.removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const noisy = data.map((value) =>
    Math.max(0, Math.min(255, value + (random() + random() + random() - 1.5) * 2 * sigma)),
  )
  return sharp(noisy, { raw: info }).jpeg({ quality: 80 }).toBuffer()
}

const pictures = new Map<string, Thumbnail>()

async function keep(name: string, bytes: Buffer): Promise<void> {
  pictures.set(name, (await checkPicture(bytes)).thumbnail)
}

beforeAll(async () => {
  const frozen = await jpeg(scene(190), 3)
  for (let x = 0; x < 5; x++) {
    await keep(`good${x}`, await jpeg(scene(100 + x * 90)))
    await keep(`blurred${x}`, await jpeg(sharp(await jpeg(scene(100 + x * 90))).blur(6), 1))
    await keep(`dim${x}`, await jpeg(sharp(await jpeg(scene(100 + x * 90))).linear(0.35, 0)))
    // What a converter makes of a stream that stands still: the same picture, encoded anew and differently.
    await keep(
      `converted${x}`,
      await sharp(frozen)
        .jpeg({ quality: 74 + 3 * x })
        .toBuffer(),
    )
    await keep(
      `roughly${x}`,
      await sharp(frozen)
        .jpeg({ quality: 40 + 8 * x })
        .toBuffer(),
    )
    await keep(`resting${x}`, await jpeg(scene(100)))
    await keep(`dark${x}`, await jpeg(sharp(await jpeg(scene(100 + x * 90))).linear(0.05, 0), 1))
    await keep(`covered${x}`, await jpeg(sharp({ create: { ...SIZE, channels: 3, background: '#6a5a50' } })))
    await keep(`white${x}`, await jpeg(sharp({ create: { ...SIZE, channels: 3, background: '#fff' } })))
  }
})

/** What takes long to draw is drawn for one test. */
async function keepWide(): Promise<void> {
  const size = { width: 1280, height: 720 }
  const frozen = await jpeg(scene(190, size), 3)
  for (let x = 0; x < 5; x++) {
    const sharpOne = await jpeg(scene(100 + x * 90, size))
    await keep(`wideGood${x}`, sharpOne)
    await keep(`wideBlurred${x}`, await jpeg(sharp(sharpOne).blur(12), 1))
    await keep(
      `wideConverted${x}`,
      await sharp(frozen)
        .jpeg({ quality: 74 + 3 * x })
        .toBuffer(),
    )
    await keep(`wideResting${x}`, await jpeg(scene(100, size), 3))
  }
}

/** A camera and what is told of it, a picture every ten seconds. */
class Camera {
  state: QualityState = NEW_QUALITY
  at = 1_795_000_000_000
  isMoving = true
  #anchor: Thumbnail | null = null
  #count = 0

  sends(kind: string, count: number): (string | null)[] {
    const told: (string | null)[] = []
    for (let i = 0; i < count; i++) {
      this.at += 10_000
      const name = kind === 'frozen' ? 'good0' : `${kind}${this.#count++ % 5}`
      const thumbnail = pictures.get(name)
      if (thumbnail === undefined) throw new Error(`no picture ${name}`)
      const judged = judgePicture(this.state, { at: this.at, thumbnail, anchor: this.#anchor, isMoving: this.isMoving })
      this.state = judged.state
      if (judged.isAnchor) this.#anchor = thumbnail
      told.push(this.state.problem)
    }
    return told
  }
}

test('a good camera is never complained about, however its light changes', () => {
  const camera = new Camera()
  const told = [...camera.sends('good', 60), ...camera.sends('dim', 20), ...camera.sends('good', 20)]
  expect(new Set(told)).toEqual(new Set([null]))
})

test.each([
  { kind: 'dark', problem: 'camera_dark', within: 5 },
  { kind: 'covered', problem: 'camera_covered', within: 8 },
  { kind: 'white', problem: 'camera_overexposed', within: 8 },
  { kind: 'blurred', problem: 'camera_blurred', within: 11 },
  { kind: 'frozen', problem: 'camera_frozen', within: 22 },
  { kind: 'converted', problem: 'camera_frozen', within: 22 },
])(
  'a camera that is $kind is told after a while, and well again after two good pictures',
  ({ kind, problem, within }) => {
    const camera = new Camera()
    camera.sends('good', 60)
    const told = camera.sends(kind, 30)
    expect(told.slice(0, 2)).toEqual([null, null])
    expect(told.findIndex((code) => code !== null)).toBeLessThan(within)
    expect(told.at(-1)).toBe(problem)
    expect(camera.sends('good', 3).at(-1)).toBeNull()
  },
)

test('a stream that stands still and is encoded roughly is told after a quarter of an hour', () => {
  const camera = new Camera()
  camera.sends('good', 60)
  const told = camera.sends('roughly', 120)
  expect(told.indexOf('camera_frozen')).toBeGreaterThan(20)
  expect(told.indexOf('camera_frozen')).toBeLessThan(100)
})

test('the head in front of the lens and a lamp that is switched do not flap', () => {
  const camera = new Camera()
  camera.sends('good', 60)
  const told: (string | null)[] = []
  for (let i = 0; i < 20; i++) {
    told.push(...camera.sends('covered', 2), ...camera.sends('good', 1))
    told.push(...camera.sends('dark', 2), ...camera.sends('good', 1))
  }
  expect(new Set(told)).toEqual(new Set([null]))
})

test('a printer that stands still is no frozen camera, nor is one whose picture has noise', () => {
  const resting = new Camera()
  expect(new Set(resting.sends('resting', 60))).toEqual(new Set([null]))
  const heating = new Camera()
  heating.isMoving = false
  expect(new Set(heating.sends('frozen', 60))).toEqual(new Set([null]))
})

test('a camera with more pixels is judged alike', async () => {
  await keepWide()
  const camera = new Camera()
  expect(new Set(camera.sends('wideGood', 60))).toEqual(new Set([null]))
  expect(camera.sends('wideBlurred', 30).at(-1)).toBe('camera_blurred')
  expect(camera.sends('wideGood', 3).at(-1)).toBeNull()
  expect(camera.sends('wideConverted', 22).at(-1)).toBe('camera_frozen')
  expect(new Set(new Camera().sends('wideResting', 60))).toEqual(new Set([null]))
}, 30_000)

test('a camera that was never sharp has its own norm', () => {
  const camera = new Camera()
  expect(new Set(camera.sends('blurred', 100))).toEqual(new Set([null]))
})

test.each([-5000, 0, 500])('a picture that was taken %i ms after the last changes nothing', (ms) => {
  const camera = new Camera()
  camera.sends('good', 3)
  const before = camera.state
  const thumbnail = pictures.get('dark0')
  if (thumbnail === undefined) throw new Error('no picture')
  expect(judgePicture(before, { at: camera.at + ms, thumbnail, anchor: null, isMoving: true }).state).toBe(before)
})
