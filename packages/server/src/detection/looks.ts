import type { LookOptions } from './cameras/look-options.js'
import type { Findings } from './detector.js'

/** A picture, and how to look at it. */
export interface Look {
  readonly picture: Uint8Array
  readonly options?: LookOptions | undefined
}

/** What became of a look: `dropped` gave way to a newer one of the same key or to load, `unwanted` was not asked for any more. */
export type LookEnd =
  | {
      readonly type: 'found'
      readonly findings: Findings
      /** When its turn came, as `performance.now()` counts. */
      readonly takenAt: number
    }
  | { readonly type: 'dropped' }
  | { readonly type: 'unwanted' }
  | { readonly type: 'failed'; readonly reason: unknown }

/** A look that is wanted. Of each key only the newest waits; groups (printers) take turns, whatever their number of keys (cameras). */
export interface WantedLook {
  readonly key: number
  readonly group: number
  /** When the picture was taken, in milliseconds: newer ones win. */
  readonly at: number
  /** The look itself, asked for once, when its turn has come at the latest; undefined when nobody wants it any more. */
  ask(): Promise<Look | undefined>
  /** Told exactly once, unless the looks are closed. Never rejects. */
  ended(end: LookEnd): Promise<void>
}

/** The port towards whoever looks at pictures in turn: the detector of this process, or those of other nodes. */
export interface Looks {
  /** Lets a look wait for its turn. Returns at once; under load the oldest give way, nothing piles up. */
  offer(wanted: WantedLook): void
  /** Looks at a picture when there is nothing better to do; undefined when there is. */
  glance(look: Look): Promise<Findings | undefined>
  /** Whether nothing of this process is being looked at. */
  isIdle(): boolean
  /** How many looks of this process wait, and for how long the oldest of them has. */
  waiting(): { readonly frames: number; readonly oldestMs: number }
  /** Takes no more, and forgets what waits. */
  close(): void
}
