import type { FastifyInstance, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Runs until the body has arrived. */
    bodyDeadline: NodeJS.Timeout | undefined
  }
}

/** Cuts off clients that send a body a byte at a time: all of it has to be here in time. Node's own limit knows no exception. */
export function limitBodyTime(app: FastifyInstance, limitMs: number): void {
  app.server.requestTimeout = 0
  app.decorateRequest('bodyDeadline', undefined)
  app.addHook('onRequest', async (request) => {
    const { raw } = request
    if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined) return
    const timer = setTimeout(() => raw.destroy(), limitMs).unref()
    request.bodyDeadline = timer
    for (const event of ['end', 'close']) raw.once(event, () => clearTimeout(timer))
  })
}

/** For large uploads, which may take as long as they need while something arrives: only a silence of `silenceMs` ends them. */
export function allowSlowBody({ raw, bodyDeadline }: FastifyRequest, silenceMs: number): void {
  clearTimeout(bodyDeadline)
  const { socket } = raw
  const giveUp = (): void => void raw.destroy()
  socket.setTimeout(silenceMs, giveUp)
  // Once the body is here the silence is ours: what is done with it may take its time. Later on the server uses the same timer.
  const stop = (): void => {
    raw.off('end', stop).off('close', stop)
    socket.setTimeout(0)
    socket.off('timeout', giveUp)
  }
  raw.on('end', stop).on('close', stop)
}
