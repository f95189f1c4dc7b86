import { PrinterStatus } from '@printwarden/protocol'
import { z } from 'zod'
import { type LivePic, picKey, smoothingKey, statusKey } from './live-keys.js'

/** What the live store knows of one printer. */
export interface LiveFacts {
  /** null when the printer is offline. */
  readonly status: PrinterStatus | null
  readonly pic: LivePic | null
  /** The failure gauge, 0–1. */
  readonly normalized_p: number
}

/** What is known of a printer that nothing was heard of. */
export const NOTHING_LIVE: LiveFacts = { status: null, pic: null, normalized_p: 0 }

const Pic = z.object({ key: z.string(), raw_key: z.string(), ts: z.number() })
const Gauge = z.object({ normalized_p: z.number() })

/** The keys to read, printer by printer: {@link liveFactsOf} takes the values in this order. */
export function liveKeysOf(printerIds: readonly number[]): string[] {
  return printerIds.flatMap((id) => [statusKey(id), picKey(id), smoothingKey(id)])
}

/** The values of {@link liveKeysOf}, by printer. A value that is not what we once wrote counts as lost. */
export function liveFactsOf(printerIds: readonly number[], values: readonly unknown[]): Map<number, LiveFacts> {
  return new Map(
    printerIds.map((id, index) => {
      const [status, pic, smoothing] = values.slice(index * 3, index * 3 + 3)
      return [
        id,
        {
          status: PrinterStatus.safeParse(status).data ?? null,
          pic: Pic.safeParse(pic).data ?? null,
          normalized_p: Gauge.safeParse(smoothing).data?.normalized_p ?? 0,
        },
      ]
    }),
  )
}
