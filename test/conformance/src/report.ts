import { GROUPS, type Group } from './case.js'
import type { CaseResult } from './run.js'

/** The machine-readable outcome of a run. */
export interface Report {
  readonly target: string
  readonly started_at: string
  readonly duration_ms: number
  readonly passed: number
  readonly failed: number
  readonly groups: Readonly<Record<Group, { passed: number; failed: number }>>
  readonly cases: readonly ReportedCase[]
}

interface ReportedCase {
  readonly id: string
  readonly group: Group
  readonly section: string
  readonly title: string
  readonly passed: boolean
  readonly duration_ms: number
  /** What the server did instead. */
  readonly error?: string
}

export function reportOf(target: string, startedAt: Date, durationMs: number, results: readonly CaseResult[]): Report {
  return {
    target,
    started_at: startedAt.toISOString(),
    duration_ms: Math.round(durationMs),
    ...countOf(results),
    groups: {
      contract: countOf(results.filter((result) => result.case.group === GROUPS[0])),
      decisions: countOf(results.filter((result) => result.case.group === GROUPS[1])),
    },
    cases: results.map(reportedCase),
  }
}

/** One line for people; the reason of a failure stands below it. */
export function lineOf({ case: { id, section, title }, durationMs, error }: CaseResult): string {
  const line = `${error === undefined ? '✓' : '✗'} ${id} (${section}): ${title} [${Math.round(durationMs)} ms]`
  return error === undefined ? line : `${line}\n${error.message.replaceAll(/^/gm, '    ')}`
}

function countOf(results: readonly CaseResult[]): { passed: number; failed: number } {
  const passed = results.filter(({ error }) => error === undefined).length
  return { passed, failed: results.length - passed }
}

function reportedCase({ case: { id, group, section, title }, durationMs, error }: CaseResult): ReportedCase {
  const passed = error === undefined
  const reported = { id, group, section, title, passed, duration_ms: Math.round(durationMs) }
  return passed ? reported : { ...reported, error: error.message }
}
