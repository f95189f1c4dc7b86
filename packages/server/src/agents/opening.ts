import { z } from 'zod'

/** When and as what an agent's socket was opened. */
export const Opening = z.object({ id: z.string(), opened_at: z.number() })
export type Opening = z.infer<typeof Opening>

/** The bus subject on which a printer's agents tell that they have come: whoever was there before makes way. */
export const openedSubject = (printerId: number): string => `agent-opened.${printerId}`

/** Whether `other` came later. Of two that came at once one is the later one, for both of them the same. */
export function isNewer(other: Opening, own: Opening): boolean {
  if (other.opened_at !== own.opened_at) return other.opened_at > own.opened_at
  return other.id > own.id
}
