import type { Api } from '../../http/api.js'
import type { BlobStore, Clock, Database, Log, Secrets } from '../../ports.js'
import type { MediaUrls } from '../../prints/view.js'
import { alertRoutes } from '../alerts/alert-routes.js'
import { backtestRoutes } from './backtest-routes.js'
import { exportFlow } from '../teaching/export-flow.js'
import { framesViewFlow } from './frames-view-flow.js'
import type { RawFrame } from './history-flow.js'
import type { PastFlow } from './past-flow.js'
import type { TeachingFlow } from '../teaching/teaching-flow.js'
import { teachingRoutes } from '../teaching/teaching-routes.js'

export interface PastRoutesDeps {
  readonly database: Database
  readonly blobs: BlobStore
  readonly clock: Clock
  readonly log: Log
  readonly secrets: Pick<Secrets, 'keyedHash'>
  readonly media: MediaUrls
  readonly teaching: TeachingFlow
  readonly frames: { list(printId: number): Promise<readonly RawFrame[]> }
  readonly past: Pick<PastFlow, 'backtests'>
}

/** All that looks back: alerts and answers to them, labelled pictures, kept pictures, and past prints judged again. */
export function pastRoutes(api: Api, deps: PastRoutesDeps): void {
  alertRoutes(api, deps)
  teachingRoutes(api, { ...deps, pictures: framesViewFlow(deps), exports: exportFlow(deps) })
  backtestRoutes(api, { ...deps, backtests: deps.past.backtests })
}
