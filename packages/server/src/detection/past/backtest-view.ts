import { type Backtest, BacktestResult, BacktestSettings } from '@printwarden/protocol'
import { instantView } from '../../prints/view.js'
import type { BacktestRow } from './backtest-store.js'

/** A replay as its user sees it. */
export function backtestView(row: BacktestRow): Backtest {
  return {
    id: row.id,
    print: row.print_id,
    status: row.status === 'queued' || row.status === 'running' || row.status === 'done' ? row.status : 'failed',
    progress: row.progress,
    error: row.error,
    settings: BacktestSettings.parse(JSON.parse(row.settings)),
    created_at: instantView(row.created_at),
    ended_at: instantView(row.ended_at),
    result: row.result === null ? null : BacktestResult.parse(JSON.parse(row.result)),
  }
}
