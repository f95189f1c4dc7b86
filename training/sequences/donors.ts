import { z } from 'zod'
import { DISTURBANCES, type Disturbance } from './disturb.js'
import { logit, median } from './logit.js'
import type { ScoredPhoto } from './photos.js'
import { seedOf } from './random.js'

// What the timelines take from real photos. Of a photo that the model never saw in training remain: its score, the places of its
// boxes, and how far each disturbance moved the score. No picture and no name.

const Numbers = z.array(z.number())

/** One photo's share in the simulation. Moves are differences in logits to the photo's own score. */
export const Donor = z.object({
  isFailing: z.boolean(),
  /** 0: for tuning, 1: for reports. All photos of a scene are in the same half. */
  half: z.union([z.literal(0), z.literal(1)]),
  /** The logit of its score, jitter taken out. */
  base: z.number(),
  /** The findings' confidences added up, over the highest of them. */
  spread: z.number(),
  boxes: z.array(z.tuple([z.number(), z.number(), z.number(), z.number(), z.number()])),
  moves: z.object({
    jitter: Numbers,
    wander: Numbers,
    exposure: Numbers,
    lamp: Numbers,
    head: Numbers,
    hand: Numbers,
  } satisfies Record<Disturbance, typeof Numbers>),
})
export type Donor = z.infer<typeof Donor>

const KEPT_BOXES = 5

const short = (value: number): number => Math.round(value * 100) / 100

/** What a scored photo gives to the simulation. */
export function donorOf(photo: ScoredPhoto): Donor {
  const logits = (kind: Disturbance): number[] => photo.answers[kind].map(({ score }) => logit(score))
  const base = median(logits('jitter'))
  const moves = Object.fromEntries(
    Object.keys(DISTURBANCES).map((kind) => [kind, logits(kind as Disturbance).map((value) => short(value - base))]),
  )
  const [first] = photo.answers.jitter
  return Donor.parse({
    isFailing: photo.isFailing,
    half: seedOf('half', photo.group) % 2,
    base: short(base),
    spread: short(first === undefined || first.score < 0.08 ? 1 : Math.max(1, first.sum / first.score)),
    boxes: (first?.boxes ?? []).slice(0, KEPT_BOXES).map(([confidence, ...place]) => [short(confidence), ...place]),
    moves,
  })
}
