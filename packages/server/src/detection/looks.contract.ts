import { expect, test } from 'vitest'
import { type Detector, DetectorError, type Findings } from './detector.js'
import type { LookEnd, Looks } from './looks.js'

// What every way to look at pictures in turn must do, tried with a detector that the test lets go on.

const PATIENCE = { timeout: 30_000 }

/** A detector that answers what the picture says, when the test lets it. */
export class HeldDetector implements Detector {
  readonly capacity = 1
  /** What was handed in, in order. */
  readonly seen: string[] = []
  #held: (() => void)[] = []
  #isFree = false

  async detect(picture: Uint8Array): Promise<Findings> {
    const name = Buffer.from(picture).toString()
    this.seen.push(name)
    if (!this.#isFree) await new Promise<void>((resolve) => this.#held.push(resolve))
    if (name === 'garbage') throw new DetectorError('invalid_image', 'no picture')
    return findingsOf(name)
  }

  /** Lets the oldest picture that it has go on. */
  answerOne(): void {
    this.#held.shift()?.()
  }

  /** From now on it answers at once. */
  free(): void {
    this.#isFree = true
    for (const answer of this.#held.splice(0)) answer()
  }

  ready(): boolean {
    return true
  }

  async close(): Promise<void> {
    this.free()
  }
}

/** Everything that findings can have. */
export function findingsOf(model: string): Findings {
  return {
    detections: [['failure', 0.5, [1, 2, 3, 4.5]]],
    score: 0.25,
    model,
    tagged: Uint8Array.of(0xff, 0xd8),
    times: { decodeMs: 1, inferenceMs: 2, drawMs: 3 },
    map: Float32Array.of(0, 0.5),
    embedding: Float32Array.of(-1, 2.5),
    thumb: Uint8Array.of(1, 2),
    size: [640, 480],
    leftOut: 1,
    untiledScore: 0.125,
  }
}

/** @param open looks at pictures with the detector; what it opens is closed by the caller */
export function looksContract(open: (detector: Detector) => Promise<Looks>): void {
  async function start() {
    const detector = new HeldDetector()
    const looks = await open(detector)
    const ends: [string, LookEnd][] = []
    function offer(key: number, at: number, name: string, group = key): void {
      const picture = Buffer.from(name)
      looks.offer({ key, group, at, ask: async () => ({ picture }), ended: async (end) => void ends.push([name, end]) })
    }
    return {
      ...{ detector, looks, ends, offer },
      /** Offers it and waits until the detector has it, so that everything else has to wait. */
      occupy: async (key: number): Promise<void> => {
        offer(key, 1, 'first')
        await expect.poll(() => detector.seen, PATIENCE).toContain('first')
      },
      waiting: (count: number) => expect.poll(() => looks.waiting().frames, PATIENCE).toBeGreaterThanOrEqual(count),
      ended: (count: number) => expect.poll(() => ends.length, PATIENCE).toBe(count),
    }
  }

  test('findings come back whole', async () => {
    const { detector, ends, ended, offer } = await start()
    detector.free()
    offer(1, 10, 'a')
    await ended(1)
    expect(ends).toEqual([['a', { type: 'found', findings: findingsOf('a'), takenAt: expect.any(Number) }]])
  })

  test('of one key the newest waits, and who gave way is told', async () => {
    const { detector, ends, ended, offer, occupy } = await start()
    await occupy(9)
    offer(1, 10, 'old')
    offer(1, 20, 'new')
    offer(1, 15, 'late')
    await ended(2)
    expect(ends.map(([name, { type }]) => `${name} ${type}`).toSorted()).toEqual(['late dropped', 'old dropped'])
    detector.free()
    await ended(4)
    expect(detector.seen).toEqual(['first', 'new'])
  })

  test('groups take turns, however many keys each has', async () => {
    const { detector, ended, offer, occupy, waiting } = await start()
    await occupy(9)
    for (const [index, name] of ['many1', 'many2', 'many3'].entries()) offer(index + 1, 10, name, 100)
    await waiting(3)
    offer(4, 10, 'one', 200)
    await waiting(4)
    detector.free()
    await ended(5)
    expect(detector.seen).toEqual(['first', 'many1', 'one', 'many2', 'many3'])
  })

  test('a key is looked at one picture after another', async () => {
    const { detector, ended, offer, occupy } = await start()
    await occupy(1)
    offer(1, 2, 'second')
    offer(2, 2, 'other')
    detector.answerOne()
    await ended(1)
    detector.free()
    await ended(3)
    expect(detector.seen[0]).toBe('first')
    expect(detector.seen.toSorted()).toEqual(['first', 'other', 'second'])
  })

  test('a picture that cannot be read is told as such', async () => {
    const { detector, ends, ended, offer } = await start()
    detector.free()
    offer(1, 10, 'garbage')
    await ended(1)
    expect(ends[0]?.[1]).toMatchObject({ type: 'failed', reason: { code: 'invalid_image', message: 'no picture' } })
  })

  test('what nobody wants any more costs the detector nothing, and a question that fails is told', async () => {
    const { detector, looks, ended } = await start()
    const ends: LookEnd[] = []
    const place = { key: 1, group: 1, at: 1, ended: async (end: LookEnd) => void ends.push(end) }
    looks.offer({ ...place, ask: async () => undefined })
    await expect.poll(() => ends.length, PATIENCE).toBe(1)
    const broken = new Error('no row')
    looks.offer({ ...place, ask: () => Promise.reject(broken) })
    await expect.poll(() => ends.length, PATIENCE).toBe(2)
    expect(ends).toEqual([{ type: 'unwanted' }, { type: 'failed', reason: broken }])
    await ended(0)
    expect(detector.seen).toEqual([])
  })

  test('glances give way to everything else', async () => {
    const { detector, looks, ended, occupy } = await start()
    await occupy(1)
    expect(looks.isIdle()).toBe(false)
    expect(await looks.glance({ picture: Buffer.from('glance') })).toBeUndefined()
    detector.free()
    await ended(1)
    await expect.poll(() => looks.isIdle(), PATIENCE).toBe(true)
    expect(await looks.glance({ picture: Buffer.from('glance') })).toEqual(findingsOf('glance'))
    expect(detector.seen).toEqual(['first', 'glance'])
  })
}
