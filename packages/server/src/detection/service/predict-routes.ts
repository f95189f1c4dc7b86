import { endpoints } from '@printwarden/protocol'
import { ApiError } from '../../errors.js'
import type { Api } from '../../http/api.js'
import { readForm } from '../../http/read-form.js'
import type { Database } from '../../ports.js'
import { findVisiblePrinter } from '../../printers/store.js'
import { AtOnce } from '../../limits/at-once.js'
import { checkPicture } from './check-picture-flow.js'
import { DetectorError } from '../detector.js'
import type { DetectionFlow } from '../flow.js'

export interface PredictRoutesDeps {
  readonly database: Database
  readonly detection: Pick<DetectionFlow, 'predict'>
  readonly maxSnapshotBytes: number
}

/** Pictures of one user at a time. */
export const MAX_AT_ONCE = 2
const UPLOAD_TIMEOUT_MS = 60_000

/** Looking at pictures for apps that manage prints without an agent. */
export function predictRoutes(api: Api, { database, detection, maxSnapshotBytes }: PredictRoutesDeps): void {
  const atOnce = new AtOnce(MAX_AT_ONCE)

  api.handle(endpoints.predictPrint, async ({ params }, caller, { request }) => {
    const printer = await findVisiblePrinter(database.db, caller.user_id, params.id)
    if (printer === undefined) throw new ApiError('not_found')
    if (printer.current_print_id === null) throw new ApiError('not_found')
    return atOnce.run(caller.user_id, async () => {
      const form = await readForm(request, 'img', { maxFileBytes: maxSnapshotBytes, timeoutMs: UPLOAD_TIMEOUT_MS })
      if (form.file === undefined) {
        throw new ApiError('invalid_request', undefined, { issues: [{ path: 'img', message: 'a file is required' }] })
      }
      const { bytes } = await checkPicture(form.file)
      const predicted = await detection.predict(printer.id, bytes).catch(asApiError)
      if (predicted === undefined) throw new ApiError('not_found')
      const { findings, state } = predicted
      return {
        result: {
          p: state.current_p,
          temporal_stats: {
            ewm_mean: state.ewm_mean,
            rolling_mean_short: state.rolling_mean_short,
            rolling_mean_long: state.rolling_mean_long,
            prediction_num: state.current_frame_num,
            prediction_num_lifetime: state.lifetime_frame_num,
          },
          detections: [...findings.detections],
        },
      }
    })
  })
}

function asApiError(err: unknown): never {
  if (!(err instanceof DetectorError)) throw err
  throw new ApiError(err.code, undefined, {
    cause: err,
    ...(err.code === 'unavailable' ? { retryAfterSeconds: 5 } : {}),
  })
}
