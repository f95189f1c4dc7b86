import type { Context } from './context.js'

/** `contract` is the specification itself; `decisions` is what Printwarden does where the specification is silent. */
export const GROUPS = ['contract', 'decisions'] as const
export type Group = (typeof GROUPS)[number]

/** One check of one rule. */
export interface Case {
  /** `<file>/<rule>`, stable, so that a vendor can name it in a list of known gaps. */
  readonly id: string
  readonly group: Group
  /** Where the rule is written, such as "api.md §4.2". */
  readonly section: string
  /** The rule as a sentence about the server. */
  readonly title: string
  /** Longer than the run's own limit, for what takes its time. */
  readonly timeoutMs?: number
  /** Resolves when the server keeps the rule, rejects with what it did instead. */
  run(ctx: Context): Promise<void>
}

/** The cases of which the id, the file's part of the id, the group or the section is `only`; all without it. */
export function selectCases(cases: readonly Case[], only: string | undefined): readonly Case[] {
  if (only === undefined) return cases
  return cases.filter(
    ({ id, group, section }) => id === only || id.startsWith(`${only}/`) || group === only || section === only,
  )
}
