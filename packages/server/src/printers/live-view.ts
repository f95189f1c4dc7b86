import { PrinterStatus } from '@printwarden/protocol'
import { z } from 'zod'
import { memoizeByObject } from '../memoize.js'
import { gaugeKey, type LivePic, picKey, statusKey, watchKey } from './live-keys.js'
import { readWatch, type WatchState } from './watch-state.js'

/** What the live store knows of one printer. */
export interface LiveFacts {
  /** null when the printer is offline. */
  readonly status: PrinterStatus | null
  readonly pic: LivePic | null
  /** The failure gauge, 0–1. */
  readonly normalized_p: number
  /** What is known of its cameras; null when nothing is. */
  readonly watch?: WatchState | null
}

/** What is known of a printer that nothing was heard of. */
export const NOTHING_LIVE: LiveFacts = { status: null, pic: null, normalized_p: 0 }

const Pic = z.object({ key: z.string(), raw_key: z.string(), ts: z.number() })
const Gauge = z.object({ normalized_p: z.number() })

/** A picture as the live store keeps it. */
export function readLivePic(value: unknown): LivePic | undefined {
  return Pic.safeParse(value).data
}

// A live store in memory hands back what was put, so the same object comes many times.
const statusOf = memoizeByObject((value) => PrinterStatus.safeParse(value).data ?? null)
const picOf = memoizeByObject((value) => readLivePic(value) ?? null)
const gaugeOf = memoizeByObject((value) => Gauge.safeParse(value).data?.normalized_p ?? 0)
const watchOf = memoizeByObject(readWatch)

/** The keys to read, printer by printer: {@link liveFactsOf} takes the values in this order. */
export function liveKeysOf(printerIds: readonly number[]): string[] {
  return printerIds.flatMap((id) => [statusKey(id), picKey(id), gaugeKey(id), watchKey(id)])
}

/** The values of {@link liveKeysOf}, by printer. A value that is not what we once wrote counts as lost. */
export function liveFactsOf(printerIds: readonly number[], values: readonly unknown[]): Map<number, LiveFacts> {
  return new Map(
    printerIds.map((id, index) => {
      const [status, pic, gauge, watch] = values.slice(index * 4, index * 4 + 4)
      return [
        id,
        {
          status: statusOf(status),
          pic: picOf(pic),
          normalized_p: gaugeOf(gauge),
          watch: watchOf(watch),
        },
      ]
    }),
  )
}
