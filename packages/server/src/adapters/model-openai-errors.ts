import { APICallError, RetryError } from 'ai'
import { ModelError } from '../assistant/model.js'
import { OutboundError } from '../ports.js'
import { refusesTools } from './model-openai-tool-refusal.js'

/** Whatever went wrong with a model's server, as its caller is told. */
export function asModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error
  const cause = causeOf(error)
  if (!APICallError.isInstance(cause)) {
    if (outboundErrorIn(cause) !== undefined) return unreachable(cause)
    return new ModelError('malformed', "The model's answer could not be read.", { cause })
  }
  const { statusCode } = cause
  if (refusesTools(cause)) return refused(cause)
  if (statusCode === undefined || statusCode === 429 || statusCode >= 500) return unreachable(cause)
  if (statusCode >= 400) return refused(cause)
  return new ModelError('malformed', "The model's answer could not be read.", { cause })
}

/** Whether the model would have answered without tools. */
export const refusesToolsIn = (error: unknown): boolean => refusesTools(causeOf(error))

/** The guard's own error, which libraries wrap. */
export function outboundErrorIn(error: unknown): OutboundError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof OutboundError) return at
  return undefined
}

const causeOf = (error: unknown): unknown => (RetryError.isInstance(error) ? error.lastError : error)

const unreachable = (cause: unknown): ModelError =>
  new ModelError('unreachable', 'The model cannot be asked just now.', { cause })

const refused = (cause: unknown): ModelError => new ModelError('refused', 'The model refused the question.', { cause })
