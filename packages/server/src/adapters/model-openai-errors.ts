import { APICallError, RetryError } from 'ai'
import { ModelError } from '../assistant/model.js'
import { OutboundError } from '../ports.js'

/** Whatever went wrong with a model's server, as its caller is told. */
export function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error
  const cause = causeOf(error)
  if (!APICallError.isInstance(cause)) {
    if (outboundErrorIn(cause) !== undefined) return unreachable(cause)
    return new ModelError('malformed', "The model's answer could not be read.", { cause })
  }
  const { statusCode } = cause
  if (statusCode === undefined || statusCode === 429 || statusCode >= 500) return unreachable(cause)
  if (statusCode >= 400) return new ModelError('refused', 'The model refused the question.', { cause })
  return new ModelError('malformed', "The model's answer could not be read.", { cause })
}

/** As servers of this protocol answer where a model cannot call tools: "… does not support tools", "No endpoints found that support tool use". */
const TOOLS_REFUSED = /\btools?\b|\bfunction.?call/i
const REFUSALS: readonly (number | undefined)[] = [400, 404, 422, 501]

/** Whether the model would have answered without tools. */
export function refusesTools(error: unknown): boolean {
  const cause = causeOf(error)
  if (!APICallError.isInstance(cause) || !REFUSALS.includes(cause.statusCode)) return false
  return TOOLS_REFUSED.test(`${cause.message} ${cause.responseBody ?? ''}`)
}

/** The guard's own error, which libraries wrap. */
export function outboundErrorIn(error: unknown): OutboundError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof OutboundError) return at
  return undefined
}

const causeOf = (error: unknown): unknown => (RetryError.isInstance(error) ? error.lastError : error)

const unreachable = (cause: unknown): ModelError =>
  new ModelError('unreachable', 'The model cannot be asked just now.', { cause })
