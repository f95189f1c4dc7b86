import type { Api } from '../../http/api.js'
import type { JobKind } from '../../jobs/flow.js'
import type { BlobStore, Clock, Database, Log, Secrets } from '../../ports.js'
import type { MediaUrls } from '../../prints/view.js'
import { alertRoutes } from '../alerts/alert-routes.js'
import { BACKTEST_JOB, backtestFlow } from './backtest-flow.js'
import { backtestRoutes } from './backtest-routes.js'
import type { Detector } from '../detector.js'
import { exportFlow } from '../teaching/export-flow.js'
import { framesViewFlow } from './frames-view-flow.js'
import { type HistoryFlow, historyFlow, type RawFrame } from './history-flow.js'
import type { SmoothingKind } from '../smoothing/smoothing-state.js'
import type { TeachingFlow } from '../teaching/teaching-flow.js'
import { teachingRoutes } from '../teaching/teaching-routes.js'

export interface PastRoutesDeps {
  readonly database: Database
  readonly blobs: BlobStore
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Pick<Secrets, 'keyedHash'>
  readonly media: MediaUrls
  readonly detector: Detector
  readonly detection: { isIdle(): boolean }
  readonly teaching: TeachingFlow
  readonly frames: { list(printId: number): Promise<readonly RawFrame[]> }
  readonly smoothing: SmoothingKind
  readonly historyBytes: number
  readonly hasJobs: boolean
}

/** What is for others to call. */
export interface Past extends HistoryFlow {
  /** Jobs that look at pictures again. */
  readonly kinds: Readonly<Record<string, JobKind>>
}

/** All that looks back: alerts and answers to them, labelled pictures, kept pictures, and past prints judged again. */
export function pastRoutes(api: Api, deps: PastRoutesDeps): Past {
  const backtests = backtestFlow({ ...deps, isIdle: () => deps.detection.isIdle() })
  alertRoutes(api, deps)
  teachingRoutes(api, { ...deps, pictures: framesViewFlow(deps), exports: exportFlow(deps) })
  backtestRoutes(api, { ...deps, backtests })
  return { ...historyFlow({ ...deps, quotaBytes: deps.historyBytes }), kinds: { [BACKTEST_JOB]: backtests.job } }
}
