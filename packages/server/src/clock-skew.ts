/** Clocks of two nodes lie closer together than this, in milliseconds. What is further ahead was written before a clock was set back. */
export const CLOCK_SKEW_MS = 60_000
