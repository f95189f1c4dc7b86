import { z } from 'zod'
import { Donor } from './donors.js'
import { KeyedPrint } from './keys.js'
import { median } from './logit.js'
import { makeRandom } from './random.js'
import { type Recipe, simulate } from './simulate.js'
import type { Timeline } from './timeline.js'

/** All that the simulated timelines are made of: what one model said about pictures. No picture is in it. */
export const ScoreSet = z.object({
  /** SHA-256 of the model file. */
  model: z.string(),
  donors: z.array(Donor),
  prints: z.array(KeyedPrint),
})
export type ScoreSet = z.infer<typeof ScoreSet>

/** How many timelines are made. Half of each kind fail. */
export interface Plan {
  /** Of each rendered print, with other printers, cameras and lengths each time. */
  readonly ofEachPrint: number
  /** From scores of real photos alone. */
  readonly photos: number
  readonly seed: number
}

export const PLAN: Plan = { ofEachPrint: 2, photos: 84, seed: 1 }

/** What each timeline is made of. The halves share neither a photo's scene nor a rendered print. */
export function recipesOf(set: ScoreSet, plan: Plan): Recipe[] {
  const usualFailure = median(set.donors.filter((donor) => donor.isFailing).map((donor) => donor.base))
  const halves = [0, 1] as const
  return halves.flatMap((half) => {
    const donors = set.donors.filter((donor) => donor.half === half)
    const [good, failing] = [donors.filter((donor) => !donor.isFailing), donors.filter((donor) => donor.isFailing)]
    // Numbers go good, failing, good, failing: two in a row are in one half.
    const usable = set.prints.filter(({ failAt, visibleFrom }) => failAt === null || visibleFrom !== null)
    const prints = usable.filter(({ id }) => (Number(/\d+$/.exec(id)?.[0]) >> 1) % 2 === half)
    const growing = prints.filter((print) => print.failAt !== null)
    const random = makeRandom('recipes', plan.seed, half)
    const chosen = () => ({ half, usualFailure, good: random.pick(good), failing: random.pick(failing) })
    const rendered = prints.flatMap((keyed): Recipe[] =>
      Array.from({ length: plan.ofEachPrint }, (_, i) => ({
        ...chosen(),
        id: `${keyed.id}-${plan.seed}-${i}`,
        source: keyed.source,
        isFailing: keyed.failAt !== null,
        keyed,
      })),
    )
    const photos = Array.from(
      { length: Math.round(plan.photos / 2) },
      (_, i): Recipe => ({
        ...chosen(),
        id: `photo-${half}-${plan.seed}-${i}`,
        source: 'photo',
        isFailing: i % 2 === 1,
        keyed: random.pick(growing),
      }),
    )
    return [...rendered, ...photos]
  })
}

/** The timelines of a set. */
export function timelinesOf(set: ScoreSet, plan: Plan): Timeline[] {
  return recipesOf(set, plan).map(simulate)
}
