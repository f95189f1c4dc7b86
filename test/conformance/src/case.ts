/** `contract` is the specification itself; `decisions` is what Printwarden does where the specification is silent. */
export const GROUPS = ['contract', 'decisions'] as const
export type Group = (typeof GROUPS)[number]

/** What is known of a case without running it. */
export interface CaseInfo {
  /** `<file>/<rule>`, stable, so that a vendor can name it in a list of known gaps. */
  readonly id: string
  readonly group: Group
  /** Where the rule is written, such as "api.md §4.2". */
  readonly section: string
  /** The rule as a sentence about the program under test. */
  readonly title: string
  /** Longer than the run's own limit, for what takes its time. */
  readonly timeoutMs?: number
}

/** One check of one rule, with what it works with. */
export interface CaseOf<C> extends CaseInfo {
  /** Resolves when the program keeps the rule, rejects with what it did instead. */
  run(ctx: C): Promise<void>
}

/** Which cases to run. */
export interface Selection {
  /** An id, a group, a section, the file's part of an id, or a piece of an id; any of several. */
  readonly only?: readonly string[]
  readonly group?: Group
}

/** The cases that fit, in their order. */
export function selectCases<T extends CaseInfo>(cases: readonly T[], { only = [], group }: Selection): readonly T[] {
  const chosen = new Set(only.flatMap((wish) => casesFor(cases, wish)))
  return cases.filter((one) => (only.length === 0 || chosen.has(one)) && (group === undefined || one.group === group))
}

/** Wishes for which there is no case at all. */
export function unknownWishes(cases: readonly CaseInfo[], only: readonly string[]): string[] {
  return only.filter((wish) => casesFor(cases, wish).length === 0)
}

/** The most exact meaning wins, so that `printers` is a file and not every id with "printers" in it. */
function casesFor<T extends CaseInfo>(cases: readonly T[], wish: string): readonly T[] {
  const meanings: ((one: CaseInfo) => boolean)[] = [
    ({ id }) => id === wish,
    ({ group }) => group === wish,
    ({ section }) => section.toLowerCase() === wish.toLowerCase(),
    ({ id }) => id.startsWith(`${wish}/`),
    ({ id }) => id.includes(wish),
  ]
  return meanings.map((fits) => cases.filter(fits)).find((found) => found.length > 0) ?? []
}
