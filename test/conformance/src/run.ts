import type { ConformanceTarget } from '#protocol'
import type { CaseInfo, CaseOf } from './case.js'
import { Context, type RunState } from './context.js'
import { RisingClock } from './rising-clock.js'

/** A check of one rule of the server. */
export type Case = CaseOf<Context>

/** How long one case may take, unless it says otherwise: ample for a machine that is busy with something else. */
export const CASE_TIMEOUT_MS = 30_000

/** What came of one case; without an error the rule is kept. */
export interface CaseResult {
  readonly case: CaseInfo
  readonly durationMs: number
  readonly error?: Error
}

/** Runs cases against one server, one after another. */
export interface Run {
  runCase(one: Case): Promise<CaseResult>
}

export function openRun(target: ConformanceTarget, { timeoutMs = CASE_TIMEOUT_MS } = {}): Run {
  const state: RunState = { target, clock: new RisingClock(), printers: [...target.disposable_printers] }
  return { runCase: (one) => runOne(one, (signal) => new Context(state, signal), timeoutMs) }
}

/** Runs a case with a context of its own, which is closed afterwards. */
export async function runOne<C extends { close(): Promise<void> }>(
  one: CaseOf<C>,
  openContext: (signal: AbortSignal) => C,
  timeoutMs: number,
): Promise<CaseResult> {
  const startedAt = performance.now()
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), Math.max(timeoutMs, one.timeoutMs ?? 0))
  const ctx = openContext(controller.signal)
  const error = await errorOf(one.run(ctx))
  clearTimeout(timer)
  await ctx.close()
  return { case: one, durationMs: performance.now() - startedAt, ...(error && { error }) }
}

async function errorOf(work: Promise<void>): Promise<Error | undefined> {
  try {
    await work
    return undefined
  } catch (err) {
    return err instanceof Error ? err : new Error(String(err))
  }
}
