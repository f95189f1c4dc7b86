import type { FastifyInstance } from 'fastify'
import { Histogram, type Registry } from 'prom-client'

/** Seconds: most answers take milliseconds, uploads and passwords longer. */
const BUCKETS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5]

/** Counts answers, and how long they take. By route, not by path: a label for each id would never end. */
export function requestMetrics(app: FastifyInstance, registry: Registry): void {
  const seconds = new Histogram({
    name: 'printwarden_http_request_seconds',
    help: 'How long HTTP requests take until they are answered',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none'
    seconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
}
