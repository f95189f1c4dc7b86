import { ProblemDetails } from '@printwarden/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'

// Slicers show the body of an error as it is, and Cura shows it only when its type is this one, without parameters.
const TEXT = 'text/plain'

/** Where slicers call, also below one printer's address. */
const SLICER_PATH = /^(?:\/printers\/[^/]+)?\/api\/(?:version|settings|printer|job|printerprofiles|files)(?:\/|$)/

/** Tells errors to slicers as one sentence. They are known by OctoPrint's way to send a key; other clients get problem details. */
export function useSlicerErrors(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (reply.statusCode < 400 || !isSlicer(request) || !Buffer.isBuffer(payload)) return payload
    const text = slicerErrorText(payload.toString())
    if (text === undefined) return payload
    void reply.removeHeader('content-length').header('content-type', TEXT)
    return Buffer.from(text)
  })
}

function isSlicer({ url, headers }: FastifyRequest): boolean {
  return SLICER_PATH.test(url.split('?', 1)[0] ?? '') && 'x-api-key' in headers && !/json/i.test(headers.accept ?? '')
}

/** Problem details in the words that a person sees in a slicer; undefined when they are none. */
export function slicerErrorText(body: string): string | undefined {
  const problem = ProblemDetails.safeParse(parse(body)).data
  if (problem === undefined) return undefined
  if (problem.code === 'not_found') return 'There is no such printer.'
  if (problem.code === 'unauthorized') return 'The API key is not known.'
  const { title, detail, issues = [] } = problem
  // The detail of a malformed request is its title; what is wrong stands in the issues then.
  return detail === title && issues.length > 0
    ? issues.map(({ path, message }) => `${path}: ${message}`).join('; ')
    : detail
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
