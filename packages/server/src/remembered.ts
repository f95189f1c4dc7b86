/** How long an answer is believed, in milliseconds. */
export interface Remembering {
  readonly goodMs: number
  readonly badMs: number
}

/** Each look is a request that is paid for. A failure is soon looked at again, since somebody is at work on it. */
const DEFAULT: Remembering = { goodMs: 10_000, badMs: 1_000 }

/** Then the next one who asks looks anew. */
const LONGEST_LOOK_MS = 10_000

/** One look at a time, and not each time: what came of it is told again for a while, for whoever asks may ask often and needs no account. */
export function remembered(look: () => Promise<void>, { goodMs, badMs }: Remembering = DEFAULT): () => Promise<void> {
  let known: Promise<void> | undefined
  let until = 0
  return () => {
    if (known !== undefined && performance.now() < until) return known
    // Until it has ended, everybody waits for this one, unless it hangs.
    until = performance.now() + LONGEST_LOOK_MS
    const looking = (async () => look())()
    known = looking
    const keep = (ms: number) => () => {
      if (known === looking) until = performance.now() + ms
    }
    looking.then(keep(goodMs), keep(badMs))
    return looking
  }
}
