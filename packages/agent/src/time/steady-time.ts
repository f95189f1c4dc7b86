import type { Clock } from './clock.js'

/**
 * The wall clock for as long as it goes forward. Set back, it is not followed within a connection: the server takes the newest status by
 * its time, and would hold what comes then for old. The next connection starts with the clock as it is.
 */
export class SteadyTime {
  private told: { readonly wallMs: number; readonly atMs: number } | undefined

  constructor(private readonly clock: Clock) {}

  nowMs(): number {
    const [wallMs, atMs] = [this.clock.wallMs(), this.clock.monotonicMs()]
    const { told } = this
    const nowMs = told && wallMs < told.wallMs ? told.wallMs + (atMs - told.atMs) : wallMs
    this.told = { wallMs: nowMs, atMs }
    return nowMs
  }

  reset(): void {
    this.told = undefined
  }
}
