/** The size to which pictures are brought before they are compared, in grey: small enough that noise is gone. */
export const SAMPLE_WIDTH = 64
export const SAMPLE_HEIGHT = 36

/** What two pictures, one after the other, say about what is seen. */
export type Sight = 'still' | 'moving' | 'unclear'

/** A point has changed when it differs by more than this from what the light alone makes of it, of 255. */
const CHANGED = 12
/** The least part of the picture that moves: a tenth of its width by a tenth of its height would be 0.01. */
const MOVING_SHARE = 0.004
/** When this much has changed it is the lamp or the camera, not the printer. */
const UNCLEAR_SHARE = 0.5

/**
 * Compares two samples of {@link SAMPLE_WIDTH} × {@link SAMPLE_HEIGHT} grey values. A lamp that is switched, the sun and the camera's
 * own exposure change all points in one way (brighter by a factor, or by an amount); that is found first and taken off.
 */
export function compareSamples(before: Uint8Array, after: Uint8Array): Sight {
  if (before.length !== after.length || before.length === 0) return 'unclear'
  const rough = fitLight(before, after, () => true)
  // What moves has bent the first fit; the second leaves it out.
  const light = fitLight(before, after, (index) => Math.abs(rest(before, after, rough, index)) <= CHANGED)
  let changed = 0
  for (let index = 0; index < before.length; index += 1) {
    if (Math.abs(rest(before, after, light, index)) > CHANGED) changed += 1
  }
  const share = changed / before.length
  if (share > UNCLEAR_SHARE) return 'unclear'
  return share >= MOVING_SHARE ? 'moving' : 'still'
}

/** `after` is about `gain` × `before` + `offset`. */
interface Light {
  readonly gain: number
  readonly offset: number
}

function rest(before: Uint8Array, after: Uint8Array, { gain, offset }: Light, index: number): number {
  const expected = Math.min(255, Math.max(0, gain * (before[index] ?? 0) + offset))
  return (after[index] ?? 0) - expected
}

/** Of the brightest white and of black nobody knows how much light it was. */
function isClipped(value: number): boolean {
  return value <= 4 || value >= 251
}

/** Least squares over the chosen points. */
function fitLight(before: Uint8Array, after: Uint8Array, isChosen: (index: number) => boolean): Light {
  let [n, sumX, sumY, sumXX, sumXY] = [0, 0, 0, 0, 0]
  for (let index = 0; index < before.length; index += 1) {
    const x = before[index] ?? 0
    const y = after[index] ?? 0
    if (isClipped(x) || isClipped(y) || !isChosen(index)) continue
    n += 1
    sumX += x
    sumY += y
    sumXX += x * x
    sumXY += x * y
  }
  const spread = n * sumXX - sumX * sumX
  // A plain wall has no contrast of which a factor could be read.
  const gain = n === 0 || spread <= 0 ? 1 : (n * sumXY - sumX * sumY) / spread
  return { gain, offset: n === 0 ? 0 : (sumY - gain * sumX) / n }
}
