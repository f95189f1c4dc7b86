import type { ConformanceTarget } from '#protocol'
import type { Case } from './case.js'
import { Context, type RunState } from './context.js'
import { RisingClock } from './rising-clock.js'

/** How long one case may take, unless it says otherwise. */
export const CASE_TIMEOUT_MS = 10_000

/** What came of one case; without an error the server keeps the rule. */
export interface CaseResult {
  readonly case: Case
  readonly durationMs: number
  readonly error?: Error
}

/** Runs cases against one server, one after another. */
export interface Run {
  runCase(one: Case): Promise<CaseResult>
}

export function openRun(target: ConformanceTarget, { timeoutMs = CASE_TIMEOUT_MS } = {}): Run {
  const state: RunState = { target, clock: new RisingClock(), printers: [...target.disposable_printers] }
  return { runCase: (one) => runCase(one, state, one.timeoutMs ?? timeoutMs) }
}

async function runCase(one: Case, state: RunState, timeoutMs: number): Promise<CaseResult> {
  const startedAt = performance.now()
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  const ctx = new Context(state, controller.signal)
  const error = await errorOf(one.run(ctx))
  clearTimeout(timer)
  await ctx.close()
  const durationMs = performance.now() - startedAt
  return { case: one, durationMs, ...(error && { error }) }
}

async function errorOf(work: Promise<void>): Promise<Error | undefined> {
  try {
    await work
    return undefined
  } catch (err) {
    return err instanceof Error ? err : new Error(String(err))
  }
}
