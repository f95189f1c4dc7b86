/** Delays are measured against the fastest message of this time. Two monotonic clocks part by less than a tenth of a second in it. */
const WINDOW_MS = 10 * 60_000

/**
 * How long messages of the server were under way: held up in a network that was out for a while, or in a program that stood still. The
 * server's clock and ours need not agree, and neither is the time of day: what counts is how much longer one message took than others.
 */
export class Transit {
  private samples: readonly { readonly atMs: number; readonly offsetMs: number }[] = []

  /**
   * A message has come that says when it left.
   *
   * @param sentMs by the server's monotonic clock
   * @param nowMs by ours
   * @returns how late it is, in milliseconds; 0 when nothing is known yet
   */
  arrived(sentMs: number, nowMs: number): number {
    const offsetMs = nowMs - sentMs
    const recent = this.samples.filter(({ atMs }) => nowMs - atMs <= WINDOW_MS)
    // Of those that come later the faster ones matter: what was slower before a faster one says nothing any more.
    this.samples = [...recent.filter((sample) => sample.offsetMs < offsetMs), { atMs: nowMs, offsetMs }]
    return offsetMs - Math.min(...this.samples.map((sample) => sample.offsetMs))
  }

  /** Another connection, perhaps to another server: nothing is known any more. */
  reset(): void {
    this.samples = []
  }
}
