import { CLOCK_SKEW_MS } from '../clock-skew.js'
import type { Clock, Counters } from '../ports.js'

/** So many wrong tries are let pass in a span of time. */
export interface TryLimit {
  readonly tries: number
  readonly perMs: number
}

/** Whose tries they are, and how many are let pass. */
export interface TryCounter {
  readonly key: string
  readonly limit: TryLimit
}

/** What came of asking for a try. */
export interface Try {
  /** 0 when the try may be made now. */
  readonly waitMs: number
  /** To be called when it was right. */
  readonly forgive: () => Promise<void>
}

type Times = readonly number[]

/**
 * Slows those who guess codes. A try counts as wrong from its beginning, so that many at once do not overtake the count, and is
 * forgiven when it was right. All nodes count together.
 */
export class TryLimiter {
  constructor(private readonly deps: { readonly counters: Counters; readonly clock: Clock }) {}

  /** Begins a try, unless one has to wait. A refused one counts nothing, so waiting helps. */
  async begin(counters: readonly TryCounter[]): Promise<Try> {
    const now = this.deps.clock.now()
    const waitMs = await this.#update(counters, (states) => {
      const recent = counters.map(({ limit }, index) => recentOf(states[index], limit, now))
      const wait = Math.max(...counters.map(({ limit }, index) => waitOf(recent[index], limit, now)))
      return wait > 0 ? { result: wait } : { states: recent.map((times) => [...times, now]), result: 0 }
    })
    const forgive = (): Promise<void> =>
      this.#update(counters, (states) => ({ states: states.map((times) => without(times, now)), result: undefined }))
    return { waitMs, forgive: waitMs > 0 ? async () => undefined : forgive }
  }

  #update<Result>(
    counters: readonly TryCounter[],
    step: (states: readonly (Times | undefined)[]) => { states?: readonly Times[]; result: Result },
  ): Promise<Result> {
    const keys = counters.map(({ key }) => `tries ${key}`)
    const ttlMs = Math.max(...counters.map(({ limit }) => limit.perMs))
    return this.deps.counters.update<Times, Result>(keys, (states) => ({ ttlMs, ...step(states) }))
  }
}

const recentOf = (times: Times | undefined, { perMs }: TryLimit, now: number): Times =>
  (times ?? []).filter((at) => at > now - perMs && at <= now + CLOCK_SKEW_MS)

function waitOf(recent: Times = [], { tries, perMs }: TryLimit, now: number): number {
  const oldest = recent.at(-tries)
  return oldest === undefined ? 0 : oldest + perMs - now
}

/** Without one try that began at `at`. */
function without(times: Times = [], at: number): Times {
  const index = times.indexOf(at)
  return index < 0 ? times : times.toSpliced(index, 1)
}
