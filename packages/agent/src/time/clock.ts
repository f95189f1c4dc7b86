/** Time, and work that waits for it. The only source of both, so that tests can hand in their own. */
export interface Clock {
  /** Unix time in milliseconds. May jump, and is wrong on a machine that has just been switched on without a network. */
  wallMs(): number
  /** Milliseconds that only ever rise, from an arbitrary start. For everything that measures how long. */
  monotonicMs(): number
  /**
   * Names the span over which {@link monotonicMs} goes on counting, beyond a restart of the agent: from one start of the machine
   * to the next. Absent where that is not known.
   */
  readonly bootId?: string | undefined
  /** Runs `work` once after `delayMs`. The answer calls it off. */
  after(delayMs: number, work: () => void): () => void
  /** Runs `work` every `periodMs`. The answer ends it. */
  every(periodMs: number, work: () => void): () => void
}
