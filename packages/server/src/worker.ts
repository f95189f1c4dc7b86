import { Registry } from 'prom-client'
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from './app.js'
import { DEFAULT_HISTORY_BYTES } from './detection/past/history.js'
import { pastFlow } from './detection/past/past-flow.js'
import { authenticator } from './http/authenticate.js'
import { limitConnections } from './http/connection-limits.js'
import { healthRoutes } from './http/health.js'
import { OTHER_ROUTES } from './http/other-routes.js'
import { probeLimit } from './http/probe-limit.js'
import { requestMetrics } from './http/request-metrics.js'
import { openHttpServer } from './http/server.js'
import { unknownLimit } from './http/unknown-limit.js'
import { startJobs } from './jobs-part.js'
import { openRefusals } from './limits/refusals.js'
import { DEFAULT_LIMITS } from './limits/settings.js'
import { framesFlow } from './timelapse/frames-flow.js'
import { KEEP_ALL } from './timelapse/retention.js'
import { retentionFlow } from './timelapse/retention-flow.js'

/** What a process without the role `web` is made of. */
export type WorkerDeps = Pick<
  AppDeps,
  | 'config'
  | 'database'
  | 'blobs'
  | 'bus'
  | 'counters'
  | 'clock'
  | 'log'
  | 'secrets'
  | 'detector'
  | 'jobs'
  | 'videos'
  | 'retention'
  | 'metrics'
  | 'limits'
> & {
  /** Whether its own detector belongs to what makes it ready. */
  readonly isDetector: boolean
}

/** It opens no websockets; the library wants a limit all the same. */
const NO_FRAMES = 1

/**
 * A process that works for others: it opens no door but the probes and the metrics, looks at pictures where it has a detector (which its
 * adapters see to), and does jobs where it is to. Nothing listens yet.
 */
export async function buildWorker(deps: WorkerDeps): Promise<FastifyInstance> {
  const { config, database, blobs, bus, counters, clock, log, secrets, detector } = deps
  const metrics = deps.metrics ?? new Registry()
  const app = await openHttpServer({
    log,
    trustedProxies: config.trustedProxies,
    tls: config.tls,
    maxFrameBytes: NO_FRAMES,
    decisions: OTHER_ROUTES,
  })
  requestMetrics(app, metrics)
  const limits = { ...DEFAULT_LIMITS, ...config.limits, ...deps.limits }
  const refusals = openRefusals({ log, clock, metrics })
  limitConnections(app.server, { limits, trustedProxies: config.trustedProxies, clock, refusals })
  const auth = authenticator({
    ...{ database, bus, clock, secrets, publicUrl: () => config.publicUrl },
    unknownLimit: unknownLimit({ counters, clock, refusals }, limits.address_unknown_credentials),
  })
  healthRoutes(app, {
    ...{ database, blobs, authenticator: auth, metrics, detector: deps.isDetector ? detector : undefined },
    limit: probeLimit({ limits, clock, refusals }),
  })

  const frames = framesFlow({ blobs, log })
  const past = pastFlow({
    ...{ database, blobs, clock, log, detector, frames, hasJobs: true, isIdle: () => true },
    smoothing: config.smoothing,
    historyBytes: config.historyBytes ?? DEFAULT_HISTORY_BYTES,
  })
  const retention = retentionFlow({ database, blobs, clock, log, limits: deps.retention ?? KEEP_ALL })
  const jobs =
    deps.jobs &&
    (await startJobs({
      ...{ database, blobs, bus, clock, log, secrets, frames, past, retention },
      scratchFolder: deps.videos.scratchFolder,
      findEncoder: deps.jobs.findEncoder,
    }))
  app.addHook('onClose', async () => {
    await jobs?.close()
  })
  return app
}
