import { isUtf8 } from 'node:buffer'
import { MAX_MESSAGE_DEPTH } from '@printwarden/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.js'
import { OneATurn } from '../one-a-turn.js'
import { jsonShapeOf } from './json-shape.js'

/** So many values a JSON body may hold for each MiB that it may have. What is sent in earnest has a twentieth of that. */
export const VALUES_PER_MIB = 20_000

/** A larger body is read in a turn of the event loop of its own. */
const LARGE_BYTES = 16 * 1024

const MIB = 1024 ** 2
const TOO_DEEP = `The body is nested deeper than ${MAX_MESSAGE_DEPTH} levels.`

/** How many values the bodies held that were read. */
const valuesByRequest = new WeakMap<FastifyRequest, number>()

/** How many values the body of a request held. */
export const valuesOf = (request: FastifyRequest): number => valuesByRequest.get(request) ?? 0

/** Reads JSON bodies. An empty one is none: some clients name a content type on every request. */
export function useJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  const large = new OneATurn()

  function read(request: FastifyRequest, bytes: Buffer, done: (error: Error | null, value?: unknown) => void): void {
    const problem = problemOf(request, bytes)
    if (problem !== undefined) return done(problem)
    // Its callback is called at once; what it throws away is a body that is no JSON, or one that reaches for __proto__.
    void parseJson(request, bytes.toString('utf8'), (error, value) => {
      if (error === null) done(null, value)
      else done(new ApiError('malformed_json', `The body is not JSON: ${error.message}`, { cause: error }))
    })
  }

  app.removeContentTypeParser('application/json')
  app.addContentTypeParser(/^application\/([\w.-]+\+)?json/, { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = Buffer.from(body)
    if (bytes.length === 0) done(null, undefined)
    else if (bytes.length <= LARGE_BYTES) read(request, bytes, done)
    else large.add(() => read(request, bytes, done))
  })
}

/** Why a body is not even parsed. */
function problemOf(request: FastifyRequest, bytes: Buffer): ApiError | undefined {
  // Decoding would put marks of replacement in place of what is wrong, and keep those.
  if (!isUtf8(bytes)) return new ApiError('malformed_json', 'The body is not UTF-8.')
  const { values, depth } = jsonShapeOf(bytes)
  if (depth > MAX_MESSAGE_DEPTH) return new ApiError('invalid_request', TOO_DEEP)
  const most = Math.ceil(request.routeOptions.bodyLimit / MIB) * VALUES_PER_MIB
  if (values > most) return new ApiError('too_large', `The body holds more than ${most} values.`)
  valuesByRequest.set(request, values)
  return undefined
}
