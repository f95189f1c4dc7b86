import type { ImportOutcome } from '@printwarden/protocol'
import { type Columns, conflictNotes, type Merged } from './merge.js'

/** What became of a record; the kind and id of the record are added where it is answered. */
export type Outcome = Omit<ImportOutcome, 'kind' | 'source_id'>

export const created = (id: number | null, notes: readonly string[] = []): Outcome => ({
  ...{ outcome: 'created', id, notes: [...notes], wants: [] },
})

export const present = (id: number | null, notes: readonly string[] = []): Outcome => ({
  ...{ outcome: 'present', id, notes: [...notes], wants: [] },
})

export const leftOut = (note: string): Outcome => ({ outcome: 'left_out', id: null, notes: [note], wants: [] })

/** What is not here any more stays away. */
export const deletedHere = (): Outcome => present(null, ['deleted here since; it stays deleted'])

/** What was there already, and was compared. */
export function compared(id: number, { changes, conflicts }: Merged<Columns>): Outcome {
  const outcome = Object.keys(changes).length > 0 ? 'updated' : 'present'
  return { outcome, id, notes: conflictNotes(conflicts), wants: [] }
}
