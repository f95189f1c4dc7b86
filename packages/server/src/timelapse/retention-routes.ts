import { endpoints, type Retention } from '@printwarden/protocol'
import type { Api } from '../http/api.js'
import type { RetentionFlow, RetentionPlan } from './retention-flow.js'

/** What administrators may ask of retention. */
export function retentionRoutes(api: Api, { retention }: { readonly retention: RetentionFlow }): void {
  api.handle(endpoints.getRetention, async () => retentionView(await retention.plan()))
  api.handle(endpoints.applyRetention, async () => retentionView(await retention.apply()))
}

function retentionView({ limits, keptBytes, prints }: RetentionPlan): Retention {
  return {
    limits: {
      finished_days: limits.finishedDays ?? null,
      cancelled_days: limits.cancelledDays ?? null,
      failed_days: limits.failedDays ?? null,
      bytes: limits.bytes ?? null,
    },
    kept_bytes: keptBytes,
    freed_bytes: prints.reduce((sum, { bytes }) => sum + bytes, 0),
    prints: prints.map(({ id, filename, outcome, ended_at, bytes, reason }) => ({
      ...{ print_id: id, filename, outcome, bytes, reason },
      ended_at: new Date(ended_at).toISOString(),
    })),
  }
}
