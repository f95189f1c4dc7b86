import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import type { Detector } from '../detection/detector.js'
import { ApiError } from '../errors.js'
import type { BlobStore, Database } from '../ports.js'
import { remembered } from '../remembered.js'
import type { Authenticator } from './authenticate.js'
import { isLocal, type ProbeLimit } from './probe-limit.js'

export interface HealthDeps {
  readonly database: Database
  readonly blobs: BlobStore
  /** Undefined where it does not belong to what makes this process ready. */
  readonly detector: Pick<Detector, 'ready' | 'problem'> | undefined
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  readonly metrics: Registry
  readonly limit: ProbeLimit
  /** Whether there is a model for the assistant, where this process answers questions. No part of being ready. */
  readonly hasAssistant?: boolean
}

/** So long an answer of a part is good: whoever asks needs no account, and each look at the database takes one of its connections. */
const LOOK_MS = 1000

/** Probes for supervisors, without authentication, and the metrics. */
export function healthRoutes(app: FastifyInstance, deps: HealthDeps): void {
  const { database, blobs, detector, authenticator, metrics, hasAssistant } = deps

  const pingDatabase = remembered(() => database.ping(), { goodMs: LOOK_MS, badMs: LOOK_MS })
  const pingBlobs = remembered(() => blobs.ping(), { goodMs: LOOK_MS, badMs: LOOK_MS })
  const limited = { onRequest: async (request: FastifyRequest) => deps.limit(request) }

  app.get('/healthz', limited, async () => ({ status: 'ok' }))

  app.get('/readyz', limited, async (_request, reply) => {
    const parts = {
      database: await works(pingDatabase),
      blobs: await works(pingBlobs),
      ...(detector === undefined ? {} : { detector: detector.ready() }),
    }
    const isReady = Object.values(parts).every(Boolean)
    const problem = parts.detector === false ? (detector?.problem?.() ?? null) : null
    const reasons = problem === null ? {} : { reasons: { detector: problem } }
    const missing = Object.entries(parts).flatMap(([name, ok]) => (ok ? [] : [name]))
    if (!isReady) void reply.code(503).header('retry-after', '5')
    const told = hasAssistant === undefined ? {} : { assistant: hasAssistant ? 'configured' : 'not_configured' }
    return { status: isReady ? 'ready' : 'not_ready', parts, ...told, ...(isReady ? {} : { missing, ...reasons }) }
  })

  app.get('/metrics', limited, async (request, reply) => {
    if (!isLocal(request)) await requireAdministrator(request, authenticator)
    return reply.type(metrics.contentType).send(await metrics.metrics())
  })
}

/** As clients of a detection service ask. Always 200: supervisors must not restart a server that only cannot detect. */
export function detectorProbe(app: FastifyInstance, detector: Pick<Detector, 'ready'>): void {
  app.get('/hc/', async (_request, reply) => reply.type('text/plain').send(detector.ready() ? 'ok' : 'error'))
}

async function works(probe: () => Promise<void>): Promise<boolean> {
  try {
    await probe()
    return true
  } catch {
    return false
  }
}

async function requireAdministrator(
  request: FastifyRequest,
  authenticator: Pick<Authenticator, 'authenticate'>,
): Promise<void> {
  const caller = await authenticator.authenticate(request)
  if (!caller.is_admin) throw new ApiError('insufficient_scope', 'Only administrators may read the metrics.')
}
