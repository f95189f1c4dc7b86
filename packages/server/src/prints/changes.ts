import type { PrintChanges } from '@printwarden/protocol'
import type { PrintRow } from './store.js'

/** What a user changes, as columns. */
export function printColumns({ access_consented_at, ...changes }: PrintChanges): Partial<PrintRow> {
  const columns = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  if (access_consented_at === undefined) return columns
  return { ...columns, access_consented_at: access_consented_at === null ? null : Date.parse(access_consented_at) }
}
