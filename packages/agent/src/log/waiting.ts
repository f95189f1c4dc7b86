import type { Log } from './log.js'

/** Says what the agent waits for, in one line: once for each reason, not once for each try. */
export class Waiting {
  private why: string | undefined

  constructor(
    private readonly log: Log,
    /** What is said when the wait is over. */
    private readonly over: string,
  ) {}

  /** Another try has failed. `what` names whom we wait for and, in brackets, why. */
  goOn(what: string, retryInMs: number): void {
    const text = `waiting for ${what}, next try in ${Math.max(1, Math.round(retryInMs / 1000))} s`
    if (what === this.why) this.log.debug({}, text)
    else this.log.info({}, text)
    this.why = what
  }

  /** It is there; said the first time as well. */
  end(): void {
    if (this.why !== '') this.log.info({}, this.over)
    this.why = ''
  }
}
