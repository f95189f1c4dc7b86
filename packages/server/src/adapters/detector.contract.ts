import sharp from 'sharp'
import { expect, test } from 'vitest'
import type { Detector, DetectorErrorCode } from '../detection/detector.js'

/** Pictures that cameras send: what they show does not matter here. */
function noise(width: number, height: number) {
  return sharp({
    create: { width, height, channels: 3, background: '#808080', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  })
}

const PICTURES = {
  'a JPEG of 640 by 480': () => noise(640, 480).jpeg().toBuffer(),
  'a JPEG of 1280 by 720': () => noise(1280, 720).jpeg().toBuffer(),
  'a grey JPEG': () => noise(320, 240).greyscale().jpeg().toBuffer(),
  'a progressive JPEG in CMYK': () => noise(320, 240).toColourspace('cmyk').jpeg({ progressive: true }).toBuffer(),
  'a PNG that is partly transparent': () => noise(320, 240).ensureAlpha(0.5).png().toBuffer(),
  'a WebP': () => noise(321, 243).webp().toBuffer(),
  'a picture of one pixel': () => noise(1, 1).jpeg().toBuffer(),
}

/** Half of a JPEG: what a camera sends whose cable was pulled. */
async function truncated(): Promise<Buffer> {
  const whole = await noise(640, 480).jpeg().toBuffer()
  return whole.subarray(0, whole.length / 2)
}

/** A few kilobytes that unfold to 25 megapixels. */
async function bomb(): Promise<Buffer> {
  const create = { width: 5_000, height: 5_000, channels: 3, background: 'white' } as const
  return sharp({ create }).png().toBuffer()
}

const NO_PICTURES = {
  nothing: async () => Buffer.alloc(0),
  'a text': async () => Buffer.from('not a picture'),
  'the beginning of a JPEG': async () => Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
  'half a JPEG': truncated,
  'a drawing': async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
  'a GIF': () => noise(9, 9).gif().toBuffer(),
  'a picture of 25 megapixels': bomb,
}

function codeOf(err: unknown): DetectorErrorCode | undefined {
  return err instanceof Error && 'code' in err ? (err.code as DetectorErrorCode) : undefined
}

/** The longest time during which a timer did not tick while `work` ran, in milliseconds, and how often it ticked. */
async function watchTimer(work: () => Promise<unknown>): Promise<{ longestMs: number; ticks: number }> {
  let last = performance.now()
  let longestMs = 0
  let ticks = 0
  const timer = setInterval(() => {
    const now = performance.now()
    longestMs = Math.max(longestMs, now - last)
    last = now
    ticks++
  }, 2)
  await work()
  clearInterval(timer)
  return { longestMs, ticks }
}

/**
 * What every Detector must do, whatever its model finds.
 *
 * @param getDetector a detector that is ready; the caller closes it
 */
export function detectorContract(getDetector: () => Detector): void {
  test.each(Object.entries(PICTURES))('looks at %s', async (_, make) => {
    const picture = await make()
    const { autoOrient: size } = await sharp(picture).metadata()
    const { detections, score, model, times } = await getDetector().detect(picture)
    expect(score).toBeGreaterThanOrEqual(0)
    expect(score).toBeLessThanOrEqual(1)
    expect(model).not.toBe('')
    expect(times.inferenceMs).toBeGreaterThan(0)
    for (const [label, confidence, [x, y, width, height]] of detections) {
      expect(label).toBe('failure')
      expect(confidence).toBeGreaterThan(0.08)
      expect(confidence).toBeLessThanOrEqual(1)
      expect(x - width / 2).toBeGreaterThanOrEqual(-0.01)
      expect(y - height / 2).toBeGreaterThanOrEqual(-0.01)
      expect(x + width / 2).toBeLessThanOrEqual(size.width + 0.01)
      expect(y + height / 2).toBeLessThanOrEqual(size.height + 0.01)
    }
    const confidences = detections.map(([, confidence]) => confidence)
    expect(confidences).toEqual(confidences.toSorted((a, b) => b - a))
  })

  test.each(Object.entries(NO_PICTURES))('refuses %s, and goes on', async (_, make) => {
    const err: unknown = await getDetector()
      .detect(await make())
      .catch((cause: unknown) => cause)
    expect(codeOf(err)).toBe('invalid_image')
    await expect(getDetector().detect(await PICTURES['a WebP']())).resolves.toHaveProperty('score')
  })

  test('leaves the given bytes as they are', async () => {
    const picture = await PICTURES['a grey JPEG']()
    const before = Buffer.from(picture)
    await getDetector().detect(picture)
    expect(picture.equals(before)).toBe(true)
  })

  test('finds the same in the same picture', async () => {
    const picture = await PICTURES['a JPEG of 640 by 480']()
    const [first, second] = await Promise.all([getDetector().detect(picture), getDetector().detect(picture)])
    expect(second.detections).toEqual(first.detections)
  })

  test('draws boxes into a JPEG of the same size, or returns none', async () => {
    const picture = await PICTURES['a PNG that is partly transparent']()
    const { tagged } = await getDetector().detect(picture)
    if (tagged === null) return
    expect(await sharp(tagged).metadata()).toMatchObject({ format: 'jpeg', width: 320, height: 240 })
  })

  test('does not hold up the event loop', async () => {
    const picture = await PICTURES['a JPEG of 1280 by 720']()
    const pictures = Array<Buffer>(6).fill(picture)
    const measured: { longestMs: number; ticks: number }[] = []
    // A machine that is busy with other things stops timers as well, so the best of three rounds counts.
    for (let round = 0; round < 3; round++) {
      measured.push(await watchTimer(() => Promise.all(pictures.map((each) => getDetector().detect(each)))))
    }
    expect(Math.min(...measured.map(({ longestMs }) => longestMs))).toBeLessThan(50)
    // On the event loop there would be one tick for each picture at most.
    expect(Math.max(...measured.map(({ ticks }) => ticks))).toBeGreaterThan(pictures.length * 2)
  })
}
