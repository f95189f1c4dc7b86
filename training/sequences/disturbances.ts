import type { Donor } from './donors.js'
import { chanceAt, makeRandom, seedOf } from './random.js'

// When the camera is disturbed during a print, and by how much the score moves then. The moves are a real photo's (donors.ts);
// how often and how long things happen is assumed: the numbers below.

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** How often in an hour, and for how long each time. */
const EVENTS = {
  exposure: { perHour: 1, ms: [2_000, 30_000] },
  hand: { perHour: 0.25, ms: [8_000, 60_000] },
  lamp: { perHour: 0.06, ms: [10 * MINUTE, 90 * MINUTE] },
} as const

/** The share of frames in which the head stands in the way. */
const HEAD_SHARE = 0.2
/** Daylight takes this long from one state to the next. */
const WANDER_MS = [20 * MINUTE, 45 * MINUTE] as const
/** Frames nearer than this show nearly the same. */
const SHORT_MS = 2_000
const TEXTURE_MS = 45_000
/** A part looks different as it grows: this deviation, in logits, from one stage to the next. */
const STAGE_MS = 50 * MINUTE
const STAGE_DEVIATION = 0.35

interface Event {
  readonly kind: keyof typeof EVENTS
  readonly from: number
  readonly to: number
}

const SALT = { texture: 1, short: 2, head: 3, headMove: 4, exposure: 5, hand: 6, lamp: 7 } as const

/** What stands in the picture just now besides the print. */
export interface Disturbed {
  /** What to add to the score's logit. */
  readonly move: number
  /** Something that moves through the picture: its boxes are elsewhere in every frame. */
  readonly isPassing: boolean
}

function planEvents(durationMs: number, seed: string): Event[] {
  return Object.entries(EVENTS).flatMap(([kind, { perHour, ms }]) => {
    const random = makeRandom(seed, kind)
    const events: Event[] = []
    for (let at = random.exponential(HOUR / perHour); at < durationMs; at += random.exponential(HOUR / perHour)) {
      events.push({ kind: kind as Event['kind'], from: at, to: at + random.range(ms[0], ms[1]) })
    }
    return events
  })
}

/** Points that a slow process goes through, and straight lines between them. */
function slowly(durationMs: number, step: () => number, value: () => number): (at: number) => number {
  const knots: [number, number][] = [[0, value()]]
  for (let at = 0; at < durationMs; ) {
    at += step()
    knots.push([at, value()])
  }
  let last = 1
  return (at) => {
    if ((knots[last - 1]?.[0] ?? 0) > at) last = 1
    while (last < knots.length - 1 && (knots[last]?.[0] ?? 0) < at) last++
    const [[t0, v0], [t1, v1]] = [knots[last - 1] ?? [0, 0], knots[last] ?? [0, 0]]
    return t1 === t0 ? v0 : v0 + (v1 - v0) * Math.min(1, Math.max(0, (at - t0) / (t1 - t0)))
  }
}

/** The disturbances of one print: a pure function of the instant. */
export function disturbances(seed: string, durationMs: number, drifts: boolean) {
  const events = planEvents(durationMs, seed)
  const slow = makeRandom(seed, 'slow')
  // One number in 0..1 that says which of the donor's measured states of light it is.
  const light = slowly(durationMs, () => slow.range(WANDER_MS[0], WANDER_MS[1]), slow.next)
  const stage = slowly(
    durationMs,
    () => STAGE_MS,
    () => (drifts ? STAGE_DEVIATION * slow.normal() : 0),
  )

  const own = seedOf(seed, 'frames')
  const draw = (moves: readonly number[], salt: number, which: number): number =>
    moves[Math.floor(chanceAt(own, salt, which) * moves.length)] ?? 0
  const sorted = new Map<readonly number[], number[]>()

  function wander(moves: readonly number[], share: number): number {
    const states = sorted.get(moves) ?? [...moves].sort((a, b) => a - b)
    sorted.set(moves, states)
    const place = share * (states.length - 1)
    const [low, high] = [states[Math.floor(place)] ?? 0, states[Math.ceil(place)] ?? 0]
    return low + (high - low) * (place % 1)
  }

  /** How the camera is disturbed at an instant, by the measured moves of this donor. */
  function at(instant: number, { moves }: Donor): Disturbed {
    const short = Math.floor(instant / SHORT_MS)
    const texture = draw(moves.jitter, SALT.texture, Math.floor(instant / TEXTURE_MS))
    let move =
      stage(instant) + wander(moves.wander, light(instant)) + 0.7 * (texture + draw(moves.jitter, SALT.short, short))
    let isPassing = false
    if (chanceAt(own, SALT.head, short) < HEAD_SHARE) move += draw(moves.head, SALT.headMove, short)
    for (const { kind, from, to } of events) {
      if (instant < from || instant > to) continue
      move += draw(moves[kind], SALT[kind], kind === 'lamp' ? from : short)
      isPassing ||= kind === 'hand'
    }
    return { move, isPassing }
  }

  return { at }
}

export type Disturbances = ReturnType<typeof disturbances>
