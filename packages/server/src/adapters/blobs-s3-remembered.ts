/** How long it is believed that all is well. Each look is a request that is paid for, and whoever asks needs no account. */
const KEPT_MS = 10_000

/** One look at a time, and not each time: an answer is good for ten seconds. A failure is not kept, since somebody is at work on it. */
export function remembered(look: () => Promise<void>): () => Promise<void> {
  let looking: Promise<void> | undefined
  let goodUntil = 0
  return async () => {
    if (performance.now() < goodUntil) return
    looking ??= look()
      .then(() => {
        goodUntil = performance.now() + KEPT_MS
      })
      .finally(() => {
        looking = undefined
      })
    await looking
  }
}
