import type { FastifyInstance } from 'fastify'

// Programs that know the contract of a detection service look for `detections` and `message` in every answer.

const SERVICE_PATH = /^\/p\/?(?:\?|$)/

/** Adds to the problems of `/p/` what clients of a detection service expect. */
export function useServiceErrors(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode < 400 || !SERVICE_PATH.test(request.url) || !Buffer.isBuffer(payload)) return payload
    const body = serviceErrorBody(payload.toString())
    if (body === undefined) return payload
    void reply.removeHeader('content-length')
    return Buffer.from(body)
  })
}

/** Problem details with nothing found and a message; undefined when they are none. */
export function serviceErrorBody(text: string): string | undefined {
  const problem: unknown = parse(text)
  if (typeof problem !== 'object' || problem === null || !('detail' in problem)) return undefined
  const issues = 'issues' in problem && Array.isArray(problem.issues) ? problem.issues : []
  const [issue]: unknown[] = issues
  const message = isIssue(issue) ? `${issue.path}: ${issue.message}` : problem.detail
  return JSON.stringify({ ...problem, detections: [], message })
}

function isIssue(issue: unknown): issue is { path: string; message: string } {
  return typeof issue === 'object' && issue !== null && 'path' in issue && 'message' in issue
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
