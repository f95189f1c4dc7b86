/** How long an answer is believed, in milliseconds. */
export interface Remembering {
  readonly goodMs: number
  readonly badMs: number
}

/** Each look is a request that is paid for. A failure is soon looked at again, since somebody is at work on it. */
const DEFAULT: Remembering = { goodMs: 10_000, badMs: 1_000 }

/** One look at a time, and not each time: what came of it is told again for a while, for whoever asks may ask often and needs no account. */
export function remembered(look: () => Promise<void>, { goodMs, badMs }: Remembering = DEFAULT): () => Promise<void> {
  let known: Promise<void> | undefined
  let until = Number.POSITIVE_INFINITY
  return () => {
    if (known !== undefined && performance.now() < until) return known
    // Until it has ended, everybody waits for this one.
    until = Number.POSITIVE_INFINITY
    known = (async () => look())()
    known.then(
      () => (until = performance.now() + goodMs),
      () => (until = performance.now() + badMs),
    )
    return known
  }
}
