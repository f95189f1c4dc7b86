import { z } from 'zod'
import { GROUPS } from './case.js'
import type { CaseResult } from './run.js'

const Counts = z.object({ passed: z.int().nonnegative(), failed: z.int().nonnegative() })
type Counts = z.infer<typeof Counts>

const ReportedCase = z.object({
  id: z.string().describe('Stable name of the case, `<file>/<rule>`.'),
  group: z
    .enum(GROUPS)
    .describe('`contract`: the specification; `decisions`: what Printwarden does where it is silent.'),
  section: z.string().describe('Where the rule is written.'),
  title: z.string().describe('The rule as a sentence.'),
  passed: z.boolean(),
  duration_ms: z.int().nonnegative(),
  error: z.string().optional().describe('What was seen instead. Only for a case that failed.'),
})

/** The machine-readable outcome of a run; `report.schema.json` is made from this. */
export const Report = z
  .object({
    subject: z.enum(['server', 'agent']).describe('What was tested.'),
    target: z.string().describe('The address of the server, or at which the agent was awaited.'),
    kit_version: z.string(),
    started_at: z.iso.datetime(),
    duration_ms: z.int().nonnegative(),
    passed: z.int().nonnegative(),
    failed: z.int().nonnegative(),
    groups: z.object({ contract: Counts, decisions: Counts }),
    cases: z.array(ReportedCase).describe('In the order in which they ran.'),
  })
  .meta({ title: 'Outcome of a printwarden-conformance run' })
export type Report = z.infer<typeof Report>
export type ReportedCase = z.infer<typeof ReportedCase>

/** What the report is about, besides its cases. */
export interface Occasion {
  readonly subject: Report['subject']
  readonly target: string
  readonly kitVersion: string
  readonly startedAt: Date
  readonly durationMs: number
}

export function reportOf(occasion: Occasion, results: readonly CaseResult[]): Report {
  const ofGroup = (group: string): Counts => countOf(results.filter((result) => result.case.group === group))
  return {
    subject: occasion.subject,
    target: occasion.target,
    kit_version: occasion.kitVersion,
    started_at: occasion.startedAt.toISOString(),
    duration_ms: Math.round(occasion.durationMs),
    ...countOf(results),
    groups: { contract: ofGroup('contract'), decisions: ofGroup('decisions') },
    cases: results.map(reportedCase),
  }
}

/** The JSON Schema of the report. */
export const reportSchema = (): object => z.toJSONSchema(Report)

function countOf(results: readonly CaseResult[]): Counts {
  const passed = results.filter(({ error }) => error === undefined).length
  return { passed, failed: results.length - passed }
}

function reportedCase({ case: { id, group, section, title }, durationMs, error }: CaseResult): ReportedCase {
  const passed = error === undefined
  const reported = { id, group, section, title, passed, duration_ms: Math.round(durationMs) }
  return passed ? reported : { ...reported, error: error.message }
}
