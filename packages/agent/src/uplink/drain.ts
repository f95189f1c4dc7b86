import { backoffMs, SERVER_BACKOFF } from '../time/backoff.js'
import type { Clock } from '../time/clock.js'

/** What one step has done: something, so that the next one may follow at once; nothing, since there is nothing; or it has to wait. */
export type DrainStep = 'more' | 'empty' | { readonly waitMs: number }

/** Works off what waits for the server, one thing after the other, while there is a connection. Failures are tried again, later and later. */
export class Drain {
  private isOpen = false
  private isWorking = false
  private isNudged = false
  private failures = 0
  private cancelRetry: () => void = () => undefined

  constructor(
    private readonly deps: { readonly clock: Clock; readonly random: () => number },
    /** Throws when it could not be done now. */
    private readonly step: () => Promise<DrainStep>,
    private readonly onFailure: (error: unknown, retryInMs: number) => void,
  ) {}

  /** The connection stands. */
  open(): void {
    this.isOpen = true
    this.failures = 0
    this.nudge()
  }

  /** The connection is lost, or everything ends. */
  close(): void {
    this.isOpen = false
    this.cancelRetry()
  }

  /** There may be something to do. */
  nudge(): void {
    this.isNudged = true
    this.cancelRetry()
    if (!this.isWorking) void this.work()
  }

  private async work(): Promise<void> {
    this.isWorking = true
    while (this.isOpen && this.isNudged) {
      this.isNudged = false
      const waitMs = await this.stepOn()
      if (waitMs === 0) this.isNudged = true
      else if (waitMs !== undefined && !this.isNudged) this.retryIn(waitMs)
    }
    this.isWorking = false
  }

  /** When the next step is due: 0 at once, undefined when there is nothing left. */
  private async stepOn(): Promise<number | undefined> {
    try {
      const step = await this.step()
      this.failures = 0
      if (step === 'empty') return undefined
      return step === 'more' ? 0 : Math.max(1, step.waitMs)
    } catch (error) {
      this.failures += 1
      const retryInMs = backoffMs(this.failures, this.deps.random(), SERVER_BACKOFF)
      this.onFailure(error, retryInMs)
      return retryInMs
    }
  }

  private retryIn(waitMs: number): void {
    this.cancelRetry()
    if (this.isOpen) this.cancelRetry = this.deps.clock.after(waitMs, () => this.nudge())
  }
}
