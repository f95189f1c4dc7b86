import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Registry } from 'prom-client'
import type { Detector } from '../detection/detector.js'
import { ApiError } from '../errors.js'
import type { BlobStore, Database } from '../ports.js'
import type { Authenticator } from './authenticate.js'

export interface HealthDeps {
  readonly database: Database
  readonly blobs: BlobStore
  /** Undefined where it does not belong to what makes this process ready. */
  readonly detector: Pick<Detector, 'ready' | 'problem'> | undefined
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  readonly metrics: Registry
  /** Whether there is a model for the assistant, where this process answers questions. No part of being ready. */
  readonly hasAssistant?: boolean
}

const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])

/** Probes for supervisors, without authentication, and the metrics. */
export function healthRoutes(app: FastifyInstance, deps: HealthDeps): void {
  const { database, blobs, detector, authenticator, metrics, hasAssistant } = deps

  app.get('/healthz', async () => ({ status: 'ok' }))

  app.get('/readyz', async (_request, reply) => {
    const parts = {
      database: await works(() => database.ping()),
      blobs: await works(() => blobs.ping()),
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

  app.get('/metrics', async (request, reply) => {
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

/** From this machine itself, and not on behalf of somebody behind a proxy. */
function isLocal({ socket, headers }: FastifyRequest): boolean {
  return (
    LOOPBACK.has(socket.remoteAddress ?? '') &&
    headers['x-forwarded-for'] === undefined &&
    headers.forwarded === undefined
  )
}

async function requireAdministrator(
  request: FastifyRequest,
  authenticator: Pick<Authenticator, 'authenticate'>,
): Promise<void> {
  const caller = await authenticator.authenticate(request)
  if (!caller.is_admin) throw new ApiError('insufficient_scope', 'Only administrators may read the metrics.')
}
