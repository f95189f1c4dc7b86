import type { Clock } from '../time/clock.js'

/** A server that hears nothing for 120 s gives up what it waits for; a little less is certain. */
export const LONG_SILENCE_MS = 100_000

/** Remembers when the server could not hear the agent. */
export class Silence {
  private sinceMs: number | undefined
  private lastLongEndMs = Number.NEGATIVE_INFINITY

  constructor(private readonly clock: Clock) {}

  /** The connection is lost. Being told again changes nothing. */
  begin(): void {
    this.sinceMs ??= this.clock.monotonicMs()
  }

  /** The connection stands. */
  end(): void {
    if (this.isLong()) this.lastLongEndMs = this.clock.monotonicMs()
    this.sinceMs = undefined
  }

  /** Whether a long silence lasts, or has ended since then. */
  wasLongSince(sinceMs: number): boolean {
    return this.isLong() || this.lastLongEndMs >= sinceMs
  }

  private isLong(): boolean {
    return this.sinceMs !== undefined && this.clock.monotonicMs() - this.sinceMs >= LONG_SILENCE_MS
  }
}
