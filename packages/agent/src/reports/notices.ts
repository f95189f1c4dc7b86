import { z } from 'zod'
import type { HostNotice } from '../host.js'

/** A notice of the host that the server has not taken yet. `atMs` is monotonic; `printTs` that of the print it came with. */
export interface UnsentNotice {
  readonly id: string
  readonly atMs: number
  readonly printTs: number
  readonly notice: HostNotice
}

/** A notice as it lies on the disk. */
export const KeptNotice = z.object({
  id: z.uuid(),
  print_ts: z.number(),
  at_wall_ms: z.number(),
  at_boot_ms: z.number().optional(),
  about: z.enum(['filament_change', 'question', 'error']),
  title: z.string(),
  text: z.string(),
})
type KeptNotice = z.infer<typeof KeptNotice>

/** A printer in trouble repeats itself; of more than this the newest matter most. */
export const NOTICES_LIMIT = 100

/** The same words again within this time are the same notice: firmwares repeat what nobody answers. */
const REPEATED_MS = 60_000

/** Puts a notice at the end, unless it only repeats one that still waits there. When there are too many, the oldest one goes. */
export function addNotice(
  notices: readonly UnsentNotice[],
  notice: UnsentNotice,
  limit: number = NOTICES_LIMIT,
): readonly UnsentNotice[] {
  const isRepeated = notices.some(
    (other) => isSame(other.notice, notice.notice) && notice.atMs - other.atMs < REPEATED_MS,
  )
  return isRepeated ? notices : [...notices, notice].slice(-limit)
}

export function storeNotice(
  { id, printTs, notice }: UnsentNotice,
  at: { at_wall_ms: number; at_boot_ms: number },
): KeptNotice {
  return { id, print_ts: printTs, ...at, ...notice }
}

export function restoreNotice({ id, print_ts, about, title, text }: KeptNotice, atMs: number): UnsentNotice {
  return { id, atMs, printTs: print_ts, notice: { about, title, text } }
}

function isSame(a: HostNotice, b: HostNotice): boolean {
  return a.about === b.about && a.title === b.title && a.text === b.text
}
