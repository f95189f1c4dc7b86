import { endpoints } from '@printwarden/protocol'
import { ApiError } from '../../errors.js'
import type { Api } from '../../http/api.js'
import type { Database } from '../../ports.js'
import { findVisiblePrint } from '../../prints/store.js'
import { findVisibleCamera } from '../context/context-store.js'
import type { BacktestFlow } from './backtest-flow.js'
import { findVisibleBacktest } from './backtest-store.js'
import { backtestView } from './backtest-view.js'

export interface BacktestRoutesDeps {
  readonly database: Database
  readonly backtests: Pick<BacktestFlow, 'begin'>
}

/** What changes what the model sees, and so cannot be told from kept scores. */
const NEED_PICTURES = [
  'ignore_regions',
  'bed_crop',
  'tiles',
  'baseline_enabled',
  'prototypes_enabled',
  'clean_bed_enabled',
] as const

/** The time machine: past prints judged again. */
export function backtestRoutes(api: Api, { database, backtests }: BacktestRoutesDeps): void {
  const { db } = database

  api.handle(endpoints.backtestPrint, async ({ params, body }, caller, { reply }) => {
    const print = await findVisiblePrint(db, caller.user_id, params.id)
    if (print === undefined) throw new ApiError('not_found')
    const path = body.model === 'rerun' ? undefined : NEED_PICTURES.find((name) => body[name] !== undefined)
    if (path !== undefined) {
      const message = 'changes what is seen, or what of it counts: it needs "model": "rerun"'
      throw new ApiError('invalid_request', undefined, { issues: [{ path, message }] })
    }
    if (body.camera_id !== undefined) {
      const camera = await findVisibleCamera(db, caller.user_id, print.printer_id, body.camera_id)
      if (camera === undefined) throw new ApiError('not_found', 'The printer of this print has no such camera.')
      if (body.model === 'rerun' && camera.is_primary === 0)
        throw new ApiError('conflict', 'Pictures are kept of the primary camera only: use "model": "kept_scores".')
    }
    const row = await backtests.begin(print, body)
    if (row.status !== 'done') reply.code(202)
    return backtestView(row)
  })

  api.handle(endpoints.getBacktest, async ({ params }, caller) => {
    const row = await findVisibleBacktest(db, caller.user_id, params.id)
    if (row === undefined) throw new ApiError('not_found')
    return backtestView(row)
  })
}
