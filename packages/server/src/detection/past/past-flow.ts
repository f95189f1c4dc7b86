import type { JobKind } from '../../jobs/flow.js'
import { BACKTEST_JOB, type BacktestFlow, type BacktestFlowDeps, backtestFlow } from './backtest-flow.js'
import { type HistoryFlow, type HistoryFlowDeps, historyFlow } from './history-flow.js'

export type PastFlowDeps = Omit<HistoryFlowDeps, 'quotaBytes'> & BacktestFlowDeps & { readonly historyBytes: number }

/** What looks back, whoever asks for it. */
export interface PastFlow extends HistoryFlow {
  readonly backtests: BacktestFlow
  /** Jobs that look at pictures again. */
  readonly kinds: Readonly<Record<string, JobKind>>
}

/** Kept pictures, and past prints judged again. */
export function pastFlow(deps: PastFlowDeps): PastFlow {
  const backtests = backtestFlow(deps)
  return {
    ...historyFlow({ ...deps, quotaBytes: deps.historyBytes }),
    backtests,
    kinds: { [BACKTEST_JOB]: backtests.job },
  }
}
