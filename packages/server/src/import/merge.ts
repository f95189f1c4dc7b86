/** Values that JSON keeps as they are, so that what was taken over once can be compared later. */
export type Columns = Readonly<Record<string, string | number | null>>

/** What is to be changed here, and what was changed on both sides. */
export interface Merged<C extends Columns> {
  readonly changes: Partial<C>
  readonly conflicts: readonly (keyof C & string)[]
}

/**
 * What another server says now, against what it said when it was last taken over (`base`) and what is here. A field that changed only there is
 * taken; one that changed only here stays; one that changed on both sides stays too, and is named. Without `base` nobody knows who changed.
 */
export function mergeColumns<C extends Columns>(base: Columns | undefined, theirs: C, ours: Columns): Merged<C> {
  const changes: Record<string, string | number | null> = {}
  const conflicts: (keyof C & string)[] = []
  for (const name of Object.keys(theirs) as (keyof C & string)[]) {
    const [was, their, our] = [base?.[name], theirs[name] ?? null, ours[name]]
    if (their === our || (base !== undefined && their === was)) continue
    if (base !== undefined && our === was) changes[name] = their
    else conflicts.push(name)
  }
  // Only names and values of `theirs` went in.
  return { changes: changes as Partial<C>, conflicts }
}

/** What conflicts are told as. */
export function conflictNotes(conflicts: readonly string[]): string[] {
  return conflicts.length === 0 ? [] : [`kept as it is here, though it differs there: ${conflicts.join(', ')}`]
}
